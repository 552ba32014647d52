package client

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// ErrNoAnswer is why a call is tried again: no complete answer came.
var ErrNoAnswer = errors.New("no complete answer came")

// ErrReplayed says that a grant was spent before, by another call.
var ErrReplayed = errors.New("the grant was spent by another call")

// Problem is an answer of the server that is not the one asked for: an RFC 9457
// document, or what is known of an answer without one.
type Problem struct {
	Code       string // "stricter-now"; "" where the answer was no problem document of ours
	Title      string
	Status     int // of the HTTP answer
	Detail     string
	Instance   string
	RetryAfter time.Duration // 0 where the server did not say
}

// Error is one line that a person, or a model, can read.
func (p *Problem) Error() string {
	text := p.Detail
	if text == "" {
		text = p.Title
	}
	if p.Code == "" {
		return fmt.Sprintf("%s (HTTP %d)", text, p.Status)
	}
	return fmt.Sprintf("%s (%s)", text, p.Code)
}

// Temporary reports whether the same call may work later.
func (p *Problem) Temporary() bool {
	return p.Status == 429 || p.Status == 408 || p.Status >= 500 || p.Code == "in-progress"
}

// temporary reports whether a call is worth another attempt, and after which time.
func temporary(err error) (after time.Duration, again bool) {
	var p *Problem
	if errors.As(err, &p) {
		return p.RetryAfter, p.Temporary()
	}
	return 0, errors.Is(err, ErrNoAnswer)
}

// OneLine makes text of others fit for one line of a terminal or an answer: control
// and format characters become blanks, and it is cut at max characters.
func OneLine(text string, max int) string {
	text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, text)), " ")
	if r := []rune(text); len(r) > max {
		return string(r[:max-1]) + "…"
	}
	return text
}
