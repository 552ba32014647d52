package request

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/fivefactor"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/scan"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// What the approver reads: a pure function of the stored bytes. Everything of
// the act is on the page, once as a table and once as the JSON that the digest
// covers; nothing is cut.

// cardOf is the content of a request.
func cardOf(say texts.Printer, v approvals.Review, who Reader) *review.Card {
	values := untrusted.NewRenderer(say, v.Action, marksOf(say, v))
	d, last := differenceOf(v)
	c := &review.Card{Claims: claimsOf(say, v), Provenance: provenanceOf(say, v)}
	section := sectionShown(v, who.Section)
	c.Parts = partsOf(say, v, section, who.Locked)
	layOut(c, v, section, values, d, last)
	c.Effects = effectsOf(say, v, values.Places())
	c.Held = heldOf(say, v, values.Places())
	if section == 1 { // of a large act they are as large, and once is enough
		c.Comparisons = comparisonsOf(say, v)
	}
	return c
}

// compare says how a value differs from the last approved call.
func compare(say texts.Printer, row *review.ArgumentRow, change facts.ValueChange) {
	switch {
	case change.How == facts.Added:
		row.Differs, row.WasNote = true, say.Say("New")
	case change.How == facts.Same && strings.Contains(change.Now.Text, "[REDACTED:"):
		row.WasNote = say.Say("masked, so not compared")
	case change.How == facts.Same:
		row.WasNote = say.Say("the same")
	case change.Was.Text == "":
		row.Differs, row.WasNote = true, say.Say("empty")
	default:
		row.Differs, row.Was = true, untrusted.Runs(change.Was.Text)
	}
}

// goneRow is a value of the last approved call that this call has not.
func goneRow(say texts.Printer, last scoring.Action, l facts.Leaf) review.ArgumentRow {
	row := review.ArgumentRow{Name: untrusted.NameOf(last.Arguments(), l.Pointer), Whole: l.Pointer == untrusted.ArgumentsRoot, Type: say.Say("absent"), Differs: true, Was: untrusted.Runs(l.Text)}
	if l.Text == "" {
		row.WasNote = say.Say("empty")
	}
	return row
}

// codeDifference says how the code differs from that of the last approved call.
func codeDifference(say texts.Printer, how facts.How) string {
	switch how {
	case facts.Same:
		return say.Say("same as the last similar call")
	case facts.Added:
		return say.Say("New")
	}
	return say.Say("changed since the last similar call")
}

func difference(say texts.Printer, n int) string {
	if n == 0 {
		return say.Say("same as the last similar call")
	}
	return say.Say("%d changes since the last similar call", n)
}

// differenceOf compares an action with the last approved call of the same agent
// and function; nil where there is none.
func differenceOf(v approvals.Review) (d *facts.Difference, last scoring.Action) {
	if v.LastApproved == nil {
		return nil, last
	}
	last, err := v.LastApproved.Parsed()
	if err != nil { // an edited row; audit verify says so
		return nil, last
	}
	found := v.Action.Difference(last)
	return &found, last
}

// Pretty is canonical JSON with line breaks: white space outside of strings is
// all that is added, so without it the text is the canonical bytes.
func Pretty(v canon.Value) string {
	var out []byte
	var write func(v canon.Value, indent int)
	line := func(indent int) {
		out = append(out, '\n')
		for range indent {
			out = append(out, ' ', ' ')
		}
	}
	write = func(v canon.Value, indent int) {
		if v.Len() == 0 {
			out = v.AppendCanonical(out)
			return
		}
		open, end := byte('{'), byte('}')
		if v.Kind() == canon.KindArray {
			open, end = '[', ']'
		}
		sep := open
		for _, e := range v.Elements() {
			out = append(out, sep)
			line(indent + 1)
			write(e, indent+1)
			sep = ','
		}
		for name, m := range v.Members() {
			out = append(out, sep)
			line(indent + 1)
			out = canon.String(name).AppendCanonical(out)
			out = append(out, ':', ' ')
			write(m, indent+1)
			sep = ','
		}
		line(indent)
		out = append(out, end)
	}
	if v.IsAbsent() {
		return ""
	}
	write(v, 0)
	return string(out)
}

// marksOf gathers what the models matched. While the score is sealed, so is what
// the factors saw.
func marksOf(say texts.Printer, v approvals.Review) untrusted.Marks {
	m := untrusted.Marks{}
	for _, p := range v.Assessment.Patterns.MatchedPatterns {
		m.Add(p.Evidence(), patternWhy(say, p.ID, p.Why))
	}
	if v.Assessment.Rules.Level > level.Safe { // a mark is a risk
		for _, e := range v.Assessment.Rules.Evidence {
			m.Add(e, ruleWhy(say, e))
		}
	}
	for _, effect := range v.Assessment.Effects {
		for _, e := range effect.Evidence {
			m.Add(scan.Evidence{Places: []scan.Place{e.Place()}}, effectWhy(say, effect.Kind, e.Why))
		}
	}
	if v.Sealed {
		return m
	}
	for _, f := range v.Assessment.FiveFactor.Factors {
		for _, e := range f.Evidence {
			m.Add(e, say.Key(factorNames[f.Name])+": "+cmp.Or(present.BuiltIn(say, e.Why), e.Pattern))
		}
	}
	return m
}

// The words of a mark.
func patternWhy(say texts.Printer, id, why string) string {
	return say.Say("pattern %s: %s", id, present.BuiltIn(say, why))
}

func ruleWhy(say texts.Printer, e scan.Evidence) string {
	return say.Say("rule %s: %s", e.Pattern, present.BuiltIn(say, e.Why))
}

var factorNames = map[string]texts.Key{
	"function_name": texts.Key("Function name"), "arguments": texts.Key("Arguments"), "docstring": texts.Key("Docstring"), "hints": texts.Key("Hints"), "novelty": texts.Key("Novelty"),
}

// thousandths of a score, cut and not rounded: what is under a threshold is shown under
// it. A score has six decimals; half of the last one makes up for binary fractions.
func thousandths(f float64) int { return int(f*1000 + 0.0005) }

// heldOf says why the action was held. marked are the places on this page where the
// reasons are marked first.
func heldOf(say texts.Printer, v approvals.Review, marked map[string]int) review.Held {
	as := v.Assessment
	h := review.Held{Title: heldTitle(say, v), Why: whyHeld(say, v)}
	if v.Sealed {
		h.Sealed = say.Say("You'll see it once you've answered, so it doesn't decide for you.")
	} else {
		h.Bar, h.Summary, h.Open = barOf(say, v), Score(as.Score), v.Assessment.Cause().Kind == scoring.CauseScore
		if as.Patterns.LifecyclePoint == scoring.PreToolCall {
			for _, f := range as.FiveFactor.Factors {
				h.Factors = append(h.Factors, factorOf(say, f))
			}
		} else {
			h.Items = append(h.Items, review.HeldItem{Icon: views.IconPattern, Kind: say.Say("Judged by"), Text: untrusted.Runs(say.Say("The pattern model alone: %d of 100. The other models only score calls.", as.Patterns.NumericScore))})
		}
		h.Factors = compared(append(h.Factors, scorerFactors(say, as.Scorers)...))
		h.Patterns = present.PatternModelOf(say, as.Patterns, nil)
	}
	if item, ok := floorItem(say, v); ok {
		h.Items = append(h.Items, item)
	}
	if item, ok := trustItem(say, v); ok {
		h.Items = append(h.Items, item)
	}
	for _, p := range as.Patterns.MatchedPatterns {
		why := whyRuns(say, p.Why, p.Places)
		if slices.Contains(as.Remarks, p.ID) {
			why = append(why, untrusted.Runs(". "+say.Say("Asked to confirm and didn't raise the level: of shipped patterns, only those from high severity on raise a read."))...)
		}
		h.Items = append(h.Items, review.HeldItem{
			Icon: views.IconPattern, Kind: say.Say("Pattern"), Name: p.ID, Text: why,
			Tag: present.SeverityWord(say, p.Severity) + ", " + present.ActionWord(say, p.Action), Place: marked[patternWhy(say, p.ID, p.Why)],
		})
	}
	for i, name := range as.Rules.TriggeredRules {
		item := review.HeldItem{Icon: views.IconRule, Kind: say.Say("Rule"), Name: name}
		if i < len(as.Rules.Reasons) {
			e := evidenceOf(as.Rules.Evidence, name)
			item.Text, item.Place = whyRuns(say, as.Rules.Reasons[i], e.Places), marked[ruleWhy(say, e)]
		}
		h.Items = append(h.Items, item)
	}
	h.Items = append(h.Items, present.RuleItems(say, v)...)
	return h
}

// whyHeld is what decided, in one line: the workspace, an earlier decision, a rule, a pattern, the
// effect, or the score, which is hidden until its questions are answered.
func whyHeld(say texts.Printer, v approvals.Review) []views.Run {
	as := v.Assessment
	switch cause := v.Assessment.Cause(); cause.Kind {
	case scoring.CauseRule:
		if at := slices.Index(as.Rules.TriggeredRules, cause.Name); at >= 0 && at < len(as.Rules.Reasons) {
			return untrusted.InEnglish(untrusted.Runs(say.Say("Rule %s: %s.", cause.Name, present.BuiltIn(say, as.Rules.Reasons[at]))))
		}
	case scoring.CausePattern:
		if at := slices.IndexFunc(as.Patterns.MatchedPatterns, func(m patterns.Match) bool { return m.ID == cause.Name }); at >= 0 {
			return untrusted.InEnglish(untrusted.Runs(say.Say("Pattern %s: %s.", cause.Name, present.BuiltIn(say, as.Patterns.MatchedPatterns[at].Why))))
		}
	case scoring.CauseEffect, scoring.CauseEntry:
		return untrusted.InEnglish(untrusted.Runs(present.Sentence(as.Floor.Because) + "."))
	case scoring.CauseScore:
		if v.Sealed {
			return untrusted.Runs(say.Say("The score reached %s.", present.LevelWord(say, as.Level)))
		}
	default:
	}
	return untrusted.InEnglish(untrusted.Runs(as.Explanation))
}

// heldTitle says what became of it: nothing that was let through or blocked was held.
func heldTitle(say texts.Printer, v approvals.Review) string {
	if d := v.Decision; d != nil && len(d.DecidedBy) > 0 && d.DecidedBy[0].Kind == approvals.ByPolicy {
		switch v.Status {
		case approvals.Approved:
			return say.Say("Why it was approved")
		case approvals.Blocked:
			return say.Say("Why it was blocked")
		}
	}
	return say.Say("Why it was held")
}

func evidenceOf(all []scan.Evidence, pattern string) (e scan.Evidence) {
	if i := slices.IndexFunc(all, func(e scan.Evidence) bool { return e.Pattern == pattern }); i >= 0 {
		e = all[i]
	}
	return e
}

// maxPlaces is how many places one reason lists; the rest are counted, and all of
// them are marked where they stand.
const maxPlaces = 3

// whyRuns is a reason and where. A place can hold names that the agent chose.
func whyRuns(say texts.Printer, why string, places []scan.Place) []views.Run {
	var b strings.Builder
	b.WriteString(present.BuiltIn(say, why))
	for i, p := range places {
		if i == maxPlaces {
			b.WriteString(" " + say.Say("and %d more places", len(places)-maxPlaces))
			break
		}
		b.WriteString(map[bool]string{true: "; ", false: ", "}[i == 0 && why != ""])
		b.WriteString(say.Say("in %s, bytes %s to %s", p.Pointer, strconv.Itoa(p.Start), strconv.Itoa(p.End)))
	}
	return untrusted.Runs(b.String())
}

// compared draws each bar against the largest contribution.
func compared(factors []review.Factor) []review.Factor {
	most := 0
	for _, f := range factors {
		most = max(most, f.Thousandths)
	}
	for i := range factors {
		factors[i].Most = most
	}
	return factors
}

func factorOf(say texts.Printer, f fivefactor.Factor) review.Factor {
	var why []string
	for _, e := range f.Evidence {
		if text := cmp.Or(e.Why, e.Pattern); !slices.Contains(why, text) && len(why) < 4 {
			why = append(why, text)
		}
	}
	sum := product(f.Score, f.Weight, f.Contribution)
	if class := say.Key(wordClasses[wordClass(f)]); class != "" {
		sum = class + " " + sum
	}
	return review.Factor{
		Name: cmp.Or(say.Key(factorNames[f.Name]), f.Name), Thousandths: thousandths(f.Contribution),
		Contribution: sum, Why: untrusted.InEnglish(untrusted.Runs(strings.Join(why, "; "))),
	}
}

// product is how a part of a score comes about: "0.95 × 0.30 = 0.285".
func product(part, weight, contribution float64) string {
	short := func(f float64) string { return strings.TrimSuffix(Score(f), "0") }
	return short(part) + " × " + short(weight) + " = " + Score(contribution)
}

// wordClasses are the model's words for what makes a factor's score.
var wordClasses = map[string]texts.Key{
	"destructive": texts.Key("destructive"), "mutating": texts.Key("mutating"), "reading": texts.Key("reading"), "unlisted": texts.Key("unlisted"),
	"credentials": texts.Key("credentials"), "sql": texts.Key("SQL"), "shell": texts.Key("shell"), "network": texts.Key("network"),
}

// wordClass is the model's word for what made a factor's score: destructive, sql. Empty where
// there are several, or where the name of the factor says as much.
func wordClass(f fivefactor.Factor) (class string) {
	if f.Name != "function_name" && f.Name != "arguments" {
		return ""
	}
	for _, e := range f.Evidence {
		of, _, _ := strings.Cut(e.Pattern, ":")
		if class != "" && of != class {
			return ""
		}
		class = of
	}
	return class
}

// claimsOf are the agent's own words, marked as claimed. Hints and metadata are
// claims too, only in JSON.
func claimsOf(say texts.Printer, v approvals.Review) []review.Claim {
	var all []review.Claim
	add := func(title, text string) {
		if text != "" {
			all = append(all, review.Claim{Title: title, Text: untrusted.Runs(text)})
		}
	}
	add(say.Say("Justification"), v.Action.Justification())
	add(say.Say("Docstring"), v.Action.Docstring())
	add(say.Say("Hints"), Pretty(v.Action.Hints()))
	add(say.Say("Metadata"), Pretty(v.Action.Metadata()))
	return all
}

// provenanceOf says where the action comes from.
func provenanceOf(say texts.Printer, v approvals.Review) review.Provenance {
	a := v.Action
	p := review.Provenance{Facts: []views.Fact{{Label: say.Say("Agent"), Value: untrusted.Runs(v.Agent.Name)}}}
	add := func(label, text string) {
		if text != "" {
			p.Facts = append(p.Facts, views.Fact{Label: label, Value: untrusted.Runs(text), Mono: true})
		}
	}
	act := func(label, name string) { // what the digest covers is shown when it is empty, too
		if m := a.Tree().Get(name); !m.IsAbsent() {
			p.Facts = append(p.Facts, views.Fact{Label: label, Value: untrusted.OrEmpty(untrusted.Runs(m.Text())), Mono: true, Act: name})
		}
	}
	act(say.Say("Function"), "function")
	add(say.Say("Session"), a.SessionID())
	add(say.Say("Tool call"), a.ToolCallID())
	act(say.Say("Action type"), "action_type")
	act(say.Say("Environment"), "environment")
	if w := v.Assessment.Workspace; w != nil {
		p.Facts = append(p.Facts, workspaceFact(say, *w))
	}
	if a.LifecyclePoint() != scoring.PreToolCall {
		add(say.Say("Lifecycle point"), a.LifecyclePoint())
	}
	add(say.Say("Earlier calls of this function"), say.Say("%d ran in this session", v.CallNumber-1))
	id := func(label, text string) {
		p.Identifiers = append(p.Identifiers, views.Fact{Label: label, Value: untrusted.Runs(text), Mono: true})
	}
	id(say.Say("Request"), v.ID)
	id(say.Say("Action digest"), v.ShownDigest)
	if v.Digest != v.ShownDigest {
		id(say.Say("Original digest"), v.Digest)
	}
	if v.Proposed != nil {
		id(say.Say("Proposed digest"), v.Proposed.Digest)
	}
	id(say.Say("Policy version"), strconv.FormatInt(v.PolicyVersion, 10))
	return p
}
