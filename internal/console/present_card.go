package console

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/scan"
	"github.com/countersign/countersign/views"
)

// What the approver reads: a pure function of the stored bytes. Everything of
// the act is on the page, once as a table and once as the JSON that the digest
// covers; nothing is cut.

// cardOf is the content of a request.
func cardOf(v approvals.Review, who reader) *views.Card {
	pen := newPen(v)
	d, last := differenceOf(v)
	c := &views.Card{Facts: factsOf(v, d), Claims: claimsOf(v), Provenance: provenanceOf(v)}
	section := sectionShown(v, who.section)
	c.Parts = partsOf(v, section, who.locked)
	layOut(c, v, section, pen, d, last)
	c.Held = heldOf(v, pen.notes.first)
	if section == 1 { // of a large act they are as large, and once is enough
		c.Comparisons = comparisonsOf(v)
	}
	return c
}

const argumentsRoot = "/arguments"

// compare says how a value differs from the last approved call.
func compare(row *views.ArgumentRow, change facts.ValueChange) {
	switch {
	case change.How == facts.Added:
		row.Differs, row.WasNote = true, "was not there"
	case change.How == facts.Same && strings.Contains(change.Now.Text, "[REDACTED:"):
		row.WasNote = "masked, so not compared"
	case change.How == facts.Same:
		row.WasNote = "the same"
	case change.Was.Text == "":
		row.Differs, row.WasNote = true, "empty"
	default:
		row.Differs, row.Was = true, runs(change.Was.Text)
	}
}

// goneRow is a value of the last approved call that this call has not.
func goneRow(last scoring.Action, l facts.Leaf) views.ArgumentRow {
	row := views.ArgumentRow{Name: nameOf(last.Arguments(), l.Pointer), Whole: l.Pointer == argumentsRoot, Type: "not there", Differs: true, Was: runs(l.Text)}
	if l.Text == "" {
		row.WasNote = "empty"
	}
	return row
}

// codeDifference says how the code differs from that of the last approved call.
func codeDifference(how facts.How) string {
	switch how {
	case facts.Same:
		return "the same as in the last approved call"
	case facts.Added:
		return "the last approved call had none"
	}
	return "differs from the last approved call"
}

func difference(n int) string {
	switch n {
	case 0:
		return "no difference from the last approved call"
	case 1:
		return "1 differs from the last approved call"
	default:
		return grouped(int64(n)) + " differ from the last approved call"
	}
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
	found := v.Action.Difference(v.Assessment.Facts, last, v.LastApproved.Assessment.Facts)
	return &found, last
}

// pretty is canonical JSON with line breaks: white space outside of strings is
// all that is added, so without it the text is the canonical bytes.
func pretty(v canon.Value) string {
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

// marks are the matched stretches of each value, by its JSON pointer; those of
// names have "key " before it.
type marks map[string][]span

func (m marks) of(pointer string) []span { return m[pointer] }

// ofKey marks the last name of a path where something in it matched. The stretch
// is the whole name: escapes move what stands in it.
func (m marks) ofKey(pointer, shown string) []span {
	found := m["key "+pointer]
	if len(found) == 0 {
		return nil
	}
	start := strings.LastIndexByte(shown, '/') + 1
	return []span{{start, len(shown), found[0].why}}
}

// maxMarks bounds the marks of one value; everything that matched is also listed.
const maxMarks = 500

func (m marks) add(e scan.Evidence, what string) {
	for _, p := range e.Places {
		at := p.Pointer
		if p.Key {
			at = "key " + at
		}
		if len(m[at]) < maxMarks {
			m[at] = append(m[at], span{p.Start, p.End, what})
		}
	}
}

// marksOf gathers what the models matched. While the score is sealed, so is what
// the factors saw.
func marksOf(v approvals.Review) marks {
	m := marks{}
	for _, p := range v.Assessment.Patterns.MatchedPatterns {
		m.add(p.Evidence(), patternWhy(p.ID, p.Why))
	}
	for _, e := range v.Assessment.Rules.Evidence {
		m.add(e, ruleWhy(e))
	}
	if v.Sealed {
		return m
	}
	for _, f := range v.Assessment.FiveFactor.Factors {
		for _, e := range f.Evidence {
			m.add(e, factorNames[f.Name]+": "+cmp.Or(e.Why, e.Pattern))
		}
	}
	return m
}

// The words of a mark.
func patternWhy(id, why string) string { return "pattern " + id + ": " + why }
func ruleWhy(e scan.Evidence) string   { return "rule " + e.Pattern + ": " + e.Why }

var factorNames = map[string]string{
	"function_name": "Function name", "arguments": "Arguments", "docstring": "Docstring", "hints": "Hints", "novelty": "Novelty",
}

// thousandths of a score, cut and not rounded: what is under a threshold is shown under
// it. A score has six decimals; half of the last one makes up for binary fractions.
func thousandths(f float64) int { return int(f*1000 + 0.0005) }

// heldOf says why the action was held. marked are the places on this page where the
// reasons are marked first.
func heldOf(v approvals.Review, marked map[string]int) views.Held {
	as := v.Assessment
	h := views.Held{Summary: as.Level.String()}
	if v.Sealed {
		h.Sealed = "They stay sealed until your three answers are right. At this level you read first, so that a number does not read for you."
	} else {
		h.Summary = score(as.Score) + ", " + as.Level.String()
		if v.PolicyVersion == v.PolicyVersionNow { // otherwise it was scored on another scale
			h.Bar = &views.ScoreBar{
				Score:  thousandths(as.Score),
				Medium: thousandths(v.Thresholds.Medium), High: thousandths(v.Thresholds.High), Critical: thousandths(v.Thresholds.Critical),
			}
		}
		for _, f := range as.FiveFactor.Factors {
			h.Factors = append(h.Factors, factorOf(f.Name, f.Score, f.Contribution, f.Evidence))
		}
		h.Items = append(h.Items, views.HeldItem{Icon: views.IconInfo, Kind: "What decided", Text: runs(as.Explanation)})
	}
	for _, p := range as.Patterns.MatchedPatterns {
		h.Items = append(h.Items, views.HeldItem{
			Icon: views.IconPattern, Kind: "Pattern", Name: p.ID, Text: whyRuns(p.Why, p.Places),
			Tag: strings.ToLower(string(p.Severity)) + ", " + string(p.Action), Place: marked[patternWhy(p.ID, p.Why)],
		})
	}
	for i, name := range as.Rules.TriggeredRules {
		item := views.HeldItem{Icon: views.IconRule, Kind: "Rule", Name: name}
		if i < len(as.Rules.Reasons) {
			e := evidenceOf(as.Rules.Evidence, name)
			item.Text, item.Place = whyRuns(as.Rules.Reasons[i], e.Places), marked[ruleWhy(e)]
		}
		h.Items = append(h.Items, item)
	}
	return h
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
func whyRuns(why string, places []scan.Place) []views.Run {
	var b strings.Builder
	b.WriteString(why)
	for i, p := range places {
		if i == maxPlaces {
			b.WriteString(" and " + plural(len(places)-maxPlaces, "more place"))
			break
		}
		b.WriteString(map[bool]string{true: "; ", false: ", "}[i == 0 && why != ""])
		b.WriteString("in " + p.Pointer + ", bytes " + strconv.Itoa(p.Start) + " to " + strconv.Itoa(p.End))
	}
	return runs(b.String())
}

func factorOf(name string, points, contribution float64, evidence []scan.Evidence) views.Factor {
	var why []string
	for _, e := range evidence {
		if text := cmp.Or(e.Why, e.Pattern); !slices.Contains(why, text) && len(why) < 4 {
			why = append(why, text)
		}
	}
	return views.Factor{
		Name: cmp.Or(factorNames[name], name), Thousandths: thousandths(points),
		Contribution: "+" + score(contribution), Why: runs(strings.Join(why, "; ")),
	}
}

// claimsOf are the agent's own words, marked as claimed. Hints and metadata are
// claims too, only in JSON.
func claimsOf(v approvals.Review) []views.Claim {
	var all []views.Claim
	add := func(title, text string) {
		if text != "" {
			all = append(all, views.Claim{Title: title, Text: runs(text)})
		}
	}
	add("Justification", v.Action.Justification())
	add("Docstring", v.Action.Docstring())
	add("Hints", pretty(v.Action.Hints()))
	add("Metadata", pretty(v.Action.Metadata()))
	return all
}

// provenanceOf says where the action comes from.
func provenanceOf(v approvals.Review) views.Provenance {
	a := v.Action
	p := views.Provenance{Facts: []views.Fact{{Label: "Agent", Value: runs(v.Agent.Name)}}}
	add := func(label, text string) {
		if text != "" {
			p.Facts = append(p.Facts, views.Fact{Label: label, Value: runs(text), Mono: true})
		}
	}
	act := func(label, name string) { // what the digest covers is shown when it is empty, too
		if m := a.Tree().Get(name); !m.IsAbsent() {
			p.Facts = append(p.Facts, views.Fact{Label: label, Value: orEmpty(runs(m.Text())), Mono: true, Act: name})
		}
	}
	act("Function", "function")
	add("Session", a.SessionID())
	add("Tool call", a.ToolCallID())
	act("Action type", "action_type")
	act("Environment", "environment")
	if a.LifecyclePoint() != scoring.PreToolCall {
		add("Lifecycle point", a.LifecyclePoint())
	}
	add("Call number in the session", strconv.Itoa(v.CallNumber))
	add("Digest of what you see", v.ShownDigest)
	if v.Digest != v.ShownDigest {
		add("Digest of the original", v.Digest)
	}
	if v.Proposed != nil {
		add("Digest of what was proposed", v.Proposed.Digest)
	}
	add("Policy version", strconv.FormatInt(v.PolicyVersion, 10))
	return p
}
