package approvals

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/near"
	"github.com/countersign/countersign/internal/scoring"
)

// TestAnyAction makes sure that any action that the gate accepts makes a whole quiz or none,
// that whoever reads its questions' answers passes, and that it does not panic: an agent chooses
// every byte of it.
func TestAnyAction(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	seeds := []string{
		`{"function":"delete_user","arguments":{"user_id":"usr_4183","reason":"","env":"production"}}`,
		`{"function":"send_email","arguments":{"to":["","a@example.com"],"":"","subject":" ","amount":"€","count":""}}`,
		`{"function":"refund","arguments":{"amount":48200,"currency":"EUR","ids":["ord_77120","ord_77121"],"a b":{"c":["x",null,true,{}]}}}`,
		`{"function":"run_sql","code":"DELETE FROM orders WHERE id = 7","environment":"production"}`,
		`{"function":"→","arguments":{"command":["psql","-c"],"ticket":"SUP-77120","badge":"B9-1364","2":"ab 12","to":"x/24"}}`,
		`{"function":"حذف","arguments":["\u200f","ｄｅｌｅｔｅ"],"environment":"prod"}`,
	}
	for _, seed := range seeds {
		asksWholly(t, []byte(seed), 1)
	}
	bodies := near.Text(seeds...)
	names := rapid.OneOf(near.Text("user_id", "amount", "to", "table"), rapid.SampledFrom([]string{"user_id", "order_id", "badge", "voucher", "ticket", "amount", "currency", "to", "table", "path", "service", "command"}))
	ids := rapid.Map(rapid.StringMatching(`(usr_|W|B|ord-)?[0-9]{4,7}`), func(id string) any { return id })
	texts := near.Text("", " ", "€", "DELETE FROM orders WHERE id = 7", "usr_4183", "ord_77120", "48200", "production", "a@example.com", "x/24", "\u200f", "ｄｅｌｅｔｅ", "rm -rf /srv/x")
	asked := 0
	for range long.Count(3, 100) { // of a hundred
		rapid.Check(t, func(t *rapid.T) {
			body := []byte(bodies.Draw(t, "body"))
			if rapid.IntRange(0, 3).Draw(t, "well formed") > 0 {
				values := rapid.OneOf(ids, ids, near.Value(texts, 2))
				act := map[string]any{"function": rapid.SampledFrom([]string{"delete_user", "refund", "send_email", "run_sql", "→", "حذف"}).Draw(t, "function"), "arguments": rapid.MapOfN(names, values, 3, 12).Draw(t, "arguments")}
				for _, member := range []string{"code", "docstring", "environment"} {
					if rapid.Bool().Draw(t, member) {
						act[member] = texts.Draw(t, member)
					}
				}
				var err error
				if body, err = json.Marshal(act); err != nil {
					t.Fatal(err)
				}
			}
			if asksWholly(t, body, rapid.Uint64().Draw(t, "seed")) {
				asked++
			}
		})
	}
	if asked < 20 {
		t.Errorf("%d of them made a quiz, so nothing is tested", asked)
	}
}

// asksWholly holds the quiz about what this body asks for; it is false where there is none.
func asksWholly(t rapid.TB, body []byte, seed uint64) bool {
	tree, err := canon.Parse(body)
	if err != nil {
		return false
	}
	action, err := scoring.NewAction(tree)
	if err != nil {
		return false
	}
	exam := compiled().Examine(action, nil)
	shown, carried, as := exam.Mask(exam.Assess(1))
	as.Treatment.Challenge = scoring.ChallengeQuiz
	a := Approval{
		ID: "apr_fuzz", Agent: Agent{Name: "fuzz"}, Action: shown.Canonical(), Digest: action.Digest(), ShownDigest: shown.Digest(), Carried: carried,
		Function: action.Function(), Assessment: as, Treatment: as.Treatment,
	}
	a.asksQuiz()
	set := quiz(a, newAround(a, []Approval{a}), asked{}, seeded(seed))
	if set != nil && len(set) != quizQuestions {
		t.Fatalf("%d questions", len(set))
	}
	for _, q := range set {
		if q.Typed == (len(q.Options) == quizOptions) {
			t.Errorf("%+v", q)
		}
		if q.Typed {
			q.Answer = q.Right
		}
		for _, o := range q.Options {
			if o.ID == q.Right {
				q.Answer = o.ID
			}
		}
		if !q.correct() {
			t.Errorf("the right answer is refused: %+v", q)
		}
	}
	return set != nil
}
