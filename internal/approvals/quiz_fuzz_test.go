package approvals

import (
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
)

// FuzzQuiz makes sure that any action that the gate accepts makes a whole quiz or none, that
// whoever reads its questions' answers passes, and that it does not panic: an agent chooses
// every byte of it.
func FuzzQuiz(f *testing.F) {
	for _, seed := range []string{
		`{"function":"delete_user","arguments":{"user_id":"usr_4183","reason":"","env":"production"}}`,
		`{"function":"send_email","arguments":{"to":["","a@example.com"],"":"","subject":" ","amount":"€","count":""}}`,
		`{"function":"refund","arguments":{"amount":48200,"currency":"EUR","ids":["ord_77120","ord_77121"],"a b":{"c":["x",null,true,{}]}}}`,
		`{"function":"run_sql","code":"DELETE FROM orders WHERE id = 7","environment":"production"}`,
		`{"function":"→","arguments":{"command":["psql","-c"],"ticket":"SUP-77120","badge":"B9-1364","2":"ab 12","to":"x/24"}}`,
		`{"function":"حذف","arguments":["\u200f","ｄｅｌｅｔｅ"],"environment":"prod"}`,
	} {
		f.Add([]byte(seed), uint64(1))
	}
	f.Fuzz(func(t *testing.T, body []byte, seed uint64) {
		tree, err := canon.Parse(body)
		if err != nil {
			return
		}
		action, err := scoring.NewAction(tree)
		if err != nil {
			return
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
	})
}
