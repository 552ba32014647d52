package scoring

import (
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/trust"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// scriptLimit is what an assessment of a script of scriptBytes may cost, with the binding.
const (
	scriptLimit = 5 * time.Millisecond
	scriptBytes = 10 << 10
)

// BenchmarkAssessScript reports what the assessment of a long shell text costs in a
// workspace: one of everything that the agents of testdata/sessions call, one heredoc into
// an interpreter, one pipe, and one loop that writes files. Under a policy without floors
// the workspace decides nothing, and what the call does elsewhere is read, too.
func BenchmarkAssessScript(b *testing.B) {
	session := fill(sessionCommands(b)...)
	benchmarkAssessScript(b, compiled(b, nil), "session without floors", session)
	c := judging(b, effects.Balanced, nil)
	for name, text := range map[string]string{
		"session":  session,
		"heredoc":  "python3 - <<'EOF'\n" + fill("rows = [r for r in load('data/orders.csv') if r['sku'].startswith('a')]\n", "print(len(rows), sum(float(r['net']) for r in rows))\n") + "EOF\n",
		"pipe":     "cat data/orders.csv" + fill(" | grep -v '^#'", " | sort -u", " | sed 's/a/b/'") + "\n",
		"writes":   fill("for f in src/*.ts; do cp \"$f\" out/; done\n", "printf '%s\\n' x > out/a.txt && mv out/a.txt out/b.txt\n"),
		"one word": "echo '" + fill("a long text that is only printed ") + "'\n",
	} {
		benchmarkAssessScript(b, c, name, text)
	}
}

func benchmarkAssessScript(b *testing.B, c *Compiled, name, text string) {
	b.Helper()
	binding := workspace.Binding{Folder: "/srv/shop", Sandboxed: true}
	b.Run(name, func(b *testing.B) {
		a, err := NewAction(canon.Object(
			canon.Member{Name: "arguments", Value: canon.Object(canon.Member{Name: "command", Value: canon.String(text)})},
			canon.Member{Name: "function", Value: canon.String("Bash")},
		))
		if err != nil {
			b.Fatal(err)
		}
		assess := func() {
			var r Rehearsal
			r.Next(c.Examine(a, nil), Inputs{Workspace: &binding}, trust.Evidence{}, 1)
		}
		for range 5 { // states of automata are built as they are needed
			assess()
		}
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			assess()
		}
		b.ReportMetric(float64(scriptLimit.Milliseconds()), "limit")
		b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(scriptLimit), "ratio")
	})
}

// fill is a text of scriptBytes that is made of parts, over and over.
func fill(parts ...string) string {
	var text strings.Builder
	for i := 0; text.Len() < scriptBytes; i++ {
		text.WriteString(parts[i%len(parts)])
	}
	return text.String()
}

// sessionCommands are the shell texts of the recorded sessions, a line or more each.
func sessionCommands(b *testing.B) (all []string) {
	b.Helper()
	for _, s := range sessions(b, "*.jsonl") {
		for _, c := range s.calls {
			if text := c.action.Arguments().Get("command").Text(); strings.Contains(text, " ") && !strings.Contains(text, "<<") {
				all = append(all, text+"\n")
			}
		}
	}
	return all
}
