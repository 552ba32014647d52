package facts

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
)

// deed is what an action does, in words of ours, and what to.
type deed struct {
	effect effects.Effect // the one that decides
	verb   string         // "Delete", "Refund"; "Run" where it is not known
	object string         // "user"; "" where nothing says
	text   bool           // read from what is executed, not from the function's name
	target Fact
	// specific says that target names a thing; else it is the function.
	specific bool
	// named says that target is what the object is named after, and within is what that is
	// in, where an argument says so.
	named  bool
	within *Fact
	joint  string // before it, where the function's name says which: "to", "from"
	brief  bool   // nothing that only distinguishes it is said
	grant  string // who gets or loses which role, which says it all
	// items says that it is about what is in the target, to that what is paid goes there, and
	// manifests how many the target is the first of.
	items, to bool
	manifests int
	bound     string // who gets which role by the manifest
}

// deedOf is that of an action with these facts and effects, the worst first.
func deedOf(in *call.Call, facts []Fact, all []effects.Effect) deed {
	e := leading(in, all[0])
	d := deed{effect: e, verb: title(e.Verb), object: e.Object}
	why := ""
	if len(e.Evidence) > 0 {
		why = e.Evidence[0].Why
		d.text = !slices.Contains([]string{"/function", "/docstring"}, e.Evidence[0].Pointer) && !strings.HasPrefix(e.Evidence[0].Pointer, "/hints") && !strings.HasPrefix(why, "a container ")
	}
	d.target, d.specific = Salient(in, withoutPairs(in, facts))
	if e.Kind == effects.Read && d.target.Kind == Recipient && (d.target.Label == "recipient" || d.target.Source == FromShape) {
		d.target, d.specific = Salient(in, nil) // {from: now-4h, to: now}, or what is searched for
	}
	if d.text {
		reason := e.Evidence[0].Why
		named := func(f Fact) bool {
			return f.Kind == Path && len(f.Value) > 1 && strings.Contains(reason, f.Value) && (d.fits() == nil || d.fits()(f))
		}
		if f, ok := inEvidence(facts, e.Evidence[0], named); ok && named(f) {
			d.target, d.specific = f, true
		} else if f, ok := inEvidence(facts, e.Evidence[0], d.fits()); ok {
			d.target, d.specific = f, true
		}
	}
	if d.text && d.target.Source != FromSQL { // a value in a statement is not what it acts on
		if i := slices.IndexFunc(facts, func(f Fact) bool {
			return f.Kind == Table && f.Source == FromSQL && f.Place().Pointer == d.target.Place().Pointer
		}); i >= 0 {
			d.target, d.specific = facts[i], true
		}
	}
	if d.text && d.target.Source == FromSQL && d.target.Kind == Table && slices.Contains([]string{"access", "amount", "payment"}, d.object) {
		// Which rows and to what says more than that it is about access.
		if s, ok := d.statement(in); ok && (s.Tokens[s.At].Word() == "UPDATE" || s.Tokens[s.At].Word() == "INSERT") {
			d.verb, d.object = title(strings.ToLower(s.Tokens[s.At].Word())), "rows"
		}
	}
	unsaid := false // what is made has a name that is no word of ours
	if d.text && strings.HasPrefix(why, "the method is ") {
		best := 1 << 10
		for _, f := range facts {
			rank := slices.Index([]string{"url", "uri", "endpoint", "host"}, strings.ToLower(lastName(f.Pointer)))
			if rank < 0 {
				rank = 4
			}
			if rank += 8 * strings.Count(f.Pointer, "/"); f.Kind == Host && f.Source == FromKey && rank < best { // {url, a: {url}}
				best, d.target, d.specific = rank, f, true
			}
		}
	}
	switch {
	case strings.HasPrefix(why, "git push :"), strings.HasPrefix(why, "git push --delete "), strings.HasPrefix(why, "git push -d "):
		d.verb, d.object = "Delete", "branch"
	case d.verb == "Delete" && d.object == "process":
		d.verb = "End"
	case d.text && d.specific && d.target.Source == FromKey && d.target.Value == e.Verb:
		d.afterVerb(in)
	}
	if thing, _, ok := strings.Cut(d.target.Label, ":"); ok {
		d.target.Label = singularOf(thing) // heroku apps:destroy
	}
	if d.verb == "Log in" && d.specific && d.target.Kind == Target {
		d.verb = "Change" // on another machine
	}
	if !d.text {
		d.object = plainEnd(d.object)
	}
	if !d.text && !effects.PlainWords(d.object) {
		unsaid, d.object = e.Verb == "create" || e.Verb == "add" || e.Verb == "insert" || e.Verb == "append", ""
	}
	switch {
	case e.Kind == effects.Unknown, unsaid && d.specific, e.Kind == effects.Execute && !d.text, !d.text && !isIdentifier(in.Function), !d.text && isLate(in.Function, e):
		d.verb, d.object = "Run", functionNamed(in.Function)
		if in.Function == "" {
			d.object = "code"
		}
	case e.Kind == effects.Execute:
		d.verb = "Run"
		if d.object == "" {
			d.object = "code"
		}
	case d.verb == "":
		d.verb = title(map[effects.Kind]string{
			effects.Read: "read", effects.Write: "change", effects.Delete: "delete", effects.Money: "pay", effects.Message: "send", effects.Permission: "change access to",
		}[e.Kind])
	}
	if all := call.Words(in.Function); !d.text && len(all) > 1 && (all[0] == "return" || all[0] == "exchange") && effects.PlainWords(all[len(all)-1]) {
		d.verb, d.object = title(all[0]), all[len(all)-1] // return_delivered_order_items orders nothing
	}
	if d.verb != "Run" && (!d.text || strings.HasPrefix(why, "a manifest of ") || strings.HasPrefix(why, "the argument ") || d.verb == "Discard" && d.target.Source != FromShell) && !strings.HasPrefix(why, "the argument method ") {
		d.find(in, facts)
	} else if d.executes() {
		if d.elsewhere() && !runsElsewhere(in.Function) {
			d.specific = false // no shell takes it
		}
		if (d.target.Source == FromKey || !d.specific) && runsElsewhere(in.Function) {
			if f, ok := runsIn(in); ok {
				d.target, d.specific = f, true
			}
		}
		d.place(in, facts)
	}
	if thing, ok := strings.CutSuffix(d.object, " action"); ok && d.specific && d.target.Label == thing {
		d.object = thing // device_action {action: authorize}
	}
	if !d.text && slices.Contains([]string{"by " + d.object}, byWhat(in.Function)) {
		d.object, d.items = "", d.target.Kind == Table // delete_by_query deletes no query
	}
	if d.executes() && (d.verb == "Compute" || d.object == "Azure" || d.object == "Google Cloud") {
		if verb := verbOf(d.argv(in)); verb != "" {
			d.verb = title(verb)
		}
	}
	if all := call.Words(in.Function); !d.text && len(all) == 2 && d.object == all[0] && making[all[0]] {
		d.verb, d.object = title(all[0]), all[1] // post_silence
	}
	if d.object == "id" || d.object == "ids" {
		d.object = ""
	}
	if thing, ok := strings.CutPrefix(d.object, "place "); ok && d.verb == "Order" {
		d.verb, d.object = "Place", thing+" order" // place_stock_order
	}
	d.grants(in, facts)
	if d.target.Source == FromKey && !d.named && keyKinds[d.target.Label] == "" && !receiving[d.target.Label] && (!effects.PlainWords(d.target.Label) || asides[d.target.Label]) {
		d.target.Label = "target" // the word is the agent's
	}
	return d
}

// withoutPairs are the facts without the names of pairs, which are no things: {"name":
// "alertname", "value": …}.
func withoutPairs(in *call.Call, facts []Fact) []Fact {
	return slices.DeleteFunc(slices.Clone(facts), func(f Fact) bool {
		if f.Source != FromKey || strings.Count(f.Pointer, "/") < 3 {
			return false
		}
		n := nodeAt(in.Tree(), f.Pointer[:strings.LastIndexByte(f.Pointer, '/')])
		if n == nil {
			return false
		}
		_, value := pair(n)
		return value != nil
	})
}

// byWhat is "by" and the word behind it in a function's name.
func byWhat(function string) string {
	all := call.Words(function)
	if at := slices.Index(all, "by"); at >= 0 && at+1 < len(all) {
		return "by " + all[at+1]
	}
	return ""
}

// plainEnd is what an object ends with in words of ours: of "azmcp keyvault secret" it is
// "secret". An object that has none at its end stays as it is.
func plainEnd(object string) string {
	for rest := object; rest != ""; {
		if effects.PlainWords(rest) {
			return rest
		}
		_, rest, _ = strings.Cut(rest, " ")
	}
	return object
}

// afterVerb says what a command is about whose words are a list: ["delete", "namespace", "prod"].
func (d *deed) afterVerb(in *call.Call) {
	list := d.target.Pointer[:strings.LastIndexByte(d.target.Pointer, '/')+1]
	var rest []Fact
	for leaf := range in.Tree().Leaves() {
		if value := leaf.Text(); strings.HasPrefix(leaf.Pointer, list) && leaf.Pointer > d.target.Pointer && nameable(leaf) && !strings.HasPrefix(value, "-") {
			rest = append(rest, Fact{Kind: Target, Value: value, Label: "target", Pointer: leaf.Pointer, End: len(value), Source: FromKey})
		}
	}
	switch {
	case len(rest) == 0:
		d.specific = false
	case len(rest) > 1 && effects.PlainWords(rest[0].Value) && isIdentifier(rest[0].Value):
		d.object, d.target = rest[0].Value, rest[1]
	default:
		d.target = rest[0]
	}
}

// isLate reports whether the verb that was found stands deep inside of a long name, which is
// then told whole: "reconcile_the_ledger_of_march_and_write_it_back" is no "write".
func isLate(function string, e effects.Effect) bool {
	if len(e.Evidence) == 0 || e.Evidence[0].Pointer != "/function" {
		return false
	}
	at := e.Evidence[0].Start
	return at > 0 && at <= len(function) && len(call.Words(function)) > 6 && len(call.Words(function[:at])) > 2
}

func title(verb string) string {
	if verb == "" {
		return ""
	}
	return strings.ToUpper(verb[:1]) + verb[1:]
}

// fits says which facts can be what the object is, where it says that: rows are of a table
// of the statement, files are paths (docker exec db rm /srv/x).
func (d deed) fits() func(Fact) bool {
	switch {
	case slices.Contains([]string{"rows", "row", "table", "column"}, d.object):
		return func(f Fact) bool { return f.Source == FromSQL }
	case isFileWord(d.object):
		return func(f Fact) bool { return f.Kind == Path }
	}
	return nil
}

// inEvidence is the best fact that stands in what an effect was read from: in the very
// statement or command, else in the same text.
func inEvidence(facts []Fact, e effects.Evidence, fits func(Fact) bool) (Fact, bool) {
	near := func(inside bool) (Fact, bool) {
		for _, f := range facts {
			if fits != nil && !fits(f) {
				continue
			}
			if at := f.Place(); f.Kind.salient() && (at.Pointer == e.Pointer || !inside && strings.HasPrefix(at.Pointer, e.Pointer+"/")) && (!inside || e.End > e.Start && at.Start >= e.Start && at.End <= e.End) {
				return f, true
			}
		}
		return Fact{}, false
	}
	if f, ok := near(true); ok {
		return f, true
	}
	if f, ok := near(false); ok || fits == nil {
		return f, ok
	}
	return inEvidence(facts, e, nil)
}

// ofRows reports whether rows of a table are acted on.
func (d deed) ofRows() bool {
	return d.text && d.target.Kind == Table && (d.object == "rows" || d.object == "row")
}

// what is what follows the verb: object and target.
func (d deed) what(facts []Fact) string {
	value := quoted(d.target.Value)
	switch {
	case d.ofRows() && d.specific && d.effect.Breadth == effects.All:
		return " every row of " + value
	case d.ofRows() && d.specific && d.verb == "Update":
		return " " + value
	case d.ofRows() && d.specific && d.verb == "Insert":
		return " rows into " + value
	case d.ofRows() && d.specific:
		return " rows of " + value
	case d.specific && d.elsewhere():
		return " " + strings.TrimSpace(d.noun()+" in "+cased(shown(d.target.Label))+" "+value)
	case d.verb == "Run" && d.specific:
		return " " + d.noun() + " on " + value
	case d.effect.Kind == effects.Money && d.sum(facts) != "" && d.object != "" && (making[strings.ToLower(d.verb)] || slices.Contains([]string{"Update", "Schedule", "Submit", "Initiate", "Request", "Place"}, d.verb)):
		said := " " + d.noun() + " of " + d.sum(facts)
		if d.specific {
			said += payee(d.target) + value
		}
		return said
	case d.effect.Kind == effects.Money && d.sum(facts) != "" && d.specific:
		return " " + d.sum(facts) + payee(d.target) + value
	case d.effect.Kind == effects.Money && d.sum(facts) != "":
		return " " + d.sum(facts)
	case d.specific && d.text && d.target.Source == FromShell && d.target.Kind == Branch && strings.HasSuffix(d.verb, "ush"):
		return " to " + value
	case d.specific && d.text && d.target.Label == "all of a kind":
		return " all " + value
	case d.specific && d.text && d.target.Label == "bucket" && strings.Contains(strings.TrimPrefix(value, "s3://"), "/"):
		return " " + value // a folder in it
	case d.specific && d.text && strings.HasPrefix(d.effect.Evidence[0].Why, "find deletes "):
		return " files in " + value
	case d.specific && d.text && d.object == "file access":
		return " file access of " + value
	case d.specific && d.text && d.target.Source == FromShell && (d.target.Kind == Target || d.target.Kind == Branch) && !slices.Contains([]string{"", "target", "program", "all of a kind"}, d.target.Label):
		if label, ok := map[string]string{"pr": "pull request", "mr": "merge request"}[d.target.Label]; ok {
			return " " + label + " " + value
		}
		if !effects.PlainWords(strings.ReplaceAll(d.target.Label, "-", " ")) && kinds[d.target.Label] == "" {
			return " " + value // the word is the agent's
		}
		return " " + d.target.Label + " " + value
	case d.specific && d.text && d.target.Kind == Host:
		return " on " + value
	case d.specific && d.text && (d.object == "" || isFileWord(d.object) && d.target.Kind == Path):
		return " " + value
	case d.verb == "Invite" && d.specific && d.target.Kind == Recipient:
		return " " + value
	case d.items:
		before := " in "
		switch {
		case d.effect.Kind == effects.Delete:
			before = " from "
		case d.verb == "Insert":
			before = " into "
		}
		return before + cased(shown(d.target.Label)) + " " + value
	case d.named && callers[d.target.Label] && people[singularOf(lastOf(d.object))]:
		return " " + d.noun() + " " + value
	case d.effect.Kind == effects.Message && d.specific && d.target.Label == "channel" && d.object != "" && d.verb != "Invite":
		if strings.HasPrefix(value, "#") {
			return " " + d.noun() + " to " + value
		}
		return " " + d.noun() + " to channel " + value
	case d.named && making[strings.ToLower(d.verb)] && titled(d.target) && d.object != "":
		return " " + d.noun() + " " + inQuotes(d.target.Value, maxShown, false)
	case d.named && (d.target.Label == "target" || d.target.Label == d.object || singularOf(lastOf(d.target.Label)) == singularOf(lastOf(d.object)) || d.target.Kind == Path):
		return " " + strings.TrimSpace(d.noun()+" "+value)
	case d.named && d.object != "":
		return " " + d.noun() + " for " + cased(shown(d.target.Label)) + " " + value
	case d.to && d.object != "":
		return " " + d.noun() + " to " + value
	case d.specific && d.object == "":
		return d.jointTo(d.object, d.target) + value
	case d.specific && d.target.Kind == Recipient && d.effect.Kind == effects.Write && lastOf(d.object) != d.target.Label:
		return " " + d.noun() + " for " + value
	case d.specific:
		return " " + d.noun() + d.jointTo(d.object, d.target) + value
	case d.effect.Breadth == effects.All && d.effect.Kind != effects.Read && d.verb != "Run" && d.object != "" && !strings.HasPrefix(d.object, "all "):
		if d.text && wholes[lastOf(d.object)] {
			return " the whole " + d.noun()
		}
		return " all " + plural(d.noun())
	case d.object != "":
		return " " + d.noun()
	}
	return ""
}

// noun is the object as people write it.
func (d deed) noun() string { return cased(d.object) }

// capitals are words that people write in capitals.
var capitals = words("iam dns db sms api url sql vm ip mfa ssh tls ssl vpc vpn acl ci cdn sso kv json csv pdf html http id jwt ttl cpu gpu rds ec2 s3 sns sqs kms iot ai")

func cased(noun string) string {
	all := strings.Fields(noun)
	for i, w := range all {
		if capitals[w] {
			all[i] = strings.ToUpper(w)
		}
	}
	return strings.Join(all, " ")
}

// isFileWord reports whether an object says no more than that a path is one.
func isFileWord(object string) bool {
	return slices.Contains([]string{"file", "files", "folder", "folders", "directory", "path", "paths", "disk"}, object)
}

// sum is how much is paid.
func (d deed) sum(facts []Fact) string {
	if p := payment(facts); p != "" {
		return p
	}
	a := d.effect.Amount
	if a == nil {
		return ""
	}
	if a.Currency != "" && isOneWord(a.Currency) {
		return a.String()
	}
	for _, f := range facts { // as the call has it: it may be in cents
		if f.Kind == Amount && f.Label != "quantity" && f.Label != "limit" && isNumber(f.Value) {
			return f.Value
		}
	}
	return ""
}

// wholes are things of which a command acts on all that is in the one that it names.
var wholes = words("repository application schema disk storage machine account zone volume")

// plural is a noun for several, where it has one.
func plural(noun string) string {
	switch last := noun[max(len(noun)-2, 0):]; {
	case withArticle(noun) == noun:
		return noun
	case strings.HasSuffix(noun, "y") && !strings.ContainsAny(last[:1], "aeiou"):
		return noun[:len(noun)-1] + "ies"
	case last == "ch" || last == "sh" || strings.HasSuffix(noun, "x") || strings.HasSuffix(noun, "s"):
		return noun + "es"
	}
	return noun + "s"
}

func lastOf(text string) string { return text[strings.LastIndexByte(text, ' ')+1:] }

// more is what tells the act from others: how far it goes, which rows, and to what.
func (d deed) more(in *call.Call, facts []Fact) string {
	said := ""
	switch {
	case d.text && d.effect.Kind == effects.Delete && (d.target.Kind == Path || d.target.Label == "bucket") && (flagged(facts, "recursive") || d.wholeFolder()):
		said = " recursively"
	case d.ofRows() && d.effect.Breadth != effects.All, d.effect.Kind == effects.Read && d.target.Source == FromSQL:
		return d.inside() + d.rows(in) + d.others(in, facts)
	case !d.specific && !d.text && d.verb != "Run":
		said = d.telling(in)
	}
	return said + d.others(in, facts) + d.inside() + d.sets(in, facts) + d.rest(in) + d.boundBy()
}

func (d deed) boundBy() string {
	if d.brief {
		return ""
	}
	return d.bound
}

// wholeFolder reports whether a program deletes a folder with all in it (shutil.rmtree).
func (d deed) wholeFolder() bool {
	return d.object == "folder" && d.effect.Breadth == effects.All
}
