package console

import (
	"context"
	"sync"

	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/fault"
)

// socketsPerPerson bounds how many pages one person may have live at once.
const socketsPerPerson = 20

// sockets counts the open feeds, so that they can be ended and waited for.
type sockets struct {
	mu      sync.Mutex
	closing bool
	persons map[string]int
	running sync.WaitGroup
	stop    chan struct{} // closed when the console closes
}

func newSockets() *sockets {
	return &sockets{persons: map[string]int{}, stop: make(chan struct{})}
}

// enter counts one more feed of a person. leave must be called when it is over.
func (k *sockets) enter(person string) (leave func(), err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closing {
		return nil, fault.New(fault.NotReady, "the server is restarting; the page comes back by itself")
	}
	if k.persons[person] >= socketsPerPerson {
		return nil, fault.New(fault.RateLimited, "at most %d live pages per person; close some", socketsPerPerson)
	}
	k.persons[person]++
	k.running.Add(1)
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.persons[person]--; k.persons[person] == 0 {
			delete(k.persons, person)
		}
		k.running.Done()
	}, nil
}

// open is how many feeds there are now.
func (k *sockets) open() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := 0
	for _, of := range k.persons {
		n += of
	}
	return n
}

// close lets nobody in any more, tells everybody to come back, and waits until
// all have gone or ctx ends.
func (k *sockets) close(ctx context.Context) error {
	k.mu.Lock()
	if !k.closing {
		k.closing = true
		close(k.stop)
	}
	k.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		k.running.Wait()
		close(gone)
	}()
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Feed is the open pages of this server.
type Feed struct {
	*edge.Console
	sockets   *sockets
	hubs      *hubs
	openPages *openPages
}

func newFeed(c *edge.Console) *Feed {
	return &Feed{Console: c, sockets: newSockets(), hubs: newHubs(), openPages: newOpenPages()}
}
