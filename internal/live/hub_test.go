package live_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/countersign/countersign/internal/live"
)

func TestWatchSeesItsTenantOnly(t *testing.T) {
	t.Parallel()
	h := live.New()
	acme, other := h.Watch("acme"), h.Watch("other")
	defer acme.Close()
	defer other.Close()

	h.Publish("acme", "apr_1")
	h.Publish("acme", "apr_1")
	h.Publish("acme", "apr_2")

	<-acme.C()
	ids, lost := acme.Take()
	slices.Sort(ids)
	if want := []string{"apr_1", "apr_2"}; !slices.Equal(ids, want) || lost {
		t.Errorf("acme took %v, lost %v; want %v once each", ids, lost, want)
	}
	if ids, _ := other.Take(); len(ids) != 0 {
		t.Errorf("the other tenant took %v", ids)
	}
	select {
	case <-other.C():
		t.Error("the other tenant was woken")
	default:
	}
}

func TestWatchIDSeesItsIDOnly(t *testing.T) {
	t.Parallel()
	h := live.New()
	w := h.WatchID("acme", "apr_1")
	h.Publish("acme", "apr_2")
	h.Publish("other", "apr_1")
	if ids, _ := w.Take(); len(ids) != 0 {
		t.Fatalf("took %v, which nobody published for it", ids)
	}
	h.Publish("acme", "apr_1")
	<-w.C()
	if ids, _ := w.Take(); !slices.Equal(ids, []string{"apr_1"}) {
		t.Fatalf("took %v", ids)
	}
	w.Close()
	w.Close()
	h.Publish("acme", "apr_1")
	if ids, _ := w.Take(); len(ids) != 0 {
		t.Fatalf("a closed watch took %v", ids)
	}
}

func TestPublishNeverBlocksAndSaysWhatItLost(t *testing.T) {
	t.Parallel()
	h := live.New()
	slow := h.Watch("acme")
	defer slow.Close()
	for i := range 5000 {
		h.Publish("acme", fmt.Sprint("apr_", i))
	}
	ids, lost := slow.Take()
	if len(ids) != 4096 || !lost {
		t.Errorf("took %d ids, lost %v; want 4096 and the word that more were lost", len(ids), lost)
	}
	if _, lost := slow.Take(); lost {
		t.Error("the loss was told twice")
	}
}

func TestHubUnderRace(t *testing.T) {
	t.Parallel()
	h := live.New()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 200 {
				w := h.WatchID("acme", fmt.Sprint(j%5))
				h.Publish("acme", fmt.Sprint(i%5))
				w.Take()
				w.Close()
			}
		})
	}
	wg.Wait()
}

// What is published here is told to the other servers; what they told is not told
// back, or two servers would echo for ever.
func TestForward(t *testing.T) {
	t.Parallel()
	h := live.New()
	var told []string
	h.Forward(func(tenant string) { told = append(told, tenant) })
	w := h.Watch("acme")
	defer w.Close()
	one := h.WatchID("beta", "apr_1")
	defer one.Close()
	h.Publish("acme", "apr_1")
	h.Hear("beta", "apr_1")
	if !slices.Equal(told, []string{"acme"}) {
		t.Errorf("forwarded %v, want acme alone", told)
	}
	<-one.C()
	<-w.C()
	watched := h.Watched()
	slices.Sort(watched)
	if !slices.Equal(watched, []string{"acme", "beta"}) {
		t.Errorf("watched: %v", watched)
	}
	h.Forward(nil)
	h.Publish("acme", "apr_2")
	if len(told) != 1 {
		t.Errorf("forwarded %v after the end", told)
	}
}
