package lifetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/scoring"
)

// deploys asks for a version of one service.
func deploys(version string) string {
	return `{"function":"deploy_service","arguments":{"service":"checkout","version":"` + version + `"},"session_id":"s1"}`
}

// Who asks again for the same function and target with other arguments has a newer request; nobody
// else has, and nothing comes of it where the policy does not say so.
func TestNewer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		second string
		other  bool // another agent asks
		newer  bool
	}{
		"another version":             {second: deploys("v42"), newer: true},
		"another version and session": {second: strings.Replace(deploys("v42"), "s1", "s2", 1), newer: true},
		"the same":                    {second: deploys("v41")},
		"another service":             {second: strings.Replace(deploys("v42"), "checkout", "search", 1)},
		"another function":            {second: strings.Replace(deploys("v42"), "deploy", "restart", 1)},
		"another environment":         {second: strings.Replace(deploys("v42"), `"session_id"`, `"environment":"staging","session_id"`, 1)},
		"another agent":               {second: deploys("v42"), other: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			first := h.waiting(deploys("v41"), scoring.ChallengeConfirm)
			agent := h.agent
			if c.other {
				agent = h.other
			}
			second, _, err := h.Submit(t.Context(), agent, approvals.Submission{Action: action(t, c.second)})
			must(t, err)
			want := map[string]string{first.ID: "", second.ID: ""}
			if c.newer {
				want[first.ID] = second.ID
			}
			page, err := h.Queue(t.Context(), h.ada, approvals.QueueQuery{Limit: 9})
			must(t, err)
			for _, l := range page.Lines {
				if l.Newer != want[l.ID] {
					t.Errorf("the row of %s says %q, want %q", l.ID, l.Newer, want[l.ID])
				}
			}
			own, _, err := h.List(t.Context(), h.agent, approvals.Filter{})
			must(t, err)
			for _, v := range own {
				if v.Newer != want[v.ID] {
					t.Errorf("its agent is told %q of %s, want %q", v.Newer, v.ID, want[v.ID])
				}
			}
			got, err := h.Get(t.Context(), h.agent, first.ID)
			must(t, err)
			v := h.show(h.ada, first.ID)
			if got.Newer != want[first.ID] || (v.NewerRequest != nil) != c.newer || c.newer && v.NewerRequest.ID != second.ID {
				t.Errorf("its agent is told %q, the page %+v; want %q", got.Newer, v.NewerRequest, want[first.ID])
			}
			changes, err := h.Changes(t.Context(), "acme", []string{second.ID})
			must(t, err)
			if told := len(changes.IDs) == 2 && changes.IDs[1] == first.ID; told != c.newer && name != "the same" {
				t.Errorf("with the second one %q are told, want the first too: %t", changes.IDs, c.newer)
			}
			h.status("the first", first.ID, approvals.Pending)
		})
	}
}

// Two edits of one file are both wanted.
func TestEditsAreNoNewerRequests(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	edits := func(old string) string {
		return `{"function":"Edit","arguments":{"file_path":"/etc/hosts","old_string":"` + old + `","new_string":"127.0.0.1"},"session_id":"s1"}`
	}
	first, second := h.submit(edits("10.0.0.1")), h.submit(edits("10.0.0.2"))
	for _, id := range []string{first.ID, second.ID} {
		if v := h.show(h.ada, id); v.NewerRequest != nil {
			t.Errorf("%s has the newer request %s", id, v.NewerRequest.ID)
		}
	}
}

// Where the policy says so, the newer request ends the older one: the agent that waits hears it,
// the trail tells of it, and nothing else ends.
func TestNewerEndsOlder(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.policy(func(p *scoring.Policy) { p.NewerEndsOlder, p.MinReviewSeconds = true, scoring.PerLevel[int]{} })
		decided := h.waiting(deploys("v39"), scoring.ChallengeConfirm)
		_, err := h.decide(h.ben, decided.ID, form(h.show(h.ben, decided.ID)))
		must(t, err)
		refused := h.refuse(h.ben, h.waiting(deploys("v40"), scoring.ChallengeConfirm), approvals.VerdictRequestChanges)
		first, same := h.waiting(deploys("v41"), scoring.ChallengeConfirm), h.waiting(deploys("v41"), scoring.ChallengeConfirm)
		h.status("what waits of the same act", first.ID, approvals.Pending)
		others := h.waiting(strings.Replace(deploys("v41"), "checkout", "search", 1), scoring.ChallengeConfirm)
		// The list says only where to look: a row that says otherwise ends nothing.
		h.exec(fmt.Sprintf("UPDATE approval_targets SET target = (SELECT target FROM approval_targets WHERE approval_id = '%s') WHERE approval_id = '%s'", first.ID, others.ID))

		heard := make(chan approvals.Approval, 1)
		go func() {
			a, err := h.Wait(t.Context(), h.agent, first.ID, approvals.MaxWait)
			if err != nil {
				t.Error(err)
			}
			heard <- a
		}()
		newer := h.waiting(deploys("v42"), scoring.ChallengeConfirm)
		a := <-heard
		d := a.Decision
		if a.Status != approvals.Cancelled || !a.Superseded() || a.Newer != newer.ID || d.Verdict != approvals.VerdictCancel ||
			!strings.HasPrefix(d.Reason, "superseded: ") || !strings.HasSuffix(d.Reason, newer.ID) {
			t.Errorf("the agent that waits hears %s, %+v, newer %q", a.Status, d, a.Newer)
		}
		h.status("the same act", same.ID, approvals.Cancelled)
		h.status("another target", others.ID, approvals.Pending)
		h.status("what was approved", decided.ID, approvals.Approved)
		h.status("what was refused", refused.ID, approvals.ChangesRequested)
		h.status("the newer one", newer.ID, approvals.Pending)
		h.wantTrail("superseded", first.ID, audit.Submitted, audit.Cancelled)
		if told := h.data(first.ID, audit.Cancelled, "newer"); told != newer.ID {
			t.Errorf("the trail names %q", told)
		}
		_, err = h.decide(h.ada, first.ID, form(h.show(h.ada, newer.ID)))
		if err == nil {
			t.Error("what was superseded was approved")
		}
		h.trail("")
	})
}
