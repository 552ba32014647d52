package scoring

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/level"
)

// What was denied or blocked holds its like: asking again, in the same words or with
// others about the same thing, is no way to another answer.

// Remembered is a denial or a block that holds its like.
type Remembered struct {
	Approval string      `json:"approval"` // its id
	Verdict  string      `json:"verdict"`  // "deny" or "block"
	Level    level.Level `json:"level"`    // that it had
	At       time.Time   `json:"at"`
	By       string      `json:"by"` // the person's name, or "policy"
	// Times is how often its like was asked for before, the first time included.
	Times int `json:"times"`
	// Decides says, of what an assessment remembers, that without it the action would be
	// treated less strictly.
	Decides bool `json:"decides,omitempty"`
}

// Remembering is e with what holds it; nil for nothing.
func (e Examination) Remembering(r *Remembered) Examination {
	e.inputs.Remembered = r
	return e
}

// remembered holds an act like one that was denied or blocked: at least at the level that
// it had, and never below MEDIUM. It reports whether there was one.
func (e *Examination) remembered(a *Assessment) bool {
	r, p := a.Inputs.Remembered, &e.compiled.policy
	if r == nil || p.Judgement.Remembers() == 0 || e.action.LifecyclePoint() != PreToolCall {
		a.Inputs.Remembered = nil
		return false
	}
	l, own, was := max(a.Level, r.Level, level.Medium), a.Treatment, a.Explanation
	if a.Response != Block {
		a.Response = p.hold(l)
	}
	a.Level, a.Treatment = l, p.treat(l, a.Response)
	told := *r
	told.Decides = own.Response != Block && a.Treatment.StricterThan(own)
	a.Remembered = &told
	if told.Decides {
		a.Explanation = fmt.Sprintf("%s as %s: an act like it was %s at %s (%s)", verb(a.Response), l, r.said(), r.At.UTC().Format(time.RFC3339), r.Approval)
		if a.Response == Block {
			a.Explanation += "; the policy denies this level"
		}
		a.Explanation += " (without that: " + strings.ToLower(was[:1]) + strings.TrimSuffix(was[1:], ".") + ")."
	}
	return true
}

// said is the verdict as a sentence has it.
func (r Remembered) said() string {
	if r.Verdict == "block" {
		return "blocked"
	}
	return "denied"
}

// Likeness names what an act is and what it is about, for one agent: acts with the same
// one are alike. as is the assessment of a, without what was masked; "" where the act is
// about nothing that can be named.
func (a Action) Likeness(as Assessment) string {
	f, ok := facts.Salient(a.call(), as.Facts)
	if !ok || a.LifecyclePoint() != PreToolCall {
		return ""
	}
	sum := sha256.Sum256([]byte(a.Function() + "\x00" + string(as.Floor.Effect) + "\x00" + f.Value))
	return "like:" + hex.EncodeToString(sum[:])
}
