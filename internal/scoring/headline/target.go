package headline

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/edits"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
)

// TargetOf is the most specific value that a call has, which a person types at CRITICAL: a
// payment, a table, a file. Where it has no argument at all, it is the function's name and ok is
// false.
func TargetOf(in *call.Call, r Reading) (value string, ok bool) { return actOf(in, r).specific() }

func (a *act) specific() (value string, ok bool) {
	if all := edits.Read(a.in); len(all) > 0 {
		return slices.MinFunc(all, func(x, y edits.File) int { return cmp.Compare(losing[x.Does], losing[y.Does]) }).Path, true
	}
	if value, ok := a.touched(); ok {
		return value, true
	}
	if a.written == nil && a.target >= 0 && typable(a.arguments[a.target].Values[0]) {
		return text(a.arguments[a.target].Values[0]), true
	}
	for _, f := range a.Facts { // a command in another argument, or taken apart into a list
		if isName(f.Kind) && (f.Source == facts.FromShell || f.Source == facts.FromSQL) {
			return f.Value, true
		}
	}
	best := -1
	for i, arg := range a.arguments {
		if arg.Secret || !typable(arg.Values[0]) || slices.Contains([]Role{Amount, Count, Flag, Text, Manner}, arg.Role) || arg.Weight <= weightShown || a.written != nil && slices.Contains(a.written.of, i) {
			continue
		}
		if best < 0 || arg.Weight > a.arguments[best].Weight {
			best = i
		}
	}
	if best >= 0 {
		n := a.arguments[best].Values[0]
		for _, f := range a.Facts {
			if f.Kind == facts.Host && f.Pointer == n.Pointer && strings.Contains(n.Text(), "@") { // not what somebody signs in with
				return f.Value, true
			}
		}
		return text(n), true
	}
	for _, f := range a.Facts {
		if isName(f.Kind) {
			return f.Value, true
		}
	}
	return a.in.Function, false
}

// touched is what the command, statement or program acts on: of what stands where the level was
// made the best fact, else of the whole text.
func (a *act) touched() (string, bool) {
	w := a.written
	if w == nil {
		return "", false
	}
	// Of a grant it is who gets it.
	grants := a.kind() == effects.Permission && slices.ContainsFunc(a.Facts, func(f facts.Fact) bool { return f.Kind == facts.Recipient })
	for _, near := range []bool{true, false} {
		for _, f := range a.Facts {
			if grants && f.Kind != facts.Recipient || !isName(f.Kind) || f.Value == "" || f.Value[0] == '-' {
				continue
			}
			from, to, ok := w.place(f.Pointer, f.Start, f.End)
			if near && ok && w.end > 0 && from >= w.within && to <= w.until || !near && (ok || w.pieces[0].pointer == "" && strings.HasPrefix(f.Pointer, "/arguments")) {
				return f.Value, true
			}
		}
	}
	return "", false
}

// isName reports whether facts of a kind name a thing.
func isName(k facts.Kind) bool {
	return slices.Contains([]facts.Kind{facts.Target, facts.Recipient, facts.Table, facts.Path, facts.Host, facts.Branch}, k)
}

func text(n *call.Node) string { return strings.TrimSpace(n.Text() + n.Digits()) }

func typable(n *call.Node) bool {
	return (n.Kind() == canon.KindString || n.Kind() == canon.KindNumber) && text(n) != "" && text(n)[0] != '-' && !strings.Contains(n.Text(), "[REDACTED:")
}

// target is the argument that a call acts on, where one says so: that which its function is
// named after, who gets access, or what only names itself. It is -1 for none. sure says that the
// value needs no name beside it: nobody takes it for something else; guessed, that nothing says so, and it only looks
// like one.
func target(function []string, all []Argument, does effects.Kind) (best int, sure, guessed bool) {
	best, rank := -1, 0
	creates, making := making, len(function) > 0 && making[function[0]]
	object := "" // the last word of the function, where no argument is named after it
	if n := len(function); n > 2 && !slices.ContainsFunc(all, func(a Argument) bool { return slices.Contains(a.Words, singular(function[n-1])) }) {
		object = function[n-1]
	}
	setting := slices.ContainsFunc(function, func(w string) bool { return setting[w] })
	many := several(all)
	files := slices.ContainsFunc(function, func(w string) bool { return fileWords[singular(w)] })
	other, least := -1, 0 // what else may be it, where nothing says so
	for i, a := range all {
		one := a.Values[0]
		if positional := a.Name == "" || argv[strings.ToLower(a.Name)]; positional && rank < 70 {
			best, rank, sure = i, 70, true
			continue
		}
		if one.Kind() != canon.KindString && one.Kind() != canon.KindNumber || a.Secret || isProse(one) ||
			utf8.RuneCountInString(one.Text()) > longest && strings.Contains(one.Text(), " ") || len(a.Words) == 0 || strings.TrimSpace(one.Text()+one.Number()) == "" ||
			a.Weight <= weightShown || a.Own() || a.of > 0 || isVariable(one.Name) {
			continue
		}
		r, certain := 0, false
		s := stem(a.Words)
		last, final := singular(s[len(s)-1]), a.Words[len(a.Words)-1]
		named := slices.IndexFunc(function, func(w string) bool { return singular(w) == last })
		certainly := named >= 0 && (named == len(function)-1 || named == 0) && (!making || len(s) < len(a.Words) || named == 0)
		switch {
		case len(a.Values) > 1 && (named < 0 || a.Role == Given): // several of what the function is named after
		case many && a.Role == Recipient && strings.Contains(one.Text(), "@"): // everybody stands together
		case (does == effects.Permission || does == effects.Delete && persons[singular(object)]) && a.Role == Recipient && !setting:
			r, certain = 100, named >= 0
		case certainly && len(s) < len(a.Words): // role_name of create_role
			r, certain = 90, true
		case object != "" && !making && len(a.Words) == 1 && keys[final] && a.Role == Value: // key of delete_project_variable
			r, certain = 89, final == "id" || final == "name"
		case does == effects.Message && final == "username": // under which name it's sent
		case a.Role == Recipient && (does == effects.Money || does == effects.Message) && named < 0:
			r = 66
		case title[final] && (does == effects.Money || does == effects.Message):
		case a.Role == Given || a.Role == Amount || a.Role == Count || a.Role == Text:
		case a.Role == Target:
			r = 65
			if does == effects.Money {
				r = 95
			}
		case tables[last] && one.Kind() == canon.KindString:
			r, certain = 63, named >= 0
		case named >= 0 && !certainly && slices.ContainsFunc(function[named:], func(w string) bool { return creates[w] }): // calendar_id of calendar_create_event
			r = 55
		case named >= 0:
			r, certain = 80+min(named, 8), certainly
		case len(a.Words) == 1 && final == "id":
			r, certain = 64, !making
		case final == "path" || final == "file" || final == "filename":
			r, certain = 62, files && len(a.Words) <= 2
		case len(a.Words) == 1 && (final == "name" || final == "title"):
			r, certain = 61, true
		case len(a.Words) == 1 && generic[final]:
			r = 60
		case naming[final] && a.Role == Value && !machineMade(one.Text()+one.Number()):
			r = 50 + len(a.Words) - len(s)
		}
		if opaque(one.Text()) && does != effects.Delete && slices.ContainsFunc(all, func(b Argument) bool {
			return b.Name == "name" && b.Weight > weightShown && strings.Contains(b.Values[0].Text(), ".")
		}) {
			r = min(r, 60) // login.example.com, and not the id of its record
		}
		deep := 20 * strings.Count(a.Name, ".")
		if r -= deep; r > rank && (r >= 40 || !making) && (r >= 60 || !opaque(one.Text()) && does != effects.Money) {
			best, rank, sure = i, r, certain
		}
		if r = a.spare(last) - deep - 2*len(s); r > least && len(a.Values) == 1 {
			other, least = i, r
		}
	}
	if best < 0 && does != effects.Message && !(many && does == effects.Money) {
		best, guessed = other, true
	}
	return called(all, best), sure, guessed
}

// spare is how much a value looks like what a call acts on, where its function isn't named after it: a name, rather
// than a place, rather than a person.
func (a Argument) spare(last string) int {
	text := a.Values[0].Text()
	switch {
	case text == "" || strings.Contains(a.label, ".") || kinds[last] || asides[last] || executed[last] || no[strings.ToLower(text)] || when[strings.ToLower(text)] || isDate(text) || isURL(text) || strings.Contains(text, "\n") || measures[last]:
		return 0
	case containers[last]:
		return 60
	case a.Role == Value && len(a.Words) > 1 && naming[a.Words[len(a.Words)-1]]:
		return 55
	case a.Role == Value && a.Weight > Cheap:
		return 50
	case a.Role == Where && !outermost[last]:
		return 45
	case a.Role == Where, a.Role == Recipient, a.Role == Value:
		return 40
	}
	return 0
}

// isVariable reports whether a name is that of a variable of an environment.
func isVariable(name string) bool {
	return name == strings.ToUpper(name) && strings.Contains(name, "_")
}

// called is the argument by which people call the target, where it is an identifier that a machine made and
// beside it stands its name: policyName beside policyId.
func called(all []Argument, target int) int {
	if target < 0 || len(all[target].Words) == 0 {
		return target
	}
	t := all[target]
	machine := machineMade(t.Values[0].Text()+t.Values[0].Number()) || opaque(t.Values[0].Text())
	beside := func(a Argument) bool {
		within := func(name string) string { return name[:strings.LastIndexByte(name, '.')+1] }
		return len(a.Words) > 0 && titles[a.Words[len(a.Words)-1]] && (within(a.Name) == within(t.Name) || machine && a.of < 2 && strings.Count(a.Name, ".") == 1) && len(a.Values) == 1 && a.Values[0].Text() != "" &&
			(len(t.Words) > 1 && slices.Equal(stem(a.Words), stem(t.Words)) || machine && (len(a.Words) == 1 || len(t.Words) == 1 || a.Words[0] == "display"))
	}
	if i := slices.IndexFunc(all, beside); i >= 0 {
		return i
	}
	return target
}
