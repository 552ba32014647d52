package scoring

import (
	"bytes"
	"encoding/json"
	"sync"
)

// PolicySchema is the JSON Schema (draft 2020-12) of a policy file, made from the
// structure and the limits that Validate checks. What it refuses, ReadPolicy
// refuses. The other way round there is what a schema cannot say: its description
// lists that. The caller may change the bytes.
func PolicySchema() []byte { return bytes.Clone(policySchema()) }

const schemaSays = "Every member may be left out; it then has the value of the default policy. Countersign also checks what a schema can't express: " +
	"the thresholds ascend; the weights add up to 1; globs and ids are unique; ids and rules exist; expressions are RE2; examples match as they must; " +
	"a critical pattern's action is block, redact or confirm; lengths count bytes."

var policySchema = sync.OnceValue(func() []byte {
	var defaults any
	stored, _ := json.Marshal(DefaultPolicy()) // the default policy is JSON
	_ = json.Unmarshal(stored, &defaults)
	root := policyShape().schema(defaults)
	override := policyShape().member("score_override_threshold").schema(nil)
	override = append(override, entry{"deprecated", true})
	properties := append(root.get("properties").(document), entry{overrideAlias, override})
	root.set("properties", properties)
	doc := document{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"$id", "urn:countersign:policy"},
		{"title", "Countersign policy"},
		{"description", schemaSays},
	}
	doc = append(doc, root...)
	doc = append(doc, entry{"not", document{{"required", []string{"score_override_threshold", overrideAlias}}}})
	var b bytes.Buffer
	compact, _ := json.Marshal(doc) // texts, numbers and lists of them
	_ = json.Indent(&b, compact, "", "  ")
	b.WriteByte('\n')
	return b.Bytes()
})

// schema describes one place; fallback is its default, nil for none.
func (s *shape) schema(fallback any) document {
	var d document
	add := func(name string, value any) { d = append(d, entry{name, value}) }
	if s.about != "" {
		add("description", s.about)
	}
	switch s.kind {
	case isObject:
		s.object(fallback, add)
	case isList:
		add("type", "array")
		add("items", s.element.schema(nil))
		s.count("minItems", "maxItems", add)
		if s.unique {
			add("uniqueItems", true)
		}
	case isHints:
		add("type", "object")
		add("propertyNames", document{{"maxLength", maxHintNameBytes}})
		add("additionalProperties", document{{"type", []string{"boolean", "number"}}})
		s.count("minProperties", "maxProperties", add)
	case isValue:
		add("type", []string{"string", "number", "boolean", "null", "object", "array"})
		add("maxProperties", 0)
		add("maxItems", 0)
	case isText:
		add("type", "string")
		if s.moment {
			add("format", "date-time")
		}
		if len(s.words) > 0 {
			add("enum", s.words)
		}
		s.count("minLength", "maxLength", add)
	case isNumber, isWhole:
		add("type", map[kind]string{isNumber: "number", isWhole: "integer"}[s.kind])
		if s.above {
			add("exclusiveMinimum", s.low)
		} else {
			add("minimum", s.low)
		}
		if !s.unlimit {
			add("maximum", s.high)
		}
	case isBool:
		add("type", "boolean")
	}
	if _, object := fallback.(map[string]any); fallback != nil && !object {
		add("default", fallback)
	}
	return d
}

func (s *shape) object(fallback any, add func(string, any)) {
	defaults, _ := fallback.(map[string]any)
	add("type", "object")
	properties := document{}
	for _, m := range s.members {
		properties = append(properties, entry{m.name, m.schema(defaults[m.name])})
	}
	add("properties", properties)
	if len(s.required) > 0 {
		add("required", s.required)
	}
	add("additionalProperties", false)
}

func (s *shape) count(least, most string, add func(string, any)) {
	if s.fewest > 0 {
		add(least, s.fewest)
	}
	if s.most > 0 {
		add(most, s.most)
	}
}

// document is a JSON object whose members keep their order.
type document []entry

type entry struct {
	name  string
	value any
}

func (d document) get(name string) any {
	for _, e := range d {
		if e.name == name {
			return e.value
		}
	}
	return nil
}

func (d document) set(name string, value any) {
	for i, e := range d {
		if e.name == name {
			d[i].value = value
		}
	}
}

// MarshalJSON writes the members in their order.
func (d document) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, e := range d {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(e.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(e.value)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}'), nil
}
