package effects

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"

	"github.com/countersign/countersign/internal/scoring/level"
)

// Floor is the level that an action has at least by what it does, and the effect that
// decided.
type Floor struct {
	Level   level.Level `json:"level"`
	Effect  Kind        `json:"effect"`
	Because string      `json:"because"` // one sentence, without a period
	// Entry is the entry of the function registry that lowered the level, by its name; ""
	// where none did.
	Entry string `json:"entry,omitempty"`
}

// Lowering is what an entry of the function registry lowers the floor of what a name says
// to. The zero value lowers nothing.
type Lowering struct {
	To    level.Level
	Entry string
}

// Least is the lowest floor to which the function registry may lower an effect's.
func Least(e Effect) level.Level {
	switch {
	case e.Breadth == All, e.Kind == Execute, e.Kind == Message && e.Audience != Inside:
		return critical // it lowers nothing
	case e.Kind == Delete, e.Kind == Money, e.Kind == Permission:
		return medium
	}
	return low
}

// byName reports whether nothing but the name, or the words about it, says what the
// effect is.
func (e Effect) byName() bool {
	if e.Certain {
		return false
	}
	return len(e.Evidence) == 0 || !strings.HasPrefix(e.Evidence[0].Pointer, "/arguments") && e.Evidence[0].Pointer != "/code"
}

// lower is the floor l of an effect under the registry's entry, and whether that is lower.
func (by Lowering) lower(e Effect, l level.Level) (level.Level, bool) {
	to := max(by.To, Least(e))
	if by.To == level.Safe || !e.byName() || to >= l {
		return l, false
	}
	return to, true
}

// Floor sorts the effects, the one with the highest floor first, and returns that floor.
// nonproduction says that an admin bound the agent to such an environment, and that the
// call says nothing else.
func (s Settings) Floor(all []Effect, nonproduction bool) Floor {
	return s.FloorUnder(all, nonproduction, Lowering{})
}

// FloorUnder is Floor where an entry of the function registry may lower what the name says.
func (s Settings) FloorUnder(all []Effect, nonproduction bool, by Lowering) Floor {
	of := func(e Effect) level.Level {
		l, _ := by.lower(e, s.of(e, nonproduction))
		return l
	}
	slices.SortStableFunc(all, func(a, b Effect) int {
		if d := int(of(b)) - int(of(a)); d != 0 {
			return d
		}
		return worstFirst(a, b)
	})
	if len(all) == 0 {
		return Floor{Level: level.Low, Effect: Read, Because: "nothing is called"}
	}
	e := all[0]
	f := Floor{Effect: e.Kind, Because: s.because(e, nonproduction)}
	lowered := false
	if f.Level, lowered = by.lower(e, s.of(e, nonproduction)); lowered {
		f.Entry = by.Entry
		f.Because += fmt.Sprintf("; the policy's function registry lowers that to %s", f.Level)
	}
	return f
}

// of is the floor of one effect.
func (s Settings) of(e Effect, nonproduction bool) level.Level {
	cells, own := s.Cells(e.Row()), s.Floors[e.Row()]
	byAmount := s.Floored() && e.Kind == Money && e.Amount != nil
	switch {
	case nonproduction:
		return cells.Nonproduction
	case e.Breadth == All:
		return cells.All
	case e.Breadth == Several && byAmount && own.Several == level.Safe:
		return stricter(s.ofAmount(*e.Amount))
	case e.Breadth == Several:
		return cells.Several
	case byAmount && own.One == level.Safe:
		return s.ofAmount(*e.Amount)
	default:
		return cells.One
	}
}

// ofAmount is the floor of a sum of money.
func (s Settings) ofAmount(a Amount) level.Level {
	l := high
	switch {
	case a.Value > s.LargeAmount:
		l = critical
	case !a.OrMore && a.Value <= s.SmallAmount && (a.Currency == "" || strings.EqualFold(a.Currency, s.Currency)):
		l = medium
	}
	if s.Preset == Strict {
		return stricter(l)
	}
	return l
}

// because says why, for people: what the call does, to how many, and what of it was read.
func (s Settings) because(e Effect, nonproduction bool) string {
	what := map[Kind]string{
		Read: "it reads", Write: "it changes something", Delete: "it deletes", Money: "it moves money", Message: "it sends a message",
		Permission: "it changes access or security", Execute: "it runs what couldn't be read to its end", Unknown: "it isn't known what it does",
	}[e.Kind]
	switch {
	case e.Kind == Read && e.Sensitive:
		what = "it reads sensitive data"
	case e.Kind == Message && e.Audience == Outside:
		what = "it sends a message outside the organisation"
	case e.Kind == Message && e.Audience == Public:
		what = "it publishes a message"
	case e.Kind == Money && e.Amount != nil:
		what = fmt.Sprintf("it moves money, %s", e.Amount)
	}
	switch {
	case e.Breadth == Several && e.Kind == Message:
		what += ", to several"
	case e.Breadth == Several:
		what += ", several at once"
	case e.Breadth == All && (e.Kind == Message || e.Kind == Permission):
		what += ", for everyone or everything"
	case e.Breadth == All:
		what += ", all there is"
	}
	if nonproduction {
		what += ", in a non-production environment"
	}
	if len(e.Evidence) > 0 && e.Evidence[0].Why != "" {
		what += " (" + e.Evidence[0].Why + ")"
	}
	return what
}

// String is the sum as the call states it, with its thousands apart: "1,249.5 EUR". Decimals are
// none of ours to add: where an API counts in cents, they would say a hundred times as much.
func (a Amount) String() string {
	_, fraction, _ := strings.Cut(strconv.FormatFloat(a.Value, 'f', -1, 64), ".")
	about, digits := "", number.Scale(len(fraction))
	if a.Value >= 1<<53 { // the call may say one that is no double
		about, digits = "about ", number.Precision(15)
	}
	sum := about + message.NewPrinter(language.English).Sprint(number.Decimal(a.Value, digits))
	if a.OrMore {
		return strings.TrimSpace(sum+" "+a.Currency) + " or more"
	}
	return strings.TrimSpace(sum + " " + a.Currency)
}
