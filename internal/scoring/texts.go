package scoring

import (
	"slices"

	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// Under a policy with floors, what looks for commands and SQL raises a level only by what
// is executed, or is not known to be only a text: a ticket about `rm -rf /` deletes nothing
// (docs/effects.md). Scores, severities and rules stay as they are published.

// commandCategories are those of patterns that look for commands or SQL.
var commandCategories = []string{"shell", "sql", "cloud", "kubernetes", "system"}

// counted is a with what counts for its level: without what rules and patterns about
// commands found in texts that nothing runs. It keeps the names of these in a.SetAside, and
// the matches that count in e.
func (e *Examination) counted(a *Assessment) Assessment {
	c := *a
	if e.action.LifecyclePoint() != PreToolCall || !e.compiled.policy.Judgement.Floored() || !e.aboutCommands(a) {
		return c
	}
	texts := e.effects().Texts(a.Effects)
	if len(texts) == 0 {
		return c
	}
	onlyTexts := func(places []scan.Place) bool {
		return len(places) > 0 && !slices.ContainsFunc(places, func(p scan.Place) bool { return !within(texts, p) })
	}
	e.matches = slices.DeleteFunc(slices.Clone(e.matches), func(m patterns.Match) bool {
		aside := looksForCommands(m) && onlyTexts(m.Places)
		if aside {
			a.SetAside = append(a.SetAside, m.ID)
		}
		return aside
	})
	c.Patterns = patterns.Score(e.matches, e.compiled.policy.ScoreOverrideThreshold, e.compiled.policy.Weighing())
	c.Rules = e.compiled.rules.Without(a.Rules, func(found scan.Evidence) bool {
		aside := onlyTexts(found.Places)
		if aside {
			a.SetAside = append(a.SetAside, found.Pattern)
		}
		return aside
	})
	c.SetAside = a.SetAside
	return c
}

// aboutCommands reports whether a rule or a pattern found a command, or SQL.
func (e *Examination) aboutCommands(a *Assessment) bool {
	return len(a.Rules.TriggeredRules) > 0 || slices.ContainsFunc(e.matches, looksForCommands)
}

// looksForCommands reports whether a match is of a pattern that comes with the program,
// unchanged, and looks for commands or SQL. One that blocks counts wherever it stands, and
// one of which there is more than is listed may stand anywhere.
func looksForCommands(m patterns.Match) bool {
	if !slices.Contains(commandCategories, m.Category) || m.Action == patterns.Block || m.Masks() || m.Obfuscated || !m.ListsAll() {
		return false
	}
	shipped, ok := patterns.Default().Pattern(m.ID)
	return ok && shipped.Severity == m.Severity && shipped.EffectiveAction() == m.Action && shipped.Category == m.Category
}

// within reports whether a place is one of texts. A pattern may look at one character
// before or behind what it is about.
func within(texts []scan.Place, p scan.Place) bool {
	return !p.Key && slices.ContainsFunc(texts, func(t scan.Place) bool {
		return t.Pointer == p.Pointer && p.Start >= t.Start-1 && p.End <= t.End+1
	})
}
