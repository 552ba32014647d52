package logstate

import (
	"time"

	"github.com/countersign/countersign/internal/audit"
)

// Denial is what the events say is kept of acts that are alike.
type Denial struct {
	At              int64 // index of the event that it is from
	Approval, Level string
	Asked           int64
	When            time.Time // of that event
}

// ApplyDenial adds one event.
func ApplyDenial(logged map[string]Denial, e audit.Event) {
	if k, ok := e.DenialKept(); ok {
		for _, l := range k.Like {
			logged[l] = Denial{e.Index, e.Approval, k.Level, k.Asked, e.At}
		}
	}
	for _, l := range e.DenialRecalled() {
		if d, ok := logged[l]; ok {
			d.Asked++
			logged[l] = d
		}
	}
	for _, l := range e.DenialsForgotten() {
		delete(logged, l)
	}
}
