package scoring

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// A policy as people write it: YAML, of which JSON is a part.

// maxFileBytes bounds a file; comments may be longer than the policy.
const maxFileBytes = 1 << 20

// overrideAlias is the name of score_override_threshold in the published model.
const overrideAlias = "block_if_score_above"

// ReadPolicy is ParsePolicy with everything that is wrong as one fault
// InvalidMember.
func ReadPolicy(data []byte) (Policy, error) {
	p, wrong := ParsePolicy(data)
	return p, asFault(wrong)
}

// ParsePolicy reads a policy file over the default policy, so a file needs to
// name only what differs. Unknown members, other types and YAML aliases are
// refused. It lists everything that is wrong; the policy is valid where that is
// nothing.
func ParsePolicy(data []byte) (Policy, []Problem) {
	p := DefaultPolicy()
	root, err := parseYAML(data)
	if err != nil {
		return p, []Problem{{Detail: fault.Verbatim(err.Error())}}
	}
	if root == nil { // nothing but comments
		return p, nil
	}
	var found problems
	found.takeAlias(root)
	found.fit(root, policyShape(), "")
	if root.Kind == yaml.MappingNode {
		if err := root.Decode(&p); err != nil { // fit left nothing that could fail
			found.add("", "the policy can't be read: %s", strings.TrimPrefix(err.Error(), "yaml: "))
		}
	}
	return p.tidy(), found.and(p.tidy().Problems())
}

// SaysNothing reports whether a policy file has no setting, and no {} either: it is empty,
// null, or comments alone.
func SaysNothing(data []byte) bool {
	root, err := parseYAML(data)
	return root == nil && err == nil
}

func parseYAML(data []byte) (*yaml.Node, error) {
	if len(data) > maxFileBytes {
		return nil, fmt.Errorf("the file has %d bytes; at most %d are accepted", len(data), maxFileBytes)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("the policy is no YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("the policy holds more than one YAML document; one is accepted")
	}
	if len(doc.Content) == 0 || doc.Content[0].ShortTag() == "!!null" {
		return nil, nil
	}
	return doc.Content[0], nil
}

// and adds what is wrong with values, but for those that were not read: what is
// said about them or about their sum would not be about the file.
func (p problems) and(more []Problem) []Problem {
	read := slices.Clone(p)
	for _, w := range more {
		unread := func(u Problem) bool {
			return u.Member == w.Member || strings.HasPrefix(u.Member, w.Member+"/") || strings.HasPrefix(w.Member, u.Member+"/")
		}
		if !slices.ContainsFunc(read, unread) {
			p.add(w.Member, "%s", w.Detail)
		}
	}
	return p
}

// takeAlias gives the published name of a setting its own.
func (p *problems) takeAlias(root *yaml.Node) {
	if root.Kind != yaml.MappingNode {
		return
	}
	const own = "score_override_threshold"
	alias, both := -1, false
	for i := 0; i+1 < len(root.Content); i += 2 {
		switch root.Content[i].Value {
		case overrideAlias:
			alias = i
		case own:
			both = true
		}
	}
	switch {
	case alias < 0:
	case both:
		p.add("/"+overrideAlias, "is another name of %s (line %s); expected one of the two", own, strconv.Itoa(root.Content[alias].Line))
		root.Content = slices.Delete(root.Content, alias, alias+2)
	default:
		root.Content[alias].Value = own
	}
}

// fit holds a node against the structure, and takes away what does not fit, so
// that the rest can be read and checked.
func (p *problems) fit(n *yaml.Node, s *shape, at string) (fits bool) {
	refuse := func(was string) bool {
		accepted := s.kind.String()
		if len(s.words) > 0 {
			accepted = "one of " + strings.Join(s.words, ", ")
		}
		p.add(at, "is %s (line %s); expected %s", was, strconv.Itoa(n.Line), accepted)
		return false
	}
	if s.kind == isValue {
		plain := n.Kind == yaml.ScalarNode && slices.Contains([]string{"!!str", "!!bool", "!!int", "!!float", "!!null"}, n.ShortTag())
		if empty := n.Kind != yaml.AliasNode && len(n.Content) == 0 && (n.ShortTag() == "!!map" || n.ShortTag() == "!!seq"); !plain && !empty {
			return refuse(describeNode(n))
		}
		return true
	}
	if scalar := s.kind > isValue; n.Kind == yaml.AliasNode || scalar && n.Kind != yaml.ScalarNode {
		return refuse(describeNode(n))
	}
	switch s.kind {
	case isObject, isHints:
		if n.Kind != yaml.MappingNode || n.ShortTag() != "!!map" {
			return refuse(describeNode(n))
		}
		if size := len(n.Content) / 2; s.kind == isHints && size > s.most { // YAML compares every name with every other
			return refuse(fmt.Sprintf("an object of %d members, of which at most %d are accepted", size, s.most))
		}
		p.fitMembers(n, s, at)
	case isList:
		if n.Kind != yaml.SequenceNode || n.ShortTag() != "!!seq" {
			return refuse(describeNode(n))
		}
		if size := len(n.Content); s.most > 0 && size > s.most {
			return refuse(fmt.Sprintf("a list of %d, of which at most %d are accepted", size, s.most))
		}
		p.fitElements(n, s, at)
	case isText:
		if s.moment && n.ShortTag() == "!!timestamp" {
			n.Tag = "!!str"
		}
		if n.ShortTag() != "!!str" {
			return refuse(describeNode(n) + ", which needs quotes to be text")
		}
		if len(s.words) > 0 && !slices.Contains(s.words, n.Value) {
			return refuse(strconv.Quote(told(n.Value)))
		}
	case isBool:
		if n.ShortTag() != "!!bool" {
			return refuse(describeNode(n))
		}
	case isNumber, isWhole:
		return p.fitNumber(n, s, refuse)
	}
	return true
}

// fitNumber refuses what is no number, and rewrites a whole number such as 1e3 or
// 3.0 with digits only, which is how it is read.
func (p *problems) fitNumber(n *yaml.Node, s *shape, refuse func(string) bool) bool {
	var f float64
	if tag := n.ShortTag(); tag != "!!int" && tag != "!!float" || n.Decode(&f) != nil {
		return refuse(describeNode(n))
	}
	if s.kind == isNumber {
		return true
	}
	if f != math.Trunc(f) || !(math.Abs(f) <= 1<<53) {
		return refuse(describeNode(n))
	}
	n.Tag, n.Value = "!!int", strconv.FormatInt(int64(f), 10)
	return true
}

// fitMembers looks at each member, and keeps those that fit.
func (p *problems) fitMembers(n *yaml.Node, s *shape, at string) {
	var kept []*yaml.Node
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := key.Value
		here := at + "/" + canon.PointerEscape(name)
		switch {
		case key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge":
			p.add(at, "has %s in the place of a name (line %s); expected text", describeNode(key), strconv.Itoa(key.Line))
			continue
		case seen[name]:
			p.add(here, "appears a second time (line %s); expected once", strconv.Itoa(key.Line))
			continue
		}
		seen[name] = true
		if s.kind == isHints {
			if p.fitHint(value, here) {
				kept = append(kept, key, value)
			}
			continue
		}
		m := s.member(name)
		if m == nil {
			p.add(here, "isn't known (line %s); expected %s", strconv.Itoa(key.Line), strings.Join(s.names(), ", "))
			continue
		}
		if p.fit(value, m, here) {
			kept = append(kept, key, value)
		}
	}
	n.Content = kept
}

func (s *shape) names() []string {
	all := make([]string, len(s.members))
	for i, m := range s.members {
		all[i] = m.name
	}
	return all
}

func (p *problems) fitHint(n *yaml.Node, at string) bool {
	if n.Kind == yaml.ScalarNode && slices.Contains([]string{"!!bool", "!!int", "!!float"}, n.ShortTag()) {
		return true
	}
	p.add(at, "is %s (line %s); expected true, false or a finite number", describeNode(n), strconv.Itoa(n.Line))
	return false
}

// fitElements looks at each element; one that does not fit becomes an empty one,
// so that the others keep their places.
func (p *problems) fitElements(n *yaml.Node, s *shape, at string) {
	for i, e := range n.Content {
		if p.fit(e, s.element, fmt.Sprintf("%s/%d", at, i)) {
			continue
		}
		empty := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str"}
		if s.element.kind == isObject {
			empty = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		}
		n.Content[i] = empty
	}
}

// describeNode says what stands there.
func describeNode(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "an object"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias of YAML"
	}
	if n.ShortTag() == "!!null" {
		return "left empty"
	}
	return told(n.Value)
}

// tidy is the policy in the one form in which it is kept: lists that are empty
// are there or absent as DefaultPolicy has them, and numbers among the hints are
// doubles, which is all that JSON knows.
func (p Policy) tidy() Policy {
	functions := make([]Function, len(p.Functions))
	for i, f := range p.Functions {
		hints := make(map[string]any, len(f.Hints))
		for name, hint := range f.Hints {
			if n, ok := hint.(int); ok {
				hint = float64(n)
			}
			hints[name] = hint
		}
		f.Hints = hints
		if len(hints) == 0 {
			f.Hints = nil
		}
		if f.Pattern != nil {
			f.Pattern = f.Pattern.tidy()
		}
		functions[i] = f
	}
	p.Functions = functions
	o := &p.PatternOverrides
	o.Disable, o.Change, o.Add = orNil(o.Disable), orNil(o.Change), slices.Clone(orNil(o.Add))
	for i := range o.Add {
		o.Add[i].AppliesTo = orNil(o.Add[i].AppliesTo)
	}
	p.Rules.Removed, p.Rules.Replaced, p.Rules.Custom = orNil(p.Rules.Removed), orNil(p.Rules.Replaced), orNil(p.Rules.Custom)
	weighing := p.Weighing()
	p.PatternWeights, p.PatternDecay, p.SeverityActions = weighing.Weights, weighing.Decay, p.Acting().Actions
	p.Judgement = judgementOf(p.Judgement)
	p.Trust = p.Trust.orDefault()
	p.Evaluations = p.Evaluated()
	p.Scorers = p.Scorers.orDefault()
	p.OnRequiresApproval = p.OnRequiresApproval.orDefault()
	p.Authority = p.Authority.OrDefault()
	p.Notices.DetailToChannels = orNil(p.Notices.DetailToChannels)
	p.Deciders = p.Deciders.Tidy()
	p.WorkingHours = p.WorkingHours.OrDefault()
	p.WorkingHours.Holidays = orNil(p.WorkingHours.Holidays)
	return p
}

// Tidy is the policy in the one form in which it is kept and compared.
func (p Policy) Tidy() Policy { return p.tidy() }

// Stored is the policy as it is kept: JSON, in its one form. It fails only for
// numbers that JSON does not know, which Validate refuses.
func (p Policy) Stored() ([]byte, error) { return json.Marshal(p.tidy()) }

// SHA256 is the hex digest of Stored: what the audit trail knows of a version.
func (p Policy) SHA256() (string, error) {
	b, err := p.Stored()
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), err
}

func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// YAML writes the policy for people: every setting in the order of the structure,
// each with its unit. ReadPolicy reads exactly the same policy back.
func (p Policy) YAML() ([]byte, error) {
	var root yaml.Node
	if err := root.Encode(p.tidy()); err != nil {
		return nil, fmt.Errorf("write the policy: %w", err)
	}
	quoteMerges(&root)
	annotate(&root, policyShape())
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := errors.Join(encoder.Encode(&root), encoder.Close()); err != nil {
		return nil, fmt.Errorf("write the policy: %w", err)
	}
	return b.Bytes(), nil
}

// quoteMerges puts the text << in quotes: plain, YAML reads it as something else,
// and the encoder does not know.
func quoteMerges(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Value == "<<" {
		n.Tag, n.Style = "!!str", yaml.DoubleQuotedStyle
	}
	for _, below := range n.Content {
		quoteMerges(below)
	}
}

// annotate writes what each setting means beside it, and inside of lists nothing:
// that is in the schema.
func annotate(n *yaml.Node, s *shape) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value, m := n.Content[i], n.Content[i+1], s.member(n.Content[i].Value)
		if m == nil || m.about == "" {
			continue
		}
		if value.Kind == yaml.ScalarNode {
			value.LineComment = m.about
			continue
		}
		key.HeadComment = m.about
		if m.kind == isObject {
			annotate(value, m)
		}
	}
}
