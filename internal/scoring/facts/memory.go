package facts

import (
	"sync"
	"weak"
)

// Memory is memory of one shape that is used again: who needs some borrows it for the
// length of one call. Nobody gives it back too early, because nobody gives it back:
// Borrow takes it once use has returned, so that whatever use keeps is copied before
// anybody else writes there. A use that panics keeps its memory.
//
// Of what waits, each piece holds MostKept at most. Of the larger ones only the last is
// remembered, until the garbage collector takes it as it would have without this.
type Memory[T any] struct {
	clear func(*T) (bytes int)
	small sync.Pool
	mu    sync.Mutex
	large weak.Pointer[T]
}

// MostKept is how much one piece of memory that waits holds at most, in bytes.
const MostKept = 1 << 20

// longText is how long a text is for which a large piece is taken, in bytes.
const longText = 16 << 10

// NewMemory is memory that begins as the zero T. clear takes everything of the last use
// out, and says how much the piece holds.
func NewMemory[T any](clear func(*T) (bytes int)) *Memory[T] { return &Memory[T]{clear: clear} }

// Borrow calls use with a piece that nobody else has meanwhile, to read a text of so many
// bytes. What use leaves behind must be copies: nothing in the piece is its own afterwards.
func (m *Memory[T]) Borrow(text int, use func(*T)) {
	piece := m.take(text)
	use(piece)
	if m.clear(piece) <= MostKept {
		m.small.Put(piece)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.large = weak.Make(piece)
}

func (m *Memory[T]) take(text int) *T {
	if text >= longText {
		m.mu.Lock()
		piece := m.large.Value()
		m.large = weak.Pointer[T]{}
		m.mu.Unlock()
		if piece != nil {
			return piece
		}
	}
	if piece, ok := m.small.Get().(*T); ok {
		return piece
	}
	return new(T)
}
