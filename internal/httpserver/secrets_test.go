package httpserver_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
)

// TestProblemsRepeatNoSecret: a refusal names what a stranger sent, but for what was secret
// in it.
func TestProblemsRepeatNoSecret(t *testing.T) {
	t.Parallel()
	const key = "AKIAIOSFODNN7EXAMPLQ"
	p := httpserver.NewProblem(t.Context(), fault.Member(fault.InvalidMember, "/arguments/"+key, "member name %q comes twice", key))
	if p.Detail != `member name "[REDACTED:aws-access-key]" comes twice` || p.Errors[0].Detail != p.Detail || p.Errors[0].Pointer != "/arguments/[REDACTED:aws-access-key]" {
		t.Errorf("the problem is %+v", p)
	}
}

// TestLogsHoldNoSecret: not in a cause, a panic, a message or a group.
func TestLogsHoldNoSecret(t *testing.T) {
	t.Parallel()
	const key = "AKIAIOSFODNN7EXAMPLQ"
	var b strings.Builder
	log := slog.New(httpserver.MaskedLog(slog.NewJSONHandler(&b, nil))).With("always", key).WithGroup("deep")
	log.Error("no "+key, "cause", fmt.Errorf("panic: %w", errors.New("index of "+key)), "text", "x "+key, "n", 7, slog.Group("in", "side", key))
	if got := b.String(); strings.Contains(got, key) || strings.Count(got, "[REDACTED:aws-access-key]") != 5 || !strings.Contains(got, `"deep":{"cause":"panic: index of [`) || !strings.Contains(got, `"n":7`) {
		t.Errorf("logged is %s", got)
	}
}
