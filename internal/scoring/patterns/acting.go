package patterns

import (
	"fmt"

	"github.com/countersign/countersign/internal/fault"
)

// Acting says what patterns do. The zero value is that of policies from before it could
// be chosen: OrPublished reads it.
type Acting struct {
	// Actions are those of patterns that name none of their own.
	Actions PerSeverity[Action]
	// BlockCritical makes every critical pattern block, whatever it names.
	BlockCritical bool
}

// PublishedActions are those of the published model (docs/models.md).
func PublishedActions() PerSeverity[Action] {
	var all PerSeverity[Action]
	for _, s := range Severities() {
		*all.At(s) = s.DefaultAction()
	}
	return all
}

// OrPublished is a, with the published actions where none were chosen.
func (a Acting) OrPublished() Acting {
	if a.Actions == (PerSeverity[Action]{}) {
		a.Actions = PublishedActions()
	}
	return a
}

// Published reports whether every pattern does what it does as published.
func (a Acting) Published() bool { return a == Acting{Actions: PublishedActions()} }

// Action is what a pattern does.
func (a Acting) Action(p Pattern) Action {
	switch {
	case a.BlockCritical && p.Severity == Critical:
		return Block
	case p.Action != "":
		return p.Action
	default:
		return a.Actions.Of(p.Severity)
	}
}

// Masks reports whether what a pattern matches is replaced before anything is stored.
// Neither the table nor the switch takes a mask away: what names no action masks as
// published, too, or a change of one line would store every secret of a severity.
func (a Acting) Masks(p Pattern) bool { return p.Masks() || masks(a.Action(p), p.Category) }

// Problems is everything that keeps patterns from acting so: faults InvalidMember whose
// members are severities.
func (a Acting) Problems() []*fault.Error {
	var wrong faults
	for _, s := range Severities() {
		switch action := a.Actions.Of(s); {
		case !action.Valid():
			wrong.add(fmt.Sprintf("/%s", s), "%.60q isn't one of %s", action, list(Actions()))
		case s == Critical && action.SofterThan(Confirm):
			wrong.add(fmt.Sprintf("/%s", s), "the action of a critical pattern is %s; expected block, redact or confirm", action)
		}
	}
	return wrong
}

// Acting is the library whose patterns act so; l stays as it is. Ask Problems before.
func (l *Library) Acting(a Acting) *Library {
	if a.Published() {
		return l
	}
	matchers := make([]*matcher, len(l.matchers))
	for i, m := range l.matchers {
		matchers[i] = m
		if action := a.Action(m.Pattern); action != m.EffectiveAction() {
			acts := *m
			acts.keepsMask, acts.Action = m.Masks(), action
			matchers[i] = &acts
		}
	}
	return newLibrary(l.release, matchers)
}
