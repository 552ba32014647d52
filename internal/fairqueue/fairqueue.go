// Package fairqueue is a weighted fair queue (start-time fair queueing): work that takes long waits
// for one of a few places, and whoever sends much waits behind themselves, not before others.
package fairqueue

import (
	"container/heap"
	"context"
	"sync"
)

// Queue gives out places. It is safe for concurrent use.
type Queue struct {
	most int // that wait of one sender

	mu      sync.Mutex
	free    int
	now     int64             // virtual time: when the work that began last was due
	senders map[string]sender // who waits or was served since the queue was empty
	waiting byStart
	count   int64
}

type sender struct {
	waits int
	ends  int64 // virtual time: when the work that came last would be done if they had a place of their own
}

type waiter struct {
	by    string
	start int64
	came  int64 // of two that are due at once, who came first
	turn  chan struct{}
	place int // in the heap; -1: it has its turn
}

// New returns a queue of so many places, in which at most so many pieces of work of one sender
// wait.
func New(places, most int) *Queue {
	return &Queue{most: most, free: places, senders: map[string]sender{}}
}

// Enter waits for a place, in turn by sender. Work of a weight counts as so many pieces of work of
// weight 1. ok is false where too many of the sender's wait already. Whoever has a place leaves it.
func (q *Queue) Enter(ctx context.Context, by string, weight int64) (leave func(), ok bool, err error) {
	q.mu.Lock()
	s := q.senders[by]
	if s.waits >= q.most {
		q.mu.Unlock()
		return nil, false, nil
	}
	q.count++
	w := &waiter{by: by, start: max(q.now, s.ends), came: q.count, turn: make(chan struct{})}
	q.senders[by] = sender{s.waits + 1, w.start + weight}
	heap.Push(&q.waiting, w)
	q.next()
	q.mu.Unlock()
	select {
	case <-w.turn:
		return q.leave, true, nil
	case <-ctx.Done():
		q.mu.Lock()
		defer q.mu.Unlock()
		if w.place < 0 { // it had its turn in the same moment
			q.freed()
			return nil, true, ctx.Err()
		}
		heap.Remove(&q.waiting, w.place)
		q.waitsNoMore(by)
		return nil, true, ctx.Err()
	}
}

func (q *Queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.freed()
}

// freed needs the lock, as those below.
func (q *Queue) freed() {
	q.free++
	q.next()
}

// next gives free places to those whose work is due first.
func (q *Queue) next() {
	for q.free > 0 && len(q.waiting) > 0 {
		w := heap.Pop(&q.waiting).(*waiter)
		q.free--
		q.now = w.start
		q.waitsNoMore(w.by)
		close(w.turn)
	}
}

// waitsNoMore forgets senders that are owed nothing and owe nothing.
func (q *Queue) waitsNoMore(by string) {
	s := q.senders[by]
	s.waits--
	q.senders[by] = s
	for name, s := range q.senders {
		if s.waits == 0 && (s.ends <= q.now || len(q.waiting) == 0) {
			delete(q.senders, name)
		}
	}
}

// byStart is a heap.
type byStart []*waiter

func (h byStart) Len() int { return len(h) }

func (h byStart) Less(i, j int) bool {
	return h[i].start < h[j].start || h[i].start == h[j].start && h[i].came < h[j].came
}

func (h byStart) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

// Push is for container/heap.
func (h *byStart) Push(x any) {
	w := x.(*waiter)
	w.place = len(*h)
	*h = append(*h, w)
}

// Pop is for container/heap.
func (h *byStart) Pop() any {
	last := len(*h) - 1
	w := (*h)[last]
	*h = (*h)[:last]
	w.place = -1
	return w
}
