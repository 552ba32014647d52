package tenants

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/countersign/countersign/internal/auth"
)

// When a key was last used is worth knowing and not worth waiting for. A request
// leaves a note in memory; one goroutine writes the notes, all of a tenant in one
// transaction, and a key at most once a UsageStep. A note that cannot be written
// is dropped: the next request leaves another.

// UsageStep is how exactly the last use is known.
const UsageStep = time.Minute

const (
	usageEvery = time.Second     // how soon a first use shows
	usageLast  = 2 * time.Second // how long the last write may take at the end
)

type usedKey struct{ tenant, agent, key string }

// usage is safe for concurrent use.
type usage struct {
	mu      *sync.Mutex
	noted   map[usedKey]time.Time // to be written
	written map[usedKey]time.Time // within the last UsageStep
}

func newUsage() usage {
	return usage{mu: &sync.Mutex{}, noted: map[usedKey]time.Time{}, written: map[usedKey]time.Time{}}
}

// note remembers a use, unless one was written lately.
func (u usage) note(a auth.Agent, at time.Time) {
	k := usedKey{a.Tenant, a.ID, a.KeyID}
	u.mu.Lock()
	defer u.mu.Unlock()
	if last, ok := u.written[k]; ok && at.Sub(last) < UsageStep {
		return
	}
	u.noted[k] = at
}

// use is a note that was taken out to be written.
type use struct {
	usedKey
	at time.Time
}

// take returns the notes by tenant, each tenant's in the order of its agents and
// keys: of two servers that write the same ones, none waits for one that waits for it.
func (u usage) take() map[string][]use {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := map[string][]use{}
	for k, at := range u.noted {
		all[k.tenant] = append(all[k.tenant], use{k, at})
	}
	clear(u.noted)
	for _, uses := range all {
		slices.SortFunc(uses, func(a, b use) int {
			return cmp.Or(strings.Compare(a.agent, b.agent), strings.Compare(a.key, b.key))
		})
	}
	return all
}

// wrote remembers what was written, and forgets what was long ago.
func (u usage) wrote(uses []use) {
	u.mu.Lock()
	defer u.mu.Unlock()
	var newest time.Time
	for _, one := range uses {
		u.written[one.usedKey] = one.at
		if one.at.After(newest) {
			newest = one.at
		}
	}
	for k, at := range u.written {
		if newest.Sub(at) >= UsageStep {
			delete(u.written, k)
		}
	}
}

// WriteUsage writes what was noted until now. The error is of the first tenant
// that could not be written; the others are.
func (s *Service) WriteUsage(ctx context.Context) (failed error) {
	for tenant, uses := range s.usage.take() {
		err := s.store.Aside(ctx, tenant, func(w Writer) error {
			for _, one := range uses {
				if err := w.Used(one.agent, one.key, one.at); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			s.usage.wrote(uses)
		} else if failed == nil {
			failed = err
		}
	}
	return failed
}

// KeepUsage writes the notes until ctx ends, and then those that are left.
func (s *Service) KeepUsage(ctx context.Context) {
	tick := time.NewTicker(usageEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := s.WriteUsage(ctx); err != nil && ctx.Err() == nil {
				s.log.WarnContext(ctx, "the last use of some keys was not written", "error", err)
			}
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), usageLast)
			defer cancel()
			if err := s.WriteUsage(last); err != nil {
				s.log.WarnContext(last, "the last use of some keys was not written", "error", err)
			}
			return
		}
	}
}
