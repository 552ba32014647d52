package outboxtest

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// detail lets every channel say more, as it is now, and people's own.
func (h *house) detail() {
	t := h.t
	t.Helper()
	o, err := h.notices.Overview(t.Context(), h.admin)
	must(t, err)
	h.policy(func(p *scoring.Policy) {
		p.Notices = scoring.NoticeSettings{DetailToPeople: true}
		for _, c := range o.Channels {
			p.Notices.DetailToChannels = append(p.Notices.DetailToChannels, c.Detail)
		}
	})
}

// policy changes it as the command line does.
func (h *house) policy(change func(p *scoring.Policy)) {
	t := h.t
	t.Helper()
	now, err := h.tenants.PolicyOf(t.Context(), "acme")
	must(t, err)
	p := now.Policy
	change(&p)
	_, err = h.tenants.ImportPolicy(t.Context(), "acme", tenants.Change{Base: now.Version, Policy: p, Reason: "a test"})
	must(t, err)
}

// Only a channel that the policy lists, with the settings that it has, says what an agent
// asks for: another one, and the same one at another address, say level, agent and link.
func TestDetailIsForTheAddressThatWasAccepted(t *testing.T) {
	t.Parallel()
	h, accepted, other := newHouse(t), newReceiver(t, nil), newReceiver(t, nil)
	h.add("webhook", map[string]string{"url": accepted.URL + "/one"})
	h.detail()
	h.add("webhook", map[string]string{"url": other.URL + "/two"})
	detailed := func() (all []bool) {
		t.Helper()
		h.submit(medium)
		for range 3 {
			h.round()
		}
		for _, to := range []*receiver{accepted, other} {
			calls := to.calls()
			if len(calls) == 0 {
				t.Fatal("a receiver was not called")
			}
			var said struct{ Data map[string]any }
			must(t, json.Unmarshal(calls[len(calls)-1].body, &said))
			members := slices.Collect(maps.Keys(said.Data))
			all = append(all, slices.Contains(members, "reason") && slices.Contains(members, "sentence"))
		}
		return all
	}
	if got := detailed(); !slices.Equal(got, []bool{true, false}) {
		t.Errorf("the one that was accepted, and one that was added since, say more: %v", got)
	}
	o, err := h.notices.Overview(t.Context(), h.admin)
	must(t, err)
	change := func(id string, values map[string]string) {
		t.Helper()
		must(t, h.notices.Change(t.Context(), h.admin, id, notices.Draft{Name: "renamed", Tells: notices.Kinds(), Values: values}))
	}
	change(o.Channels[0].ID, nil)
	_, err = h.notices.Rotate(t.Context(), h.admin, o.Channels[0].ID)
	must(t, err)
	if got := detailed(); !slices.Equal(got, []bool{true, false}) {
		t.Errorf("with another name and signing secret they say more: %v", got)
	}
	change(o.Channels[0].ID, map[string]string{"url": accepted.URL + "/elsewhere"})
	if got := detailed(); !slices.Equal(got, []bool{false, false}) {
		t.Errorf("at another address they say more: %v", got)
	}
	change(o.Channels[0].ID, map[string]string{"url": accepted.URL + "/one"})
	if got := detailed(); !slices.Equal(got, []bool{true, false}) {
		t.Errorf("back at the address that was accepted they say more: %v", got)
	}
	h.policy(func(p *scoring.Policy) { p.Notices.DetailToChannels = nil })
	if got := detailed(); !slices.Equal(got, []bool{false, false}) {
		t.Errorf("after the policy took it back they say more: %v", got)
	}
}
