package program

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/scoring/shell"
)

// shown is a cut as words: options with their values, then operands; a doubtful one has "?".
func shown(c Cut) string {
	var all []string
	for _, o := range c.Options {
		text := o.Name
		if o.Value.Text != "" {
			text += "=" + o.Value.Text
			if !o.Joined {
				text += "?"
			}
		}
		if o.Begins {
			text += "~"
		}
		all = append(all, text)
	}
	for i, w := range c.Operands {
		text := w.Text
		if c.Doubtful[i] {
			text += "?"
		}
		all = append(all, text)
	}
	if c.Unknown != "" {
		all = append(all, "unknown "+c.Unknown)
	}
	return strings.Join(all, " ")
}

func TestTake(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ program, words, want string }{
		{"sort", "-uo out a", "--unique --output=out a"},
		{"sort", "-nofile a", "--numeric-sort --output=file a"},
		{"sort", "--outp /etc/x a", "--output=/etc/x~ /etc/x? a"},
		{"sort", "--output=x -- -a", "--output=x -a"},
		{"sort", "--no-such a", "--no-such=a? a? unknown --no-such"},
		{"sed", "-i.bak s/a/b/ f", "--in-place=.bak s/a/b/ f"},
		{"sed", "--in-pl s/a/b/ f", "--in-place~ s/a/b/ f"},
		{"curl", "-sSLo f https://h", "--silent --show-error --location --output=f https://h"},
		{"curl", "--data-bin @f https://h", "--data-binary=@f~ @f? https://h"},
		{"cp", "--target-dir=/etc a", "--target-directory=/etc~ a"},
		{"tar", "-xzf a.tar", "--extract --gzip --file=a.tar"},
		{"git", "-C web push -u origin x", "-C=web -u=origin? push origin x"},
		{"git", "commit -m x", "-m=x commit"},
		{"make", "-j 4 test", "-j=4 test"},
		{"make", "-j test", "-j test"},
		{"kubectl", "-nprod get pods", "-n=prod get pods"},
		{"nobody-knows", "-x list", "-x=list? list"},
		{"nobody-knows", "--what list", "--what=list? list?"},
	} {
		var words []shell.Word
		for _, w := range strings.Fields(c.words) {
			words = append(words, shell.Word{Text: w, Literal: true})
		}
		cut := OptionsOf(c.program).Take(words)
		if got := shown(cut); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.program, c.words, got, c.want)
		}
		for _, o := range cut.Options { // each value stands where it says
			if o.ValueAt >= 0 && words[o.ValueAt].Text[o.From:] != o.Value.Text {
				t.Errorf("%s %s: the value of %s isn't at %d, %d", c.program, c.words, o.Name, o.ValueAt, o.From)
			}
		}
	}
}

func TestOptionsThatMakeItWorse(t *testing.T) {
	t.Parallel()
	cut := func(program, words string) Cut {
		var all []shell.Word
		for _, w := range strings.Fields(words) {
			all = append(all, shell.Word{Text: w, Literal: true})
		}
		return OptionsOf(program).Take(all)
	}
	for _, c := range []struct {
		program, words, option string
		worse, only            bool
	}{
		{"git", "push --forc", "--force", true, false},
		{"git", "push --force", "--force", true, true},
		{"git", "clean -xfd", "-f", true, false},
		{"git", "push --force", "--force-with-lease", false, false},
		{"sort", "--compress-prog=x a", "--compress-program", true, false},
		{"npm", "--global test", "--globalconfig", false, false},
		{"kubectl", "scale --replicas=0", "--replicas=0", true, true},
		{"kubectl", "scale --replicas 0", "--replicas=0", true, true},
		{"rclone", "sync a b --dry-run", "--dry-run", true, true},
		{"rclone", "sync a b --dry-run --dry-run=false", "--dry-run", true, false},
		{"npm", "publish --dry-run false", "--dry-run", true, false},
		{"npm", "publish --no-dry-run --dry-run", "--dry-run", true, false},
		{"kubectl", "delete --dry-run=client --dry-run=none", "--dry-run=client", true, false},
	} {
		got := cut(c.program, c.words)
		if g, o := got.Has(c.option, true), got.Only(c.option); g != c.worse || o != c.only {
			t.Errorf("%s %s has %s: %v and %v", c.program, c.words, c.option, g, o)
		}
	}
}

func TestBrokenTables(t *testing.T) {
	t.Parallel()
	for _, broken := range []string{"options: {a b: {values: -x}, b: {flags: -x}}", "options: {a: {eats: -x}}", "options: [a]"} {
		if _, err := Load([]byte(broken)); err == nil {
			t.Errorf("%s: it was loaded", broken)
		}
	}
}
