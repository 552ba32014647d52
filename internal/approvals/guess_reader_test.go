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
	r := reader{names: map[string][]string{}, effect: a.Assessment.Effects[0], cannot: a.Assessment.Irreversible()}
	add := func(label, value string) {
		r.names[label] = append(r.names[label], value)
		r.all = append(r.all, value)
	}
	action, err := a.Parsed()
	if err != nil {
		panic(err)
	}
	var walk func(name string, v canon.Value)
	walk = func(name string, v canon.Value) {
		for member, of := range v.Members() {
			walk(member, of)
			if name != "" { // an id in a customer is the customer's
				walk(name+" "+member, of)
			}
		}
		for _, of := range v.Elements() {
			walk(name, of)
		}
		switch v.Kind() {
		case canon.KindString:
			add(spelled(name), v.Text())
		case canon.KindNumber:
			add(spelled(name), string(v.Canonical()))
		}
	}
	walk("", action.Arguments()) // what it says first, and what was read out of it then
	for _, f := range a.Assessment.Facts {
		add(f.Label, f.Value)
		add(regexp.MustCompile(" (id|ids|name|key|number)$").ReplaceAllString(spelled(f.Pointer[strings.LastIndexByte(f.Pointer, '/')+1:]), ""), f.Value)
		add(string(f.Kind), f.Value)
	}
	return r
}

var typedPart = regexp.MustCompile(`^Type the (?:(first|last) four characters of the (?:network )?|((?:first|last) word) of the |number of )?(.*)\.$`)

// spelled is the name of an argument as words.
func spelled(name string) string {
	return strings.ToLower(strings.ReplaceAll(humps.ReplaceAllString(name, "$1 $2"), "_", " "))
}

var humps = regexp.MustCompile(`([a-z])([A-Z])`)

func (r reader) answer(q Question) (a answered, ok bool) {
	if q.Typed {
		part := typedPart.FindStringSubmatch(strings.NewReplacer("value of “", "", "of “", "of the ", "”", "").Replace("T" + strings.ToLower(q.Prompt[1:])))
		if part == nil {
			return a, false
		}
		if len(r.names[part[3]]) == 0 { // a grace period in seconds
			part[3] = strings.Replace(part[3], " in ", " ", 1)
		}
		if len(r.names[part[3]]) == 0 {
			return a, false
		}
		a.typed = r.names[part[3]][0]
		switch words := strings.Fields(a.typed); part[2] {
		case "first word":
			a.typed = words[0]
		case "last word":
			a.typed = words[len(words)-1]
		}
		switch v := a.typed; part[1] {
		case "first":
			a.typed = v[:4]
		case "last":
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
		if end, ends := strings.CutPrefix(value, "…"); v == value || ends && strings.HasSuffix(v, end) {
			return true
		}
	}
	return false
}

// saidNumber is the sum that a sentence says, or the count.
var saidNumber = regexp.MustCompile(`^(?:([0-9][^“”]*?) changes hands|([0-9]+) [A-Za-z ]+ are (?:affected|returned))(?:, (?:for good|but not for good))?$`)

// says reports whether a sentence about the effect is true.
func (r reader) says(text string) bool {
	can, known := r.effect.Reversible != nil && *r.effect.Reversible && !r.cannot, r.effect.Reversible != nil
	switch text {
	case "Yes, it can":
		return can
	case "No, it can't":
		return known && !can
	}
	if strings.HasPrefix(text, "No ") || strings.HasPrefix(text, "Only in part") || strings.HasPrefix(text, "There is nothing") {
		return false
	}
	undo, isUndo := strings.HasSuffix(text, "but not for good"), strings.HasSuffix(text, "for good")
	if isUndo && (!known || undo != can) {
		return false
	}
	if sum := saidNumber.FindStringSubmatch(text); sum != nil {
		return r.holds(sum[1] + sum[2])
	}
	if _, rest, quoted := strings.Cut(text, "“"); quoted {
		value, behind, _ := strings.Cut(rest, "”")
		if !r.holds(value) {
			return false
		}
		if strings.HasPrefix(behind, " is ") && !strings.HasPrefix(text, "Only ") { // nothing is said of others
			return true
		}
	}
	several := strings.HasPrefix(text, "Several ") || strings.Contains(text, " and others ") || strings.HasPrefix(text, "Rows under")
	everything := strings.HasPrefix(text, "Every") || strings.HasPrefix(text, "All ")
	switch r.breadth(text) {
	case effects.Several:
		return several
	case effects.All:
		return everything
	}
	return !several && !everything
}

// breadth is how much happens: as many as the call says of what a sentence is about.
func (r reader) breadth(text string) effects.Breadth {
	for name, values := range r.names {
		if n := numeral(values[0]); n > 1 && r.effect.Breadth == effects.One && plural(name) && strings.Trim(values[0], "0123456789") == "" &&
			(strings.Contains(text, " "+name+" ") || strings.Contains(text, " "+singular(name)+" ")) {
			return effects.Several
		}
	}
	return r.effect.Breadth
}
