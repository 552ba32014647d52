package fivefactor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"pgregory.net/rapid"
)

// words are drawn often enough to make something match.
var words = []string{
	"delete", "drop", "get", "set", "Kill", "prod", "production", ".env", "api", "key", "Keys", "secret", "rm", "-rf", "sudo", "chmod", "777", "-R",
	"http", "://", "x", "@", "a.b", "10.0.0.1", ".", "_", " ", "careful", "permanent", "TRUNCATE", "é", "1", "-",
}

func riskyText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 8).Draw(t, "words"), "")
	})
}

func riskyInput(t *rapid.T) (name, doc string, values []string) {
	return riskyText().Draw(t, "name"), riskyText().Draw(t, "doc"), rapid.SliceOfN(riskyText(), 0, 5).Draw(t, "values")
}

func input(name, doc string, values []string, hints ...canon.Member) Input {
	var args []canon.Value
	for _, v := range values {
		args = append(args, canon.String(v))
	}
	return Input{Function: name, Docstring: doc, Arguments: canon.Array(args...), Hints: canon.Object(hints...), CallNumber: 1}
}

func TestAddingTextNeverLowers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name, doc, values := riskyInput(t)
		more := riskyText().Draw(t, "more")
		before := score(input(name, doc, values))
		for what, after := range map[string]Result{
			"docstring": score(input(name, doc+" "+more, values)),
			"argument":  score(input(name, doc, append(values, more))),
			"hint":      score(input(name, doc, values, canon.Member{Name: more, Value: canon.Int(-5)}, canon.Member{Name: more + "!", Value: canon.Bool(true)})),
		} {
			if after.Score < before.Score || after.Level < before.Level {
				t.Fatalf("%s %q took %v %v down to %v %v", what, more, before.Score, before.Level, after.Score, after.Level)
			}
		}
	})
}

func TestDisguiseNeverLowers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name, doc, values := riskyInput(t)
		plain := score(input(name, doc, values))
		disguise := func(s string) string { return disguise(t, s) }
		for i := range values {
			values[i] = disguise(values[i])
		}
		hidden := score(input(disguise(name), disguise(doc), values))
		for i := range plain.Factors {
			if hidden.Factors[i].Score < plain.Factors[i].Score {
				t.Fatalf("the disguise took %s from %v to %v", plain.Factors[i].Name, plain.Factors[i].Score, hidden.Factors[i].Score)
			}
		}
	})
}

// disguise writes s so that a person still reads the same.
func disguise(t *rapid.T, s string) string {
	var b strings.Builder
	for i, r := range s {
		switch rapid.IntRange(0, 3).Draw(t, fmt.Sprintf("how %d", i)) {
		case 0:
			b.WriteString(rapid.SampledFrom([]string{"\u200b", "\u00ad", "\u2060", "\ufeff", "\u202e"}).Draw(t, fmt.Sprintf("what %d", i)))
		case 1:
			switch {
			case r == ' ':
				r = '\u00a0'
			case '!' <= r && r <= '~':
				r += 0xff01 - '!' // full width
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

// checkResult holds for every input whatsoever.
func checkResult(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, in Input,
) {
	t.Helper()
	r := score(in)
	if !(r.Score >= 0 && r.Score <= 1) || r.Level != DefaultThresholds().Level(r.Score) || r.Score != round(r.Score) {
		t.Fatalf("score %v, level %v", r.Score, r.Level)
	}
	lengths := map[string]int{"/function": len(in.Function), "/docstring": len(in.Docstring), "/arguments": len(in.Arguments.Text())}
	for _, f := range r.Factors {
		if !(f.Score >= 0 && f.Score <= 1) || f.Evidence == nil || (f.Score > 0) != (len(f.Evidence) > 0) {
			t.Fatalf("factor %s: score %v with evidence %+v", f.Name, f.Score, f.Evidence)
		}
		for _, e := range f.Evidence {
			if e.Pattern == "" || e.Why == "" || e.Places == nil {
				t.Fatalf("factor %s: empty evidence %+v", f.Name, e)
			}
			for _, p := range e.Places {
				if n, ok := lengths[p.Pointer]; ok && !(0 <= p.Start && p.Start <= p.End && p.End <= n) {
					t.Fatalf("factor %s: place %+v in a text of %d bytes", f.Name, p, n)
				}
			}
		}
	}
}

func FuzzFiveFactor(f *testing.F) {
	f.Add("delete_user", "production", "Permanently removes.", `{"production":true}`, 1)
	f.Add("ｄrop\u200b", "rm\u00a0-rf 10.0.0.1. apıKey", "\xff critical", `{"n":1e3}`, 10)
	f.Add("", "", "", "", -1)
	f.Add("\xe2\x80", "\xe2\x80 key\xf0", strings.Repeat("\u0301", 100), `[`, 0)
	f.Fuzz(func(t *testing.T, name, value, doc, hints string, call int) {
		h, err := canon.Parse([]byte(hints))
		if err != nil {
			h = canon.Value{}
		}
		checkResult(t, Input{Function: name, Arguments: canon.String(value), Docstring: doc, Hints: h, CallNumber: call})
		if args, err := canon.Parse([]byte(value)); err == nil {
			checkResult(t, Input{Function: name, Arguments: args, Docstring: doc, Hints: h, CallNumber: call})
		}
	})
}

// The hostile texts hold something of every pattern, so that no expression is
// skipped, and much of what makes one start in vain.
func BenchmarkScore(b *testing.B) {
	everything := "prod .env secret password token credential key drop delete truncate alter rm -rf sudo chmod 777 a://b c@d.e 1.2.3.4"
	for name, value := range map[string]string{
		"ordinary":  "usr_123",
		"4KiB":      strings.Repeat("An ordinary sentence about invoices and customers. ", 80),
		"256KiB":    strings.Repeat("An ordinary sentence about invoices and customers. ", 5000),
		"spaces":    everything + strings.Repeat("rm ", 80<<10),
		"words":     everything + strings.Repeat("a.", 125<<10),
		"disguised": strings.Repeat("ｒｍ\u200b -ｒ keyboard ", 8<<10),
		"keys":      strings.Repeat("key ", 64<<10),
	} {
		in := Input{Function: "delete_user", Arguments: canon.Array(canon.String(value)), Docstring: "Permanently removes a user."}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(value)))
			for b.Loop() {
				score(in)
			}
		})
	}
}
