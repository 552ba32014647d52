package approvals

import (
	"regexp"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/effects"
)

// reader is somebody who has the request before them: its arguments by name, the facts in
// the grid, its digest, and how the page says what it does.
type reader struct {
	names  map[string][]string // values by label
	all    []string
	effect effects.Effect
	cannot bool
}

type answered struct {
	choice int
	typed  string
}

func readerOf(a Approval) reader {
	r := reader{names: map[string][]string{"digest": {a.ShownDigest}}, effect: a.Assessment.Effects[0], cannot: a.Assessment.Irreversible()}
	add := func(label, value string) {
		r.names[label] = append(r.names[label], value)
		r.all = append(r.all, value)
	}
	for _, f := range a.Assessment.Facts {
		add(f.Label, f.Value)
		add(string(f.Kind), f.Value)
	}
	action, err := a.Parsed()
	if err != nil {
		panic(err)
	}
	var walk func(name string, v canon.Value)
	walk = func(name string, v canon.Value) {
		for member, of := range v.Members() {
			walk(member, of)
		}
		switch v.Kind() {
		case canon.KindString:
			add(strings.ToLower(strings.ReplaceAll(name, "_", " ")), v.Text())
		case canon.KindNumber:
			add(strings.ToLower(strings.ReplaceAll(name, "_", " ")), string(v.Canonical()))
		}
	}
	walk("", action.Arguments())
	return r
}

var typedPart = regexp.MustCompile(`^Type the (first|last) four characters of the (.*)\.$`)

func (r reader) answer(q Question) (a answered, ok bool) {
	if q.Typed {
		part := typedPart.FindStringSubmatch(q.Prompt)
		if part == nil || len(r.names[part[2]]) == 0 {
			return a, false
		}
		v := r.names[part[2]][0]
		if part[1] == "first" {
			a.typed = v[:4]
		} else {
			a.typed = v[len(v)-4:]
		}
		return a, true
	}
	found := 0
	for i, o := range q.Options {
		if q.Kind == effectKind && r.says(o.Text) || q.Kind != effectKind && r.holds(o.Text) {
			a.choice = i
			found++
		}
	}
	return a, found == 1
}

func (r reader) holds(value string) bool {
	for _, v := range r.all {
		if v == value {
			return true
		}
	}
	return false
}

// says reports whether a sentence about the effect is true.
func (r reader) says(text string) bool {
	if strings.HasPrefix(text, "Nothing is ") || strings.HasPrefix(text, "Nobody ") {
		return false
	}
	undo, no := strings.Contains(text, "can undo it"), strings.Contains(text, "nothing can undo it")
	if undo && (r.effect.Reversible == nil || no != (r.cannot || !*r.effect.Reversible)) {
		return false
	}
	if _, rest, quoted := strings.Cut(text, "“"); quoted {
		value, _, _ := strings.Cut(rest, "”")
		if !r.holds(value) {
			return false
		}
	} else if first, _, _ := strings.Cut(text, " "); strings.Contains(text, "at stake") || strings.Trim(first, "0123456789") == "" {
		value, _, _ := strings.Cut(strings.Replace(text, " is at stake", " are", 1), " are")
		if !r.holds(value) && !r.holds(first) {
			return false
		}
		return true
	} else if _, sum, ok := strings.Cut(text, " comes to "); ok {
		value, _, _ := strings.Cut(sum, ", and")
		return r.holds(value)
	}
	several := strings.HasPrefix(text, "More than one") || strings.Contains(text, "and others with it")
	everything := strings.HasPrefix(text, "Every")
	switch r.effect.Breadth {
	case effects.Several:
		return several
	case effects.All:
		return everything
	}
	return !several && !everything
}
