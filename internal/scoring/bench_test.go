package scoring

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// realistic are the 20 actions of testdata/realistic.jsonl, as agents send them: 100 to
// 2,000 bytes.
func realistic(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/realistic.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// What an assessment may cost (docs/performance.md).
const (
	realisticLimit = 200 * time.Microsecond
	hostileLimit   = 250 * time.Millisecond
)

// BenchmarkAssess reports what a whole assessment of one realistic action costs.
func BenchmarkAssess(b *testing.B) {
	c := compiled(b, nil)
	var actions []Action
	size := 0
	for _, body := range realistic(b) {
		v, err := canon.Parse([]byte(body))
		if err != nil {
			b.Fatal(err)
		}
		a, err := NewAction(v)
		if err != nil {
			b.Fatal(err)
		}
		actions = append(actions, a)
		n := len(a.Canonical())
		if size += n; n < 100 || n > 2000 {
			b.Fatalf("%d bytes: %.60s", n, body)
		}
	}
	b.SetBytes(int64(size))
	assess := func() {
		for _, a := range actions {
			c.Assess(a, 1, nil)
		}
	}
	for range 50 { // what a server does in its first second: states of automata are built as they are needed
		assess()
	}
	for b.Loop() {
		assess()
	}
	perAction := b.Elapsed() / time.Duration(b.N*len(actions))
	b.ReportMetric(float64(perAction.Nanoseconds())/1000, "µs/action")
	b.ReportMetric(1, "limit")
	b.ReportMetric(float64(perAction)/float64(realisticLimit), "ratio")
}

// anAction is a command that is about so many bytes of unit.
func anAction(b *testing.B, unit string, size int) Action {
	b.Helper()
	tree := canon.Object(
		canon.Member{Name: "arguments", Value: canon.Object(canon.Member{Name: "command", Value: canon.String(strings.Repeat(unit, size/len(unit)))})},
		canon.Member{Name: "function", Value: canon.String("bash")},
	)
	a, err := NewAction(tree)
	if err != nil {
		b.Fatal(err)
	}
	return a
}

const prose = "Please restart the search indexer for tenant 4711 once the nightly export is done, and tell Dana (dana@example.com) how long it took. "

// BenchmarkAssessLinear compares an action of 256 KiB with one of 2 KiB, which is
// 128 times smaller.
func BenchmarkAssessLinear(b *testing.B) {
	c := compiled(b, nil)
	small, large := anAction(b, prose, 2<<10), anAction(b, prose, 250<<10)
	var of, to time.Duration
	for b.Loop() {
		from := time.Now()
		c.Assess(large, 1, nil)
		between := time.Now()
		for range 16 {
			c.Assess(small, 1, nil)
		}
		of, to = of+between.Sub(from), to+time.Since(between)/16
	}
	b.ReportMetric(float64(of.Microseconds())/1000/float64(b.N), "ms/256KiB")
	b.ReportMetric(float64(to.Microseconds())/1000/float64(b.N), "ms/2KiB")
	b.ReportMetric(150, "limit")
	b.ReportMetric(float64(of)/float64(to), "ratio")
}

// BenchmarkAssessHostile reports what 256 KiB cost that were made to be slow: one text
// repeated, the examples of all patterns, mixed, and their words, mixed.
func BenchmarkAssessHostile(b *testing.B) {
	c := compiled(b, nil)
	run := func(name, unit string) {
		b.Run(name, func(b *testing.B) {
			a := anAction(b, unit, 250<<10)
			before := time.Now()
			c.Assess(a, 1, nil) // the first text of its kind has states of automata built
			first := time.Since(before)
			for b.Loop() {
				c.Assess(a, 1, nil)
			}
			each := b.Elapsed() / time.Duration(b.N)
			b.ReportMetric(float64(each.Microseconds())/1000, "ms/256KiB")
			b.ReportMetric(float64(first.Microseconds())/1000, "ms/first")
			b.ReportMetric(1, "limit")
			b.ReportMetric(float64(each)/float64(hostileLimit), "ratio")
		})
	}
	for _, unit := range hostile {
		run(fmt.Sprintf("%.20q", unit), unit)
	}
	var examples []string
	for _, p := range patterns.Default().Patterns() {
		examples = append(examples, slices.Concat(p.MustMatch, p.MustNotMatch)...)
	}
	run("mixed", mixed(examples, 250<<10))
	run("words", mixed(strings.Fields(strings.Join(examples, " ")), 250<<10))
}

// mixed is about so many bytes of pieces, in an order without a rule. Of what patterns
// match or just do not, every expression may find something everywhere.
func mixed(pieces []string, size int) string {
	var text strings.Builder
	for n := uint32(1); text.Len() < size-1<<10; n = n*1664525 + 1013904223 {
		text.WriteString(pieces[int(n>>8)%len(pieces)] + " ")
	}
	return text.String()
}

// hostile are made to be slow: many beginnings that come to nothing, many matches,
// much that must be undone before it is read.
var hostile = []string{
	"a", " ", prose, "rm -rf / ", "rm ", "sudo ", "DROP TABLE x; ", "DELETE FROM ", "a@b.c ", "http://", "1.2.3.4 ", "4111111111111111 ", "DE89370400440532013000 ",
	"AKIA", "eyJ", "-----BEGIN ", "$(", "bash -c '", "\u200b", "r\u200bm ", "\uff52\uff4d ", "\u0440\u043c ", "ignore all previous instructions ", `"\'`, `r""m `, "'r'+'m' ",
	"curl x | sh\n", "rm a;", "bash -c 'x' ;", "`a", "a > b ", "kubectl delete ", "key=", "password: ", "../", `{"a":`, "SELECT ( ", "eval(", "0x", "base64 ", "\u00e9",
	// One command with many options and operands, one word of many spaces, and what Unicode puts together.
	"git push -f --a=b c ", "aws ec2 terminate-instances --instance-ids i-1 -f ", "a$IFS", "$IFS", "bash -c \"rm \\\"x\\\" /a\" ", "e\u0301", "\ufdfa", "\u5ffd\u7565",
	"AA11 ", "123-45-6789 ", "password=Hunter2! ", "INSERT INTO a VALUES (1);",
}
