package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// build builds a package and returns the program. It compiles as the tests do: -trimpath, which
// releases have, would compile the standard library once more.
func build(t testing.TB, pkg string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-ldflags", "-s -w", "-o", program, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestLinksLittle: the program starts before each tool call, so it links nothing that it does
// not need: of modules of others only what the canonical form takes.
func TestLinksLittle(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{
		"github.com/countersign/countersign/cmd/countersign-hook", "github.com/countersign/countersign/internal/hook", "github.com/countersign/countersign/client",
		"github.com/countersign/countersign/grant", "github.com/countersign/countersign/internal/canon", "github.com/countersign/countersign/internal/fault", "github.com/countersign/countersign/internal/version", "github.com/gowebpki/jcs",
	}
	linked := strings.Fields(string(out))
	if len(linked) < 5 {
		t.Errorf("only %v is linked: the test no longer sees the program", linked)
	}
	for _, pkg := range linked {
		known := false
		for _, a := range allowed {
			known = known || pkg == a
		}
		if !known {
			t.Errorf("%s is linked; the hook starts before every tool call and must stay small", pkg)
		}
	}
}

// TestItRuns: the program is the hook, and stays small.
func TestItRuns(t *testing.T) {
	t.Parallel()
	program := build(t, ".")
	info, err := os.Stat(program)
	if err != nil || info.Size() > 10<<20 {
		t.Errorf("the program has %d bytes, %v; at most 10 MB", info.Size(), err)
	}
	cmd := exec.CommandContext(t.Context(), program, "claude-code")
	var out, errs strings.Builder
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = []string{"HOME=" + t.TempDir()}, strings.NewReader(event), &out, &errs
	_ = cmd.Run()
	if cmd.ProcessState.ExitCode() != 2 || out.Len() > 0 || !strings.HasPrefix(errs.String(), "Countersign: no server or no key is set") {
		t.Errorf("exit %d, %q, %q", cmd.ProcessState.ExitCode(), out.String(), errs.String())
	}
}

const event = `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`

// BenchmarkStart compares the CPU of one start with that of an empty program that
// imports net/http: go test ./cmd/countersign-hook -run '^$' -bench Start -benchtime 200x
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte("package main\n\nimport _ \"net/http\"\n\nfunc main() {}\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	for name, program := range map[string]string{"hook": build(b, "."), "empty": build(b, source)} {
		b.Run(name, func(b *testing.B) {
			var used time.Duration
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), program, "claude-code")
				cmd.Env, cmd.Stdin = []string{"HOME=" + dir, "COUNTERSIGN_URL=http://127.0.0.1:1", "COUNTERSIGN_KEY=csk_x"}, strings.NewReader("{}")
				_ = cmd.Run()
				used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			}
			b.ReportMetric(float64(used.Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
}
