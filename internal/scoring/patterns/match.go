package patterns

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/scan"
)

// Match is one pattern that was found, however often it occurs.
type Match struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	Action   Action   `json:"action"` // the pattern's own action, not the record's
	Category string   `json:"category"`
	Why      string   `json:"why"` // the pattern's description
	// KeepsMask says that what matched is masked whatever the action is: see Acting.
	KeepsMask bool `json:"keeps_mask,omitempty"`
	// Contribution is what the match adds to the raw score of its record, weight ·
	// decay^(n−1); left out where that is 0, outside of a record, and of older ones.
	Contribution float64 `json:"contribution,omitempty"`
	// Obfuscated says that some of the places were found only in the normalised
	// copy of the text (docs/models.md).
	Obfuscated bool `json:"obfuscated,omitempty"`
	// Places are all occurrences, in the order of the segments that were scanned.
	// Scan keeps at most maxPlaces of a pattern that masks nothing.
	Places []scan.Place `json:"places"`
}

// How many places a record shows of one match; a hostile text could otherwise
// make the record many times larger than itself.
const (
	shownPlaces  = 20
	shownPointer = 4 << 10 // bytes of pointers, after the first
)

// Place is the first place; the zero Place if there is none.
func (m Match) Place() scan.Place {
	if len(m.Places) == 0 {
		return scan.Place{}
	}
	return m.Places[0]
}

// Masks reports whether what matched is replaced before anything is stored:
// redact, block in the category secrets, or where it keeps its mask.
func (m Match) Masks() bool { return m.KeepsMask || masks(m.Action, m.Category) }

func masks(action Action, category string) bool {
	return action == Redact || action == Block && category == Secrets
}

// Evidence is the match as every model's evidence is written.
func (m Match) Evidence() scan.Evidence {
	why := m.Why
	if m.Obfuscated {
		why += " (" + scan.Obfuscated + ")"
	}
	return scan.Evidence{Pattern: m.ID, Places: slices.Clone(m.Places), Why: why}
}

// MarshalJSON writes the match as the record has it: field,
// start and end are the first place, places the first twenty, occurrences how
// many there are. What it writes reads back with encoding/json.
func (m Match) MarshalJSON() ([]byte, error) {
	type plain Match // without this method
	first := m.Place()
	shown := m.Places[:min(len(m.Places), shownPlaces)]
	size := 0
	for i, p := range shown {
		if size += len(p.Pointer); i > 0 && size > len(first.Pointer)+shownPointer {
			shown = shown[:i]
			break
		}
	}
	wire := struct {
		plain
		Field       string `json:"field"`
		Start       int    `json:"start"`
		End         int    `json:"end"`
		Occurrences int    `json:"occurrences"`
	}{plain(m), first.Pointer, first.Start, first.End, len(m.Places)}
	wire.Places = shown
	if shown == nil {
		wire.Places = []scan.Place{}
	}
	return json.Marshal(wire)
}

// AnyBlock reports whether a pattern's own action is block, which blocks the
// action whatever the record's action is.
func AnyBlock(matches []Match) bool { return anyAction(matches, Block) }

// AnyConfirm reports whether a pattern asks that a person confirms.
func AnyConfirm(matches []Match) bool { return anyAction(matches, Confirm) }

// AnyMasks reports whether something must be masked before it is stored.
func AnyMasks(matches []Match) bool { return slices.ContainsFunc(matches, Match.Masks) }

func anyAction(matches []Match, action Action) bool {
	return slices.ContainsFunc(matches, func(m Match) bool { return m.Action == action })
}

// Distinct merges matches of the same pattern, because a pattern counts once per
// evaluation: all their places, and the worst severity and the strictest action
// that any of them has. The result is sorted: worst severity first, then by id.
func Distinct(matches []Match) []Match {
	byID := make(map[string]int, len(matches))
	merged := make([]Match, 0, len(matches))
	for _, m := range matches {
		if m.Action == "" {
			m.Action = m.Severity.DefaultAction()
		}
		i, seen := byID[m.ID]
		if !seen {
			byID[m.ID] = len(merged)
			m.Places = slices.Clone(m.Places)
			merged = append(merged, m)
			continue
		}
		into := &merged[i]
		if m.Severity.rank() > into.Severity.rank() {
			into.Severity = m.Severity
		}
		if into.Action.SofterThan(m.Action) {
			into.Action = m.Action
		}
		if m.Category == Secrets {
			into.Category = m.Category // masks more
		}
		into.KeepsMask = into.KeepsMask || m.KeepsMask
		into.Obfuscated = into.Obfuscated || m.Obfuscated
		into.Places = append(into.Places, m.Places...)
	}
	for i := range merged {
		merged[i].Places = uniquePlaces(merged[i].Places)
	}
	slices.SortStableFunc(merged, worstFirst)
	return merged
}

func uniquePlaces(places []scan.Place) []scan.Place {
	if isAscending(places) {
		return places
	}
	seen := make(map[scan.Place]bool, len(places))
	return slices.DeleteFunc(places, func(p scan.Place) bool {
		again := seen[p]
		seen[p] = true
		return again
	})
}

// isAscending reports whether the places stand one behind another in one value, as they
// do where one text was scanned.
func isAscending(places []scan.Place) bool {
	for i := 1; i < len(places); i++ {
		before, here := places[i-1], places[i]
		if before.Start >= here.Start || before.Key != here.Key || before.Pointer != here.Pointer {
			return false
		}
	}
	return true
}

func worstFirst(a, b Match) int {
	return cmp.Or(cmp.Compare(b.Severity.rank(), a.Severity.rank()), strings.Compare(a.ID, b.ID))
}

// quoteJSON writes a text as JSON; a string always can be.
func quoteJSON(s string) []byte {
	b, _ := json.Marshal(s)
	return b
}

// ListsAll reports whether Places are all there are.
func (m Match) ListsAll() bool { return m.Masks() || len(m.Places) < maxPlaces }
