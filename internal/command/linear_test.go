package command

import (
	"net/http"
	"testing"

	"github.com/anishathalye/porcupine"
)

// verb is what somebody tries with an approval.
type verb string

const (
	approves  verb = "approve"
	denies    verb = "deny"
	cancels   verb = "cancel"
	withdraws verb = "withdraw" // a yes
	consumes  verb = "consume"
	reads     verb = "read"
)

// told is what the server answered: the status of HTTP, and what an agent learns
// beside it: the status of the approval, or the last part of the problem's type.
type told struct {
	code int
	says string
}

// life is an approval as everybody who watches must see it: as if there were one
// copy, and one act at a time.
type life struct {
	status   string // pending until a final one
	overdue  bool   // pending, but somebody was told that its time is over
	consumed bool
	void     bool // somebody withdrew the yes
}

// lives is that as a model for porcupine.
var lives = porcupine.Model{
	Init: func() any { return life{status: "pending"} },
	Step: func(state, input, output any) (bool, any) {
		l := state.(life)
		ok := l.step(input.(verb), output.(told))
		return ok, l
	},
}

// ends are the verbs that end a life, and how.
var ends = map[verb]string{approves: "approved", denies: "denied", cancels: "cancelled"}

// step reports whether l can answer so, and makes l what it is afterwards.
func (l *life) step(v verb, t told) bool {
	switch {
	case v == reads && t.says == "expired" && l.status == "pending":
		l.status = "expired" // the clock has no call of its own
		return true
	case v == reads:
		return t.says == l.status
	case v == consumes && t.code == http.StatusOK:
		can := l.status == "approved" && !l.consumed && !l.void
		l.consumed = true
		return can
	case v == consumes && t.says == "not-approved":
		return l.status != "approved"
	case v == consumes:
		return t.says == "already-consumed" && l.consumed || t.says == "grant-void" && l.void
	case v == withdraws && t.code == http.StatusOK:
		can := l.status == "approved" && !l.consumed && !l.void
		l.void = true
		return can
	case v == withdraws:
		return t.code == http.StatusConflict && (l.status != "approved" || l.consumed || l.void)
	case t.code == http.StatusOK:
		can := l.status == "pending" && !l.overdue
		l.status = ends[v]
		return can
	case t.code == http.StatusGone || t.says == "expired":
		if l.status == "pending" {
			l.overdue = true
		}
		return l.overdue || l.status == "expired"
	default:
		return t.code == http.StatusConflict && l.status != "pending" && l.status != "expired"
	}
}

// What is no life is found: otherwise the races prove nothing.
func TestImpossibleLives(t *testing.T) {
	t.Parallel()
	ok, conflict, gone := told{code: 200}, told{code: 409, says: "already-decided"}, told{code: 410}
	type act struct {
		verb
		told
	}
	for name, c := range map[string]struct {
		possible bool
		acts     []act // one after the other
	}{
		"approved and spent":          {true, []act{{approves, ok}, {consumes, ok}, {consumes, told{409, "already-consumed"}}, {denies, conflict}, {reads, told{200, "approved"}}}},
		"expired before it was swept": {true, []act{{approves, gone}, {reads, told{200, "pending"}}, {reads, told{200, "expired"}}, {denies, gone}, {consumes, told{409, "not-approved"}}}},
		"approved and withdrawn":      {true, []act{{withdraws, conflict}, {approves, ok}, {withdraws, ok}, {consumes, told{409, "grant-void"}}, {withdraws, conflict}, {reads, told{200, "approved"}}}},
		"withdrawn too late":          {true, []act{{approves, ok}, {consumes, ok}, {withdraws, conflict}, {consumes, told{409, "already-consumed"}}}},
		"withdrawn and spent":         {false, []act{{approves, ok}, {withdraws, ok}, {consumes, ok}}},
		"spent and withdrawn":         {false, []act{{approves, ok}, {consumes, ok}, {withdraws, ok}}},
		"withdrawn without a yes":     {false, []act{{withdraws, ok}, {approves, ok}}},
		"void by nobody":              {false, []act{{approves, ok}, {consumes, told{409, "grant-void"}}}},
		"two decisions":               {false, []act{{approves, ok}, {denies, ok}}},
		"spent twice":                 {false, []act{{approves, ok}, {consumes, ok}, {consumes, ok}}},
		"spent without a grant":       {false, []act{{denies, ok}, {consumes, ok}}},
		"spent before it is approved": {false, []act{{consumes, ok}, {approves, ok}}},
		"an approval that is lost":    {false, []act{{approves, ok}, {reads, told{200, "pending"}}}},
		"decided after its time":      {false, []act{{denies, gone}, {approves, ok}}},
		"decided after it expired":    {false, []act{{reads, told{200, "expired"}}, {approves, ok}}},
		"refused without a reason":    {false, []act{{approves, conflict}}},
		"a grant that is not there":   {false, []act{{approves, ok}, {consumes, told{409, "not-approved"}}}},
		"a server that fails":         {false, []act{{approves, told{code: 500}}}},
	} {
		var history []porcupine.Operation
		for i, a := range c.acts {
			at := int64(2 * i)
			history = append(history, porcupine.Operation{ClientId: i, Input: a.verb, Call: at, Output: a.told, Return: at + 1})
		}
		if got := porcupine.CheckOperations(lives, history); got != c.possible {
			t.Errorf("%s: possible is %v, want %v", name, got, c.possible)
		}
	}
}
