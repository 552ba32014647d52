package untrusted

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMarksReachToTheEndsOfWords(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("A", maxToken+10)
	for _, test := range []struct{ text, matched, want string }{
		{"cp -r /srv/exports/2023-157 .", "cp -r /", "cp -r /srv/exports/2023-157"},
		{"git push --force-with-lease origin", "push --force", "push --force-with-lease"},
		{"dd of=/dev/sda bs=1M", "of=/dev/", "of=/dev/sda"},
		{"dd of=/dev/sda bs=1M", "/dev/", "/dev/sda"},
		{`get "https://example.com/a?b=c"`, "https://", "https://example.com/a?b"},
		{"os.removedirs('/x')", "os.remove", "os.removedirs"},
		{"shutil.rmtree('/var/x')", "rmtree(", "shutil.rmtree("},
		{"DROP TABLE orders", "DROP TABLE", "DROP TABLE"},
		{"a; cd /é字/b; c", "cd /", "cd /é字/b"},
		{"data " + long + " end", "data AA", "data AA"},
		{long + "B end", "B end", "B end"},
	} {
		start := strings.Index(test.text, test.matched)
		whole := wholeWords(test.text, []span{{start, start + len(test.matched), "a"}})[0]
		if got := test.text[whole.start:whole.end]; got != test.want {
			t.Errorf("%q in %q: %q is marked, want %q", test.matched, test.text, got, test.want)
		}
	}
}

// Whatever was matched: a mark never gets smaller, and where it ends no word goes on, but
// for words that are too long.
func TestWholeWordsCutNothing(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	letters := []rune("aé字/-. ;'=\u202e\n")
	for range 2000 {
		var text strings.Builder
		for range random.IntN(40) {
			text.WriteRune(letters[random.IntN(len(letters))])
		}
		s := text.String()
		m := span{random.IntN(len(s)+1) - 1, random.IntN(len(s) + 2), "a"}
		got := wholeWords(s, []span{m})[0]
		if m.start >= m.end {
			if got != m {
				t.Fatalf("%q: %v became %v", s, m, got)
			}
			continue
		}
		if got.start > max(m.start, 0) || got.end < min(m.end, len(s)) {
			t.Fatalf("%q: %v became %v", s, m, got)
		}
		for _, at := range []int{got.start, got.end} {
			before, _ := utf8.DecodeLastRuneInString(s[:at])
			after, _ := utf8.DecodeRuneInString(s[at:])
			if at > 0 && at < len(s) && inWord(before) && inWord(after) {
				t.Fatalf("%q: %v became %v, which ends inside of a word", s, m, got)
			}
		}
	}
}
