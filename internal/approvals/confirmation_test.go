package approvals

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
)

type (
	body = map[string]any
	args = map[string]any
)

// confirming is what the explicit confirmation of a body asks for.
func confirming(t *testing.T, b body) Confirmation {
	t.Helper()
	raw, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := canon.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	action, err := scoring.NewAction(tree)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := scoring.Compile(scoring.DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	exam := policy.Examine(action, nil)
	shown, _, as := exam.Mask(exam.Assess(1))
	a := Approval{Action: shown.Canonical(), Function: action.Function(), Assessment: as, Treatment: as.Treatment}
	return a.confirmation(a.Subject())
}

func all(n int) []int {
	ticks := make([]int, n)
	for i := range ticks {
		ticks[i] = i + 1
	}
	return ticks
}

// TestTarget: what is typed is compared byte for byte after NFC, and nothing else
// is forgiven.
func TestTarget(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ab", 30) + "/" + strings.Repeat("ç", 24) // 85 characters
	for name, c := range map[string]struct {
		account      string
		typed, wrong []string
	}{
		"plain":         {"usr_500", []string{"usr_500"}, []string{"", "usr_501", "USR_500", " usr_500", "usr_500 ", "usr_500\n", "usr_50", "usr_500usr_500"}},
		"composed":      {"Müller", []string{"M\u00fcller", "Mu\u0308ller"}, []string{"Muller", "Mueller"}},
		"decomposed":    {"Mu\u0308ller", []string{"M\u00fcller", "Mu\u0308ller"}, []string{"Muller"}},
		"looks alike":   {"раypal", []string{"раypal"}, []string{"paypal"}}, // the first two are Cyrillic
		"compatibility": {"ﬁle", []string{"ﬁle"}, []string{"file"}},         // NFKC would forgive it
		"long":          {long, []string{strings.Repeat("ç", 24), strings.Repeat("c\u0327", 24)}, []string{long, strings.Repeat("ç", 23), strings.Repeat("ç", 25)}},
	} {
		conf := confirming(t, body{"function": "delete_user", "arguments": args{"account": c.account}})
		if conf.Target != c.account || !conf.Specific {
			t.Errorf("%s: the target is %q (specific: %v)", name, conf.Target, conf.Specific)
		}
		for _, typed := range c.typed {
			if err := conf.check(DecideInput{Target: typed, Consequences: all(len(conf.Consequences))}); err != nil {
				t.Errorf("%s: %q: %v", name, typed, err)
			}
		}
		for _, typed := range c.wrong {
			err := conf.check(DecideInput{Target: typed, Consequences: all(len(conf.Consequences))})
			wantFault(t, name+": "+typed, err, fault.WrongAnswer)
			if f := fault.As(err); f.Member != "target" || strings.Contains(f.Detail, conf.Typed) {
				t.Errorf("%s: the refusal of %q names %q and says %q", name, typed, f.Member, f.Detail)
			}
		}
	}
	none := confirming(t, body{"function": "restart_all"})
	if none.Target != "restart_all" || none.Specific {
		t.Errorf("without a target: %+v", none)
	}
	wantFault(t, "nothing to type matches nothing", Confirmation{Consequences: nil}.check(DecideInput{}), fault.WrongAnswer)
}

// TestTicks: every consequence, by its number; more than those do no harm.
func TestTicks(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	conf := confirming(t, body{"function": "delete_user", "docstring": "This is irreversible.", "arguments": args{"user_id": "usr_1", "count": 214, "env": "production"}})
	if len(conf.Consequences) != 3 {
		t.Fatalf("the consequences are %q", conf.Consequences)
	}
	for _, ticks := range [][]int{{1, 2, 3}, {3, 2, 1}, {1, 1, 2, 3, 9}} {
		if err := conf.check(DecideInput{Target: "usr_1", Consequences: ticks}); err != nil {
			t.Errorf("ticks %v: %v", ticks, err)
		}
	}
	for _, ticks := range [][]int{nil, {1}, {1, 2}, {2, 3}, {0, 1, 2}, {1, 2, 4}, {-1, -2, -3}, {1, 1, 1}} {
		err := conf.check(DecideInput{Target: "usr_1", Consequences: ticks})
		wantFault(t, "too few ticks", err, fault.WrongAnswer)
		if f := fault.As(err); f.Member != "consequence" {
			t.Errorf("ticks %v: the refusal names %q", ticks, f.Member)
		}
	}
	// The target is looked at first: who ticks all and types nothing is told so.
	if f := fault.As(conf.check(DecideInput{})); f.Member != "target" {
		t.Errorf("nothing at all: the refusal names %q", f.Member)
	}
}

// TestChallengeBinding: a challenge is good for one person, one approval, its
// version and digest, its kind and state, and five minutes.
func TestChallengeBinding(t *testing.T) {
	t.Parallel()
	a := inStatus(Pending)
	c := Challenge{
		Approval: a.ID, Person: "per_1", Version: a.Version, Digest: a.ShownDigest, Kind: scoring.ChallengeQuiz, State: ChallengePassed,
		IssuedAt: noon, ExpiresAt: noon.Add(challengeLife),
	}
	for name, v := range map[string]struct {
		change func(*Challenge)
		at     time.Duration
		want   bool
	}{
		"it":                  {func(*Challenge) {}, 0, true},
		"just in time":        {func(*Challenge) {}, challengeLife - 1, true},
		"at its end":          {func(*Challenge) {}, challengeLife, false},
		"another approval":    {func(c *Challenge) { c.Approval = "apr_2" }, 0, false},
		"another person":      {func(c *Challenge) { c.Person = "per_2" }, 0, false},
		"an older version":    {func(c *Challenge) { c.Version-- }, 0, false},
		"another digest":      {func(c *Challenge) { c.Digest = a.Digest }, 0, false},
		"an easier challenge": {func(c *Challenge) { c.Kind = scoring.ChallengeConfirm }, 0, false},
		"not passed":          {func(c *Challenge) { c.State = ChallengeOpen }, 0, false},
		"failed":              {func(c *Challenge) { c.State = ChallengeFailed }, 0, false},
		"spent":               {func(c *Challenge) { c.State = ChallengeSpent }, 0, false},
		"left":                {func(c *Challenge) { c.State = ChallengeLeft }, 0, false},
	} {
		d := c
		v.change(&d)
		if got := d.valid(a, "per_1", scoring.ChallengeQuiz, ChallengePassed, noon.Add(v.at)); got != v.want {
			t.Errorf("%s: valid is %v", name, got)
		}
	}
}
