package httpserver

import (
	"context"
	"log/slog"

	"github.com/countersign/countersign/internal/scoring"
)

// MaskedLog masks secrets in all that is logged: a cause or a panic may say what an agent
// sent, whoever raised it.
func MaskedLog(to slog.Handler) slog.Handler { return maskedLog{to} }

type maskedLog struct{ slog.Handler }

func (l maskedLog) Handle(ctx context.Context, r slog.Record) error {
	masked := slog.NewRecord(r.Time, r.Level, scoring.MaskText(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		masked.AddAttrs(maskedAttr(a))
		return true
	})
	return l.Handler.Handle(ctx, masked)
}

func (l maskedLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	masked := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		masked[i] = maskedAttr(a)
	}
	return maskedLog{l.Handler.WithAttrs(masked)}
}

func (l maskedLog) WithGroup(name string) slog.Handler { return maskedLog{l.Handler.WithGroup(name)} }

// maskedAttr masks texts, and what is written as one.
func maskedAttr(a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString, slog.KindAny:
		if masked := scoring.MaskText(v.String()); masked != v.String() {
			return slog.String(a.Key, masked)
		}
	case slog.KindGroup:
		group := make([]any, len(v.Group()))
		for i, inner := range v.Group() {
			group[i] = maskedAttr(inner)
		}
		return slog.Group(a.Key, group...)
	default: // numbers and times hold none
	}
	return a
}
