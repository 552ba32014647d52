package scoring

import (
	"testing"

	"github.com/countersign/countersign/internal/scoring/patterns"
)

// account hides account numbers, and note a word that says nothing of where money goes.
var account = patterns.Pattern{
	ID: "account-number", Severity: patterns.Low, Action: patterns.Redact, Description: "An account number",
	Regex: []string{`\b[0-9]{4}-[0-9]{3}-[0-9]{3}\b`}, MustMatch: []string{"4471-229-018"}, MustNotMatch: []string{"4471"},
}

func with(change func(*Policy)) Policy {
	p := DefaultPolicy()
	change(&p)
	return p
}

// What a change masks more is taken at once, and waits; nothing else of it is taken.
func TestMasking(t *testing.T) {
	t.Parallel()
	asks := account
	asks.Action = patterns.Confirm
	for _, c := range []struct {
		name     string
		old, new func(*Policy)
		masks    bool
	}{
		{"a new pattern", nil, func(p *Policy) { p.PatternOverrides.Add, p.GrantSeconds = []patterns.Pattern{account}, 3600 }, true},
		{"a shipped one that masks now", nil, func(p *Policy) { p.PatternOverrides.Change = []patterns.Change{{ID: "iban", Action: patterns.Redact}} }, true},
		{"one that masks nothing", nil, func(p *Policy) { p.PatternOverrides.Add, p.GrantSeconds = []patterns.Pattern{asks}, 3600 }, false},
		{"one that asked before", func(p *Policy) { p.PatternOverrides.Add = []patterns.Pattern{asks} }, func(p *Policy) { p.PatternOverrides.Add = []patterns.Pattern{account} }, false},
		{"one by which a lower challenge is reached", func(p *Policy) { p.Challenges.High = ChallengeNone }, func(p *Policy) {
			p.Challenges.High, p.PatternOverrides.Add = ChallengeNone, []patterns.Pattern{account}
		}, false},
		{"one that masked before", func(p *Policy) { p.PatternOverrides.Add = []patterns.Pattern{account} }, func(p *Policy) { p.PatternOverrides.Add, p.GrantSeconds = []patterns.Pattern{account}, 3600 }, false},
	} {
		old := DefaultPolicy()
		if c.old != nil {
			c.old(&old)
		}
		now := old.Masking(with(c.new))
		differences := old.Differences(now)
		if (len(differences) > 0) != c.masks || len(Weakened(differences)) > 0 || now.GrantSeconds != old.GrantSeconds {
			t.Errorf("%s: %+v", c.name, differences)
		}
		if c.masks && len(now.PatternOverrides.Add) > 0 && !now.PatternOverrides.Add[0].Waits || len(now.PatternOverrides.Change) > 0 && !now.PatternOverrides.Change[0].Waits {
			t.Errorf("%s: it does not wait", c.name)
		}
	}
}

// A mask is accepted where the pattern that was accepted finds as much as the one that masked.
func TestWaiting(t *testing.T) {
	t.Parallel()
	own := func(change func(*patterns.Pattern)) Policy {
		one := account
		change(&one)
		return with(func(p *Policy) { p.PatternOverrides.Add = []patterns.Pattern{one} })
	}
	same := func(*patterns.Pattern) {}
	waits := func(p *patterns.Pattern) { p.Waits = true }
	masked := []patterns.Match{{ID: account.ID}}
	for _, c := range []struct {
		name      string
		then, now Policy
		waits     bool
	}{
		{"nobody accepted it", own(waits), own(waits), true},
		{"it was accepted", own(waits), own(same), false},
		{"it was accepted with more", own(waits), own(func(p *patterns.Pattern) { p.Regex = append([]string{"x1"}, p.Regex...) }), false},
		{"another one of its name was", own(waits), own(func(p *patterns.Pattern) { p.Regex = []string{`0000-000-000`} }), true},
		{"one of its name that masks nothing was", own(waits), own(func(p *patterns.Pattern) { p.Action = patterns.Log }), true},
		{"it is gone", own(waits), DefaultPolicy(), true},
		{"it was accepted when it masked", own(same), DefaultPolicy(), false},
		{"it comes with the program", DefaultPolicy(), DefaultPolicy(), false},
	} {
		if got := c.now.Waiting(c.then, masked); (got != "") != c.waits {
			t.Errorf("%s: %q waits", c.name, got)
		}
	}
}

// Where a pattern of the organisation's own hides the target, two people approve: not where it
// hides something else, not where a shipped pattern does, and not where nobody is asked.
func TestAMaskOfTheTargetAsksTwo(t *testing.T) {
	t.Parallel()
	c, err := Compile(with(func(p *Policy) { p.PatternOverrides.Add = []patterns.Pattern{account} }))
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]int{
		`{"function":"wire_transfer","arguments":{"account_number":"4471-229-018","amount":2500}}`:                2,
		`{"function":"wire_transfer","arguments":{"account_number":"acc_1","amount":2500,"memo":"4471-229-018"}}`: 1,
		`{"function":"wire_transfer","arguments":{"account_number":"` + awsKey + `","amount":2500}}`:              1,
		`{"function":"bash","arguments":{"command":"git push --force origin main && echo 4471-229-018"}}`:         1,
		`{"function":"get_account","arguments":{"account_number":"4471-229-018"}}`:                                0,
	} {
		e := c.Examine(action(t, body), nil)
		as := e.Assess(1)
		_, carried, masked := e.Mask(as)
		if len(carried) == 0 || masked.Treatment.ApprovalsRequired != want {
			t.Errorf("%s: %d approvals (%d masks), want %d", body, masked.Treatment.ApprovalsRequired, len(carried), want)
		}
		if as.Treatment.Level != masked.Treatment.Level || as.Treatment.Challenge != masked.Treatment.Challenge {
			t.Errorf("%s: %+v, unmasked %+v", body, masked.Treatment, as.Treatment)
		}
	}
}
