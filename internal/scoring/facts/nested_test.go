package facts

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/canon"
)

// hands are commands that hand a text on to something else.
var hands = []string{
	"bash -c 'rm -rf /srv/a; kubectl delete pod b' ; ", `bash -c "rm \"/x y\" /a" ; `, "bash -c \"bash -c 'rm /b' x\" ; ", "bash -c 'bash -c ", "eval 'git push -f origin main' ; ",
	"psql -c 'DROP TABLE a' ; ", `mysql -e "DELETE FROM a WHERE b = 'c'" ; `, `curl -d '{"user_id":"u1","host":"h.io"}' http://h.io/a ; `, `curl -d '{"sql":"DELETE FROM t"}' h.io ; `,
	`python -c 'open("/etc/a"); x = "DROP TABLE b"' ; `, `python -c "os.system(\"rm /c\")" ; `, "echo 'rm -rf /d' | sh ; ", "ssh h.io 'rm /e' ; ", "cat <<E | bash\nrm /f\nE\n", "bash <<< 'rm /g' ; ",
	"psql -c \"DO $$ DELETE FROM z $$\" ; ", "psql -c \"COPY a FROM PROGRAM 'rm /h'\" ; ", "/usr/bin/env bash -c '/opt/x.sh --force' ; ", "env -S 'rm /i' ; ", "bash -c $'rm /j\\x20k' ; ", "bash -c 'echo 10.0.0.1 a@b.io' ; ",
	// A program that is decoded, and equal texts at another depth and in other quotes.
	`bash -c 'r\m /l' ; `, "find . -exec find . -exec find . -exec bash -c \"bash -c 'rm /m'\" ; bash -c \"bash -c 'rm /m'\" ; ",
	`python -c "q(\"AND x FROM n\")" ; python -c 'q("AND x FROM n")' ; `,
}

// Equal texts inside of texts are read once where reading them again adds nothing; all is
// found that is found where each of them is read.
func TestEqualTextsAreReadOnce(t *testing.T) {
	t.Parallel()
	skipped := 0
	read := func(in Input, anew bool) *collector {
		c := &collector{anew: anew}
		c.read(in)
		for _, did := range c.known {
			if did.tried > 0 {
				skipped++
			}
		}
		c.known = nil
		c.anew = false
		return c
	}
	compare := func(t interface{ Fatalf(string, ...any) }, in Input) {
		want, got := read(in, true), read(in, false)
		if !reflect.DeepEqual(got.found, want.found) {
			t.Fatalf("%d facts, want %d", len(got.found), len(want.found))
		}
		if got.counts != want.counts || got.tried != want.tried {
			t.Fatalf("%v, want %v", got.counts, want.counts)
		}
		if len(got.covered) != len(want.covered) {
			t.Fatalf("%d programs, want %d", len(got.covered), len(want.covered))
		}
		for i, w := range want.covered {
			from, to := w.place(0, len(w.text))
			if gotFrom, gotTo := got.covered[i].place(0, len(got.covered[i].text)); gotFrom != from || gotTo != to || got.covered[i].text != w.text {
				t.Fatalf("%q at %d, want %q at %d", got.covered[i].text, gotFrom, w.text, from)
			}
		}
	}
	input := func(name, text, code string) Input {
		return Input{Function: "bash", Arguments: canon.Object(canon.Member{Name: name, Value: canon.String(text)}), Code: code}
	}
	for _, hand := range hands {
		for _, times := range []int{1, 3, 600} {
			compare(t, input("command", strings.Repeat(hand, times), ""))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(1, 4).Draw(t, "stretches") {
			some := rapid.SliceOfN(rapid.SampledFrom(hands), 1, 3).Draw(t, "some")
			b.WriteString(strings.Repeat(strings.Join(some, ""), rapid.SampledFrom([]int{1, 3, 300, 600}).Draw(t, "times")))
		}
		compare(t, input(rapid.SampledFrom([]string{"command", "sql", "code", "body"}).Draw(t, "name"), b.String(), rapid.SampledFrom(hands).Draw(t, "code")))
	})
	if skipped == 0 {
		t.Error("nothing was remembered")
	}
}
