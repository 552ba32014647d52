package console

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/console/trailui"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/views/texts"
)

func TestVerifyNow(t *testing.T) {
	t.Parallel()
	long.Race(t)
	s := newSite(t)
	s.submit(medium)
	ada, cleo := s.signedIn("ada"), s.signedIn("cleo")
	ada.get("/t/acme/audit").want(t, http.StatusOK).without(t, "Verify now", "Export")
	cleo.get("/t/acme/audit").want(t, http.StatusOK, "Verify now", "Export all as CSV")
	before := s.matching(audit.Filter{})
	if got := cleo.post("/t/acme/audit/verification", nil); got.status != http.StatusSeeOther || !strings.HasPrefix(got.location(), "/t/acme/audit") {
		t.Fatalf("%d %s", got.status, got.location())
	}
	if one := s.console.checks.running("acme"); one != nil { // a slow machine
		<-one.ended
	}
	cleo.get("/t/acme/audit/verification").want(t, http.StatusSeeOther)
	ada.get("/t/acme/audit").want(t, http.StatusOK, "Entries 0–"+before[0], "by Cleo", "Verified the trail: ", "1 entry added since then")
	// What a verification finds stands there too, for everybody.
	broken := audit.Report{Tenant: "acme", Size: 3, FirstBroken: 3, Problem: "the stored leaf hash is another one"}
	must(t, s.tenants.Tell(t.Context(), "acme", verifiedEvent("acme", s.personID("cleo"), broken)))
	ada.get("/t/acme/audit").want(t, http.StatusOK, "Verification failed", "the stored leaf hash is another one", `data-tone="bad"`)
}

// What was signed is shown and handed out to whoever may read the trail, held
// against the trail by every verification, and a trail that is no longer it says so.
func TestCheckpoint(t *testing.T) {
	t.Parallel()
	long.Race(t)
	s := newSite(t)
	s.submit(medium)
	ada := s.signedIn("ada")
	ada.get("/t/acme/audit").want(t, http.StatusOK).without(t, "Signed checkpoint")
	ada.get("/t/acme/audit/checkpoint").want(t, http.StatusNotFound, "No checkpoint is signed yet")
	head := must1(s.store.Audit().Head(t.Context(), "acme"))
	signed := audit.SignedCheckpoint{Checkpoint: audit.Checkpoint{Tenant: "acme", Size: head.Size, Root: head.Root, At: s.clock.now()}, Note: []byte("countersign/acme\n<7>\n")}
	s.notes.keep(signed)
	ada.get("/t/acme/audit").want(t, http.StatusOK, "Signed checkpoint of "+trailui.Entries(texts.Printer{}, head.Size), "countersign/acme\n&lt;7&gt;\n", "countersign+00000001+first\ncountersign+00000002+second", "just now")
	got := ada.get("/t/acme/audit/checkpoint").want(t, http.StatusOK)
	if got.body != string(signed.Note) || !strings.HasPrefix(got.header.Get("Content-Type"), "text/plain") ||
		got.header.Get("Content-Disposition") != fmt.Sprintf(`attachment; filename="acme-checkpoint-%d.txt"`, head.Size) {
		t.Errorf("%v %q", got.header, got.body)
	}
	verify := func(says string) {
		t.Helper()
		cleo := s.signedIn("cleo")
		cleo.post("/t/acme/audit/verification", nil)
		if one := s.console.checks.running("acme"); one != nil { // a slow machine
			<-one.ended
		}
		cleo.get("/t/acme/audit").want(t, http.StatusOK, says)
	}
	verify("Entries 0–")
	signed.Size += 1000
	s.notes.keep(signed)
	verify("its end was cut off")
	signed.Problem = "the first events are others"
	s.notes.keep(signed)
	ada.get("/t/acme/audit").want(t, http.StatusOK, "The trail doesn't match what was signed", "the first events are others", `data-tone="bad"`)
}

// A long verification shows how far it is; a second one joins it; a third
// organisation waits.
func TestVerificationsRunBesideRequests(t *testing.T) {
	t.Parallel()
	long.Race(t)
	s := newSite(t)
	b := s.signedIn("cleo")
	hold := map[string]*check{}
	for _, tenant := range []string{"acme", "elsewhere"} {
		hold[tenant] = &check{ended: make(chan struct{})}
		hold[tenant].done.Store(1200)
		hold[tenant].of.Store(4800)
	}
	s.console.checks.mu.Lock()
	s.console.checks.now = hold
	s.console.checks.mu.Unlock()
	page := b.get("/t/acme/audit/verification").want(t, http.StatusOK, "1,200 of 4,800 entries", `value="25"`)
	if page.header.Get("Refresh") != "2" {
		t.Errorf("the page does not look again: %v", page.header)
	}
	if _, err := s.console.checks.start("rival", "per_1"); err == nil {
		t.Error("a third verification runs")
	}
	if one, err := s.console.checks.start("acme", "per_1"); err != nil || one != hold["acme"] {
		t.Errorf("a second verification of one trail: %v, %v", one, err)
	}
	s.console.checks.mu.Lock()
	s.console.checks.now = map[string]*check{}
	s.console.checks.mu.Unlock()
	b.get("/t/acme/audit/verification").want(t, http.StatusSeeOther)
}
