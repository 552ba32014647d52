package untrusted

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// told writes what changed in a text: [-gone-] and {+new+}.
func told(text string, changes []changeSpan) string {
	var b strings.Builder
	for _, r := range styled(text, style{changes: changes}) {
		switch r.Change {
		case views.ChangeAdded:
			b.WriteString("{+" + r.Text + "+}")
		case views.ChangeRemoved:
			b.WriteString("[-" + r.Text + "-]")
		default:
			b.WriteString(r.Text)
		}
	}
	return b.String()
}

func TestWordsThatDiffer(t *testing.T) {
	t.Parallel()
	const long = "DELETE FROM sessions WHERE created_at < now()"
	for _, test := range []struct{ was, now, wantWas, wantNow string }{
		{long, long + " LIMIT 5", long, long + "{+ LIMIT 5+}"},
		{long + " LIMIT 5", long, long + "[- LIMIT 5-]", long},
		{long, strings.Replace(long, "sessions", "users", 1), "DELETE FROM [-sessions-] WHERE created_at < now()", "DELETE FROM {+users+} WHERE created_at < now()"},
		{long, strings.Replace(long, "<", ">", 1), "DELETE FROM sessions WHERE created_at [-<-] now()", "DELETE FROM sessions WHERE created_at {+>+} now()"},
		{long, strings.Replace(long, "now", "now\u200b", 1), long, "DELETE FROM sessions WHERE created_at < now{+ZWSP+}()"},
		{long + " one after another", long + " all at once", long + " [-one after another-]", long + " {+all at once+}"},
	} {
		removed, added, ok := changedWords(test.was, test.now)
		if got := told(test.was, removed); !ok || got != test.wantWas {
			t.Errorf("before: %s, want %s", got, test.wantWas)
		}
		if got := told(test.now, added); got != test.wantNow {
			t.Errorf("now: %s, want %s", got, test.wantNow)
		}
	}
	if _, _, ok := changedWords(long, "Lorem ipsum dolor sit amet, consectetur adipiscing elit"); ok {
		t.Error("two texts that share nothing are told in parts")
	}
}

func TestLinesThatDiffer(t *testing.T) {
	t.Parallel()
	numbers := func(from, to int) (lines []string) {
		for i := from; i <= to; i++ {
			lines = append(lines, fmt.Sprint("line ", i))
		}
		return lines
	}
	was := strings.Join(numbers(1, 20), "\n")
	now := strings.Replace(was, "line 10", "line ten\nand a half", 1)
	lines, added, removed := ChangedLines(texts.Printer{}, was, now)
	var got strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&got, "%d%s%s%s|", l.Number, [...]string{"=", "+", "-"}[l.Change], Plain(l.Text), l.Gap)
	}
	want := "0=6 unchanged lines|7=line 7|8=line 8|9=line 9|10-line 10|10+line ten|11+and a half|12=line 11|13=line 12|14=line 13|0=7 unchanged lines|"
	if got.String() != want || added != 2 || removed != 1 {
		t.Errorf("%d added, %d removed: %s, want %s", added, removed, got.String(), want)
	}
	if lines, _, _ := ChangedLines(texts.Printer{}, "a\nb", "c\nd"); lines != nil {
		t.Errorf("two texts without a common line are told line by line: %v", lines)
	}
}

// What both have is the same in both, in order; what is told to differ is all that
// does. Texts that differ too much, or too much on one page, are told as a whole.
func TestCommonPartsAreCommon(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	letters := func(n int) []string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = string(rune('a' + random.IntN(4)))
		}
		return parts
	}
	for range 2000 {
		was, now := letters(random.IntN(30)), letters(random.IntN(30))
		last := pair{-1, -1}
		for _, p := range common(was, now) {
			if p.was <= last.was || p.now <= last.now || was[p.was] != now[p.now] {
				t.Fatalf("%v and %v share %v after %v", was, now, p, last)
			}
			last = p
		}
	}
	shared := func(was, now string) int {
		return len(common(strings.Split(was, ""), strings.Split(now, "")))
	}
	for _, test := range []struct {
		was, now string
		want     int
	}{{"abcabba", "cbabac", 4}, {"", "abc", 0}, {"abc", "abc", 3}, {"xaxbx", "ab", 2}} {
		if got := shared(test.was, test.now); got != test.want {
			t.Errorf("%s and %s share %d, want %d", test.was, test.now, got, test.want)
		}
	}
	far, away := strings.Split(strings.Repeat("ab", maxParts/2), ""), strings.Split(strings.Repeat("cd", maxParts/2), "")
	if got := common(far, away); got != nil {
		t.Fatal("two texts without a common letter share something")
	}
}
