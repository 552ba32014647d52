package httpapi

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// buckets are token buckets by name, at most maxNames of them. One that is
// forgotten was not used for longest, so it is full, or somebody has more than
// maxNames names and could use the next one anyway.
type buckets struct {
	rate  rate.Limit
	burst int
	names *recent[string, *rate.Limiter]
}

func newBuckets(perSecond, burst int) *buckets {
	return &buckets{rate: rate.Limit(perSecond), burst: burst, names: newRecent[string, *rate.Limiter]()}
}

// take uses up one token, or says how long until there is one.
func (b *buckets) take(name string, now time.Time) time.Duration {
	limiter := b.names.getOr(name, func() *rate.Limiter { return rate.NewLimiter(b.rate, b.burst) })
	if limiter.AllowN(now, 1) {
		return 0
	}
	return b.until(limiter, now)
}

// peek says how long until there is a token, and takes none.
func (b *buckets) peek(name string, now time.Time) time.Duration {
	limiter, ok := b.names.get(name)
	if !ok {
		return 0
	}
	return b.until(limiter, now)
}

// until is at least a nanosecond where there is no whole token.
func (b *buckets) until(l *rate.Limiter, now time.Time) time.Duration {
	missing := 1 - l.TokensAt(now)
	if missing <= 0 {
		return 0
	}
	return max(1, time.Duration(missing/float64(b.rate)*float64(time.Second)))
}

// maxNames bounds a recent, in entries.
const maxNames = 10_000

// recent is a map of bounded size that forgets what was not used for longest:
// entries live in two generations, what is used moves to the young one, and when
// that is full the old one is dropped. It is safe for concurrent use.
type recent[K comparable, V any] struct {
	mu         sync.Mutex
	young, old map[K]V
}

func newRecent[K comparable, V any]() *recent[K, V] { return &recent[K, V]{young: map[K]V{}} }

func (r *recent[K, V]) get(k K) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.find(k)
}

func (r *recent[K, V]) put(k K, v V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.set(k, v)
}

// getOr returns the value of k, which is fresh() where there is none yet.
func (r *recent[K, V]) getOr(k K, fresh func() V) V {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.find(k)
	if !ok {
		v = fresh()
		r.set(k, v)
	}
	return v
}

func (r *recent[K, V]) find(k K) (V, bool) {
	if v, ok := r.young[k]; ok {
		return v, true
	}
	v, ok := r.old[k]
	if ok {
		r.set(k, v)
	}
	return v, ok
}

func (r *recent[K, V]) set(k K, v V) {
	if _, there := r.young[k]; !there && len(r.young) >= maxNames/2 {
		r.old, r.young = r.young, map[K]V{}
	}
	r.young[k] = v
}

func (r *recent[K, V]) len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.young) + len(r.old)
}
