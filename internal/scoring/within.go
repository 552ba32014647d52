package scoring

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// What a call is in the folder that its agent is bound to. There its judgement stands in
// place of the score, of the rules and patterns that come with the program, and of the
// floor. What speaks against a call wherever it runs still raises it: blocks, secrets,
// injection, exfiltration, what an organisation added itself, and the floors of its
// function registry.

// Workspace is what an assessment says of a call under a binding to a workspace.
type Workspace struct {
	workspace.Binding
	workspace.Judgement
	// Decides says that the level is that of the judgement, and not what it is elsewhere.
	Decides bool `json:"decides"`
}

// In is e for an agent that is bound to a workspace; nil for none. Given does the same; it
// is for who wants to have read the call before the other inputs are known.
func (e Examination) In(b *workspace.Binding) Examination {
	if b == nil || e.action.LifecyclePoint() != PreToolCall {
		e.within, e.asks, e.inputs.Workspace = nil, workspace.Asks{}, b
		return e
	}
	if e.within != nil && *e.inputs.Workspace == *b {
		return e
	}
	reading := workspace.Examine(*b, workspace.Input{
		Function: e.read.Function(), Arguments: e.read.Arguments(), Code: e.read.Code(), Call: e.call,
	})
	e.within, e.asks, e.inputs.Workspace = &reading, reading.Asks(), b
	return e
}

// Asks says of which files an assessment has to know what the agent wrote before.
func (e Examination) Asks() workspace.Asks { return e.asks }

// AsksKnowing is Asks once something of it is known: a task that the agent wrote runs other
// files.
func (e Examination) AsksKnowing(m workspace.Memory) workspace.Asks {
	if e.within == nil {
		return workspace.Asks{}
	}
	return e.within.AsksKnowing(m)
}

// inside is a as it is in the agent's workspace; elsewhere for one that has none.
func (e *Examination) inside(a Assessment) Assessment {
	if e.within == nil {
		return e.elsewhere(a)
	}
	memory := workspace.Memory{}
	if e.inputs.Memory != nil {
		memory = asked(*e.inputs.Memory, e.within.AsksKnowing(*e.inputs.Memory))
	}
	if len(memory.Files) > 0 || memory.Full {
		a.Inputs.Memory = &memory // what the call asks about and nothing else, so that the same comes of it again
	}
	return e.judged(a, e.within.Judge(memory))
}

// judged is a with what its workspace says of the call. What the call does elsewhere is only
// read where that counts: it is a third of what the assessment of a long script costs.
func (e *Examination) judged(a Assessment, j workspace.Judgement) Assessment {
	p := &e.compiled.policy
	a.Workspace = &Workspace{Binding: *e.inputs.Workspace, Judgement: j}
	a.Workspace.Effects = nil // they are those of the assessment, and masked with it
	if !j.Applies || !p.Judgement.Floored() {
		return e.elsewhere(a)
	}
	here, said := a, *a.Workspace
	said.Decides = true
	here.Workspace = &said
	here.Effects = append([]effects.Effect{}, j.Effects...)
	here.Floor = effects.Floor{Level: max(j.Level, level.Low), Effect: effects.Read, Because: j.Because}
	if len(here.Effects) > 0 {
		here.Floor.Effect = here.Effects[0].Kind
	}
	confirm := patterns.AnyConfirm(e.raising())
	l := max(here.Floor.Level, e.floor, e.raised(&here))
	person := e.requiresPerson(&here)
	if confirm || person {
		l = max(l, level.Medium)
	}
	here.SetAside, here.Remarks = nil, nil // what found only texts counts no less than what else the judgement stands in place of
	c := here                              // what of the patterns counts
	c.Patterns = patterns.Score(e.raising(), p.ScoreOverrideThreshold, p.Weighing())
	here.Level, here.Response = e.answer(&c, l, confirm, person)
	c.Level, c.Response = here.Level, here.Response
	here.Treatment, here.Explanation = p.treat(here.Level, here.Response), e.explain(&here, &c, &c)
	if e.inputs.Environment != "" { // bound to an environment too: the higher level counts
		if there := e.elsewhere(a); there.Treatment.StricterThan(here.Treatment) {
			return there
		}
	}
	return here
}

// raising are the matches that say something of a call wherever it runs.
func (e *Examination) raising() []patterns.Match {
	return slices.DeleteFunc(slices.Clone(e.matches), func(m patterns.Match) bool {
		return !slices.Contains([]string{patterns.Secrets, patterns.Injection, patterns.Exfiltration, patterns.Custom}, m.Category) &&
			m.Action != patterns.Block && !e.compiled.policy.added(m.ID)
	})
}

// added reports whether a pattern is an organisation's own.
func (p *Policy) added(id string) bool {
	return slices.ContainsFunc(p.PatternOverrides.Add, func(own patterns.Pattern) bool { return own.ID == id })
}

// raised is what matches and an organisation's own rules raise a call to, and the score
// where the policy fixes it.
func (e *Examination) raised(a *Assessment) level.Level {
	l := e.ruled(a)
	for _, m := range e.raising() {
		l = max(l, m.Severity.Level())
	}
	l = max(l, e.alone())
	if e.compiled.policy.Strategy == StrategyFixed {
		l = max(l, e.compiled.policy.Thresholds.Level(a.Score))
	}
	return l
}

// ruled is the level of an organisation's own rules.
func (e *Examination) ruled(a *Assessment) (l level.Level) {
	for _, name := range a.Rules.TriggeredRules {
		if !e.compiled.rules.Custom(name) {
			continue
		}
		own, ok := e.compiled.rules.Level(name)
		if !ok { // the assessor's answer is the level of all
			own = a.Rules.Level
		}
		l = max(l, own)
	}
	return l
}

// maskedReason stands in place of what was read from a text of which a part is masked.
const maskedReason = "read from a text of which a part is masked"

// withoutFiles takes out of what is stored of a call in a workspace what is masked in it:
// that may stand in any of our sentences, whole, cut or put together.
func (e Examination) withoutFiles(as *Assessment, hidden []string) {
	if m := as.Inputs.Memory; m != nil {
		as.Inputs.Memory = &workspace.Memory{Files: withoutPaths(m.Files, hidden), Full: m.Full}
	}
	if as.Workspace == nil {
		return
	}
	w := *as.Workspace
	if w.Because != "" {
		as.Explanation = strings.ReplaceAll(as.Explanation, w.Because, maskedReason)
		as.Floor.Because = strings.ReplaceAll(as.Floor.Because, w.Because, maskedReason)
		w.Because = maskedReason
	}
	if holds(hidden, w.Cwd) {
		w.Cwd = ""
	}
	w.Covers = nil
	w.Used, w.Writes = withoutPaths(w.Used, hidden), withoutPaths(w.Writes, hidden)
	for i := range w.Writes {
		w.Writes[i].Tasks = slices.Clone(w.Writes[i].Tasks)
		for k := range w.Writes[i].Tasks {
			w.Writes[i].Tasks[k].Because, w.Writes[i].Tasks[k].Runs = maskedReason, nil
		}
	}
	as.Workspace = &w
}

// withoutPaths leaves out the files that are named by something masked.
func withoutPaths(files []workspace.File, hidden []string) []workspace.File {
	return slices.DeleteFunc(slices.Clone(files), func(f workspace.File) bool {
		return holds(hidden, f.Path) || slices.ContainsFunc(f.Tasks, func(t workspace.Task) bool {
			return holds(hidden, t.Name) || slices.ContainsFunc(t.Runs, func(p string) bool { return holds(hidden, p) })
		})
	})
}

func holds(hidden []string, text string) bool {
	return slices.ContainsFunc(hidden, func(h string) bool { return strings.Contains(text, h) })
}

// hidden lists what is masked in the texts of a, as it stands there and as a shell reads it.
func (a Action) hidden(spans patterns.Spans) (all []string) {
	a.tree.MapStrings(func(pointer, s string) string {
		for _, span := range spans[pointer] {
			raw := s[span.Start:span.End]
			all = append(all, raw)
			if read := unquoted.Replace(raw); read != raw && read != "" {
				all = append(all, read)
			}
		}
		return s
	})
	return all
}

var unquoted = strings.NewReplacer(`"`, "", `'`, "", `\`, "")
