package patterns

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/scoring/scan"
)

// published is what every pattern does where nobody chose otherwise.
var published = Acting{}.OrPublished()

func TestPublishedActing(t *testing.T) {
	t.Parallel()
	if l := Default(); l.Acting(published) != l || !published.Published() || len(published.Problems()) > 0 {
		t.Errorf("%+v is not as published: %v", published, published.Problems())
	}
	own := Acting{Actions: PerSeverity[Action]{Critical: Redact, High: Log, Medium: Log, Low: Log}, BlockCritical: true}
	if own.OrPublished() != own || own.Published() {
		t.Errorf("%+v became %+v", own, own.OrPublished())
	}
	for _, p := range Default().Patterns() {
		if published.Action(p) != p.EffectiveAction() || published.Masks(p) != p.Masks() {
			t.Errorf("%s: %s, masks %v", p.ID, published.Action(p), published.Masks(p))
		}
	}
}

// One switch: every critical pattern blocks, and masks what it masked.
func TestBlockCritical(t *testing.T) {
	t.Parallel()
	a := published
	a.BlockCritical = true
	l := Default().Acting(a)
	if l.Version() == Default().Version() {
		t.Error("the version does not tell that the patterns do something else")
	}
	blocked, masked := 0, 0
	for i, m := range l.matchers {
		was := Default().matchers[i]
		if m.Severity != Critical {
			if m.EffectiveAction() != was.EffectiveAction() {
				t.Errorf("%s is %s and became %s", m.ID, m.Severity, m.EffectiveAction())
			}
			continue
		}
		if m.EffectiveAction() != Block || m.Masks() != was.Masks() {
			t.Errorf("%s says %s, masks %v, masked %v", m.ID, m.EffectiveAction(), m.Masks(), was.Masks())
		}
		if was.EffectiveAction() == Block {
			blocked++
		}
		if m.Masks() && m.Category != Secrets {
			masked++
		}
	}
	if blocked == 0 || masked == 0 {
		t.Errorf("%d blocked before and %d keep their mask outside of secrets: the test proves little", blocked, masked)
	}
}

// The table is for patterns that name no action, and takes no mask away: all that name
// none are secrets and personal data.
func TestTheTableTakesNoMaskAway(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := Acting{BlockCritical: rapid.Bool().Draw(t, "switch")}
		for _, s := range Severities() {
			*a.Actions.At(s) = rapid.SampledFrom(Actions()).Draw(t, string(s))
		}
		if a.Actions.Critical.SofterThan(Confirm) {
			a.Actions.Critical = Confirm
		}
		l := Default().Acting(a)
		for i, m := range l.matchers {
			was := Default().matchers[i]
			want := was.Action
			switch {
			case a.BlockCritical && was.Severity == Critical:
				want = Block
			case want == "":
				want = a.Actions.Of(was.Severity)
			}
			if m.EffectiveAction() != want || a.Action(was.Pattern) != want || was.Masks() && !m.Masks() || m.Masks() != a.Masks(was.Pattern) {
				t.Errorf("%+v: %s says %s, want %s; masks %v, masked %v", a, m.ID, m.EffectiveAction(), want, m.Masks(), was.Masks())
			}
		}
	})
}

func TestAMatchKeepsItsMask(t *testing.T) {
	t.Parallel()
	a := published
	a.Actions.High = Confirm
	text := "card 4111 1111 1111 1111"
	found := Default().Acting(a).Scan(PreToolCall, []scan.Segment{{Pointer: "/code", Text: text}})
	if len(found) != 1 || found[0].Action != Confirm || !found[0].KeepsMask {
		t.Fatalf("found %+v", found)
	}
	if got := Redactions(found).Text("/code", text); got != "card [REDACTED:card-number]" {
		t.Errorf("stored would be %q", got)
	}
	if again := Default().Acting(a).Renew(Default().Scan(PreToolCall, []scan.Segment{{Pointer: "/code", Text: text}})); !again[0].Masks() || again[0].Action != Confirm {
		t.Errorf("read again it is %+v", again)
	}
	if both := Distinct([]Match{{ID: "x", Severity: High, Action: Confirm}, {ID: "x", Severity: High, Action: Confirm, KeepsMask: true}}); !both[0].Masks() {
		t.Errorf("merged it is %+v", both)
	}
}

func TestActingProblems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		change func(*Acting)
		want   string
	}{
		{func(*Acting) {}, ""},
		{func(a *Acting) { a.Actions = PerSeverity[Action]{Confirm, Log, Log, Block} }, ""},
		{func(a *Acting) { a.Actions.Critical = Warn }, "/critical"},
		{func(a *Acting) { a.Actions.Critical, a.BlockCritical = Log, true }, "/critical"},
		{func(a *Acting) { a.Actions.High = Allow }, "/high"},
		{func(a *Acting) { a.Actions.Low = "" }, "/low"},
	} {
		a := published
		c.change(&a)
		wrong := a.Problems()
		if c.want == "" && len(wrong) > 0 || c.want != "" && (len(wrong) != 1 || wrong[0].Member != c.want) {
			t.Errorf("%+v: %v, want %q", a, wrong, c.want)
		}
	}
}
