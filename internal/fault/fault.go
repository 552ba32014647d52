// Package fault is the whole error policy on one screen.
//
// An error that may leave the house is a *Error: a Code from the table below,
// which fixes its Kind, and a Detail that a stranger may read. Everything else
// is Internal: logged once at the edge, shown as "something went wrong" with a
// request id. The edges (httpapi, console, internal/command) turn a Code into a
// status or an exit code; nobody below them knows about either.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind is one of the seven ways in which a call can fail.
type Kind uint8

const (
	Internal        Kind = iota // our bug or a broken machine; the detail is never shown
	Invalid                     // the caller sent something that can never work
	Unauthenticated             // we do not know who is calling
	Forbidden                   // we know, and they may not
	NotFound                    // it does not exist for this caller
	Conflict                    // it could have worked, had the state been another
	Unavailable                 // it may work later; RetryAfter says when
)

// Error is a failure that a caller may see.
type Error struct {
	Code   Code
	Detail string // what was wrong and what would be accepted; shown to the caller
	// Member names what the detail is about: a JSON pointer into the body
	// ("/arguments/amount"), a query parameter or a form field; empty when it is
	// about the request as a whole.
	Member     string
	RetryAfter time.Duration // how long to wait before the same call may work; 0: unknown, or never
	Cause      error         // for the log only

	text Text // what Detail is the English of
}

// Error reads "code: detail (member): cause". It is for logs, never for a reply.
func (e *Error) Error() string {
	s := string(e.Code) + ": " + e.Detail
	if e.Member != "" {
		s += " (" + e.Member + ")"
	}
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap gives the cause to errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Cause }

// Kind is fixed by the code.
func (e *Error) Kind() Kind { return e.Code.Kind() }

// Text is the detail, to be said in the language of a reader. Where Detail was
// written without a format, or changed since, it is a text of its own.
func (e *Error) Text() Text {
	if e.text.english == e.Detail {
		return e.text
	}
	return Text{format: e.Detail, english: e.Detail}
}

// Phrase is that of the text.
func (e *Error) Phrase() (format string, args []any) { return e.Text().Phrase() }

// New returns a fault with a detail that is shown to the caller. The format is a
// literal: see [Text].
func New(code Code, format string, args ...any) *Error {
	return Member(code, "", format, args...)
}

// Member returns a fault about one member of the input.
func Member(code Code, member, format string, args ...any) *Error {
	detail := fmt.Sprintf(format, args...)
	return &Error{Code: code, Member: member, Detail: detail, text: Text{format, args, detail}}
}

// As finds the fault inside err. An error that carries none becomes Internal
// with err as its cause, so an edge can always render what it gets. As(nil) is nil.
func As(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: Unexpected, Detail: "something went wrong on our side", Cause: err}
}

// Is reports whether err carries a fault with this code.
func Is(err error, code Code) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
