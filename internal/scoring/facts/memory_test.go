package facts

import (
	"runtime"
	"sync"
	"testing"
)

// What waits for the next text is small: a large piece goes to a long text only, and
// never survives the garbage collector.
func TestMemoryThatWaitsIsSmall(t *testing.T) {
	t.Parallel()
	type piece struct{ bytes int }
	m := NewMemory(func(p *piece) int { return p.bytes })
	m.Borrow(longText, func(p *piece) { p.bytes = MostKept + 1 })
	for range 8 {
		m.Borrow(longText-1, func(p *piece) {
			if p.bytes > MostKept {
				t.Fatal("a short text got a large piece")
			}
		})
	}
	runtime.GC()
	runtime.GC()
	m.Borrow(longText, func(p *piece) {
		if p.bytes > MostKept {
			t.Fatal("a large piece is kept")
		}
	})
}

// One piece is never with two at once, the large one either.
func TestMemoryIsNotShared(t *testing.T) {
	t.Parallel()
	type piece struct {
		bytes int
		owner int
	}
	m := NewMemory(func(p *piece) int { return p.bytes })
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for range 500 {
				m.Borrow(longText, func(p *piece) {
					p.owner, p.bytes = n, n%2*2*MostKept
					runtime.Gosched()
					if p.owner != n {
						t.Errorf("%d has the memory of %d", p.owner, n)
					}
				})
			}
		})
	}
	all.Wait()
}
