package lifetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store/rollbacktest"
)

// once is an act that must have its effect for good. again tries to act as if it had not been
// done, and reports whether that worked.
type once struct {
	do    func() error
	again func() bool
	tidy  func() error
}

// acts are the acts that somebody might want to undo.
func (h *house) acts(n int) map[string]func() once {
	t := h.t
	lets := func(body string) func() bool {
		return func() bool {
			a, _, err := h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, body)})
			return err == nil && a.Status == approvals.Approved
		}
	}
	wait := func() (approvals.Approval, approvals.Review) {
		a := h.waiting(confirmWith(fmt.Sprintf("service-%d", n)), scoring.ChallengeConfirm)
		return a, h.show(h.ada, a.ID)
	}
	approve := func(id string, v approvals.Review) func() bool {
		return func() bool { _, err := h.decide(h.ada, id, form(v)); return err == nil }
	}
	return map[string]func() once{
		"a spent grant": func() once {
			a := h.submit(harmless)
			spend := func() error { _, err := h.consume(a, a.Digest, ""); return err }
			return once{do: spend, again: func() bool { return spend() == nil }}
		},
		"a denial": func() once {
			a, v := wait()
			return once{
				do: func() error {
					_, err := h.decide(h.ben, a.ID, approvals.DecideInput{Verdict: approvals.VerdictDeny, Reason: "no", Digest: a.ShownDigest, Version: a.Version})
					return err
				},
				again: approve(a.ID, v),
			}
		},
		"a stricter policy": func() once {
			set := func(k scoring.ChallengeKind) error {
				h.policy(func(p *scoring.Policy) { p.Challenges.Low = k })
				return nil
			}
			return once{
				do: func() error { return set(scoring.ChallengeDeny) }, again: lets(harmless),
				tidy: func() error { return set(scoring.ChallengeNone) },
			}
		},
		"an emergency stop": func() once {
			return once{
				do:    func() error { return h.rooms().StopAllFromOutside(t.Context(), "acme", "a leak") },
				again: lets(harmless),
				tidy:  func() error { return h.rooms().ResumeFromOutside(t.Context(), "acme", "it was none") },
			}
		},
		"a suspended operator": func() once {
			a, v := wait()
			return once{
				do:    func() error { return h.rooms().Suspend(t.Context(), h.eve, h.ada.Person.ID, "on leave") },
				again: approve(a.ID, v),
				tidy: func() error {
					_, err := h.rooms().Reinstate(t.Context(), h.eve, h.ada.Person.ID)
					return err
				},
			}
		},
		"a revoked standing approval": func() once {
			body := confirmWith(fmt.Sprintf("nightly-%d", n))
			g := h.allow(h.ada, ahead(h.waiting(body, scoring.ChallengeConfirm), 3))
			return once{do: func() error { return h.RevokeStanding(t.Context(), h.ada, g.ID, "no") }, again: lets(body)}
		},
		"a yes to what is spent since": func() once {
			a, v := wait()
			return once{
				do: func() error {
					done, err := h.decide(h.ada, a.ID, form(v))
					if err != nil {
						return err
					}
					_, err = h.consume(done, done.Digest, "")
					return err
				},
				again: func() bool {
					done, err := h.decide(h.ada, a.ID, form(v))
					if err != nil {
						done = h.get(a.ID)
					}
					_, err = h.consume(done, done.Digest, "")
					return err == nil
				},
			}
		},
	}
}

// A database writer who puts back the rows of a moment ago, all of them or some tables, undoes
// nothing that anybody acted on: under the server that did it, under another one, across a
// restart, and where the data directory forgot.
func TestRollBack(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.policy(func(p *scoring.Policy) {
			p.MinReviewSeconds, p.EarlyAnswer, p.FreshSignInMinutes = scoring.PerLevel[int]{}, scoring.EarlyFlag, 0
		})
		h.eve.Roles = []auth.Role{auth.Admin}
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		r := rand.New(rand.NewPCG(seed, 1))
		one := h.server()
		two := h.process(h.heads)
		names := []string{
			"a spent grant", "a denial", "a stricter policy", "an emergency stop", "a suspended operator", "a revoked standing approval", "a yes to what is spent since",
		}
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		few := len(names)
		if h.clock == nil { // whose tables take longer to put back
			few = 3
		}
		for n := range long.Count(few, 1000) {
			name := names[n%len(names)]
			h.use(one)
			act := h.acts(n)[name]()
			before := rollbacktest.Take(t, h.raw, h.clock != nil)
			if err := act.do(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			after := rollbacktest.Take(t, h.raw, h.clock != nil)
			changed := before.Changed(t)
			servers := map[string]func() server{
				"who did it":            func() server { return one },
				"another one":           func() server { return two },
				"the next process":      func() server { return h.process(h.heads) },
				"who did it, forgetful": func() server { h.heads.Forget("acme"); return one },
			}
			for _, tables := range [][]string{nil, {"audit_logs"}, some(r, changed), some(r, changed)} {
				under := slices.Sorted(maps.Keys(servers))
				if tables != nil {
					under = some(r, under)[:1]
				}
				for _, what := range under {
					server := servers[what]
					h.heads.Remember(t, h.db, "acme")
					was := h.stored("SELECT note FROM audit_logs")
					before.PutBack(t, tables...)
					put := h.stored("SELECT note FROM audit_logs")
					h.use(server())
					if act.again() {
						t.Errorf("%s: undone under %s, with %q put back", name, what, tables)
					}
					tried := h.stored("SELECT note FROM audit_logs")
					after.PutBack(t)
					if was == put && tried != put { // an honest log grew by the try, and the test itself took that back
						h.heads.Forget("acme")
						one, two = h.process(h.heads), h.process(h.heads)
					}
				}
			}
			h.use(one)
			h.heads.Remember(t, h.db, "acme")
			if act.tidy != nil {
				if err := act.tidy(); err != nil {
					t.Fatalf("%s: as it was, and still: %v", name, err)
				}
			}
			for _, s := range []server{one, two, h.process(h.heads)} { // no false alarm
				h.use(s)
				if _, _, err := h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, harmless)}); err != nil {
					t.Fatalf("%s: as it was, and still: %v: %s", name, err, h.heads.Problem("acme"))
				}
			}
			before.Forget(t)
			after.Forget(t)
			if (n+1)%100 == 0 {
				t.Logf("%d acts", n+1)
			}
		}
		h.wantVerified()
	})
}

// some are at least one of these.
func some(r *rand.Rand, of []string) []string {
	of = slices.Clone(of)
	r.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
	return of[:1+r.IntN(len(of))]
}

// Hidden events, rows of two honest moments mixed, and events that are added with the right
// leaf and root: each is found where it is used, or has no effect.
func TestHiddenEvents(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		a := h.submit(harmless)
		before := rollbacktest.Take(t, h.raw, h.clock != nil)
		if _, err := h.consume(a, a.Digest, ""); err != nil {
			t.Fatal(err)
		}
		after := rollbacktest.Take(t, h.raw, h.clock != nil)
		h.disarm("audit_events")
		for column, value := range map[string]string{"approval_id": "'apr_none'", "kind": "'x'", "agent_id": "'agt_none'", "actor_id": "'x'", "function": "'x'"} {
			for _, restarted := range []bool{false, true} {
				before.PutBack(t, "grants", "approvals", "executions")
				h.disarmIfAny("audit_events")
				h.exec("UPDATE audit_events SET " + column + " = " + value + " WHERE kind = 'grant.consumed'")
				if restarted {
					h.restart()
				}
				_, err := h.consume(a, a.Digest, "")
				wantFault(t, fmt.Sprintf("spent again with the %s of its event hidden, restarted %t", column, restarted), err, fault.GrantUnproven)
				after.PutBack(t)
			}
		}
	})
}
