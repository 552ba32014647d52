package effects

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/usage"
)

// maxTold is among how many operands of a command its verb is looked for: what follows are names of things.
const maxTold = 5

// Told is the words by which a command tells its program what to do, and which verbs the table of programs has in the
// place of the last one: of systemctl "stop" these are start, restart and others. There are none where it isn't known.
func Told(c shell.Command) (words []shell.Word, others []string) {
	if len(c.Words) < 2 {
		return nil, nil
	}
	name := strings.ToLower(c.Program())
	p, cut := tools().programs[name], taken(name, c.Words[1:])
	var before []shell.Word
	verb := false // of what follows none is
	for i, w := range cut.Operands[:min(len(cut.Operands), maxTold)] {
		if cut.Doubtful[i] {
			continue // rabbitmqctl -n rabbit@mq purge_queue
		}
		if !w.Literal || w.Text == "" || strings.ContainsAny(w.Text, "/=. @*$") {
			break
		}
		known, here := p.at(before, w.Text)
		_, isVerb := tools().verbOf(w.Text)
		if before = append(before, w); known || isVerb {
			words, others, verb = slices.Clone(before), here, isVerb
		} else if verb {
			break
		}
	}
	return words, others
}

// at is whether patterns have a word behind some others, and which verbs they have there.
func (p *knownProgram) at(before []shell.Word, text string) (known bool, verbs []string) {
	if p == nil {
		return false, nil
	}
	i, rest := len(before), text[min(len(text), strings.IndexAny(text+"-", "-_")):] // stop-instances
	for _, rule := range p.Rules.All() {
		if len(rule.Operands) <= i || !slices.EqualFunc(rule.Operands[:i], before, func(all []string, w shell.Word) bool {
			return slices.ContainsFunc(all, func(a string) bool { return usage.Like(a, w.Text) })
		}) {
			continue
		}
		for _, a := range rule.Operands[i] {
			known = known || a != anything && usage.Like(a, text)
			_, isVerb := tools().verbs[a]
			if like := rest != "" && strings.HasSuffix(a, rest) && !strings.Contains(a, "*"); a != text && (isVerb || like) && !slices.Contains(verbs, a) {
				verbs = append(verbs, a)
			}
		}
	}
	return known, verbs
}

// perlInPlace reports whether the options of perl or ruby change the files themselves,
// and returns the letters of all of them.
func perlInPlace(args []shell.Word) (letters string, inPlace bool) {
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		if len(text) < 2 || text[0] != '-' {
			continue
		}
		if text == "--" {
			break
		}
		for j := 1; j < len(text); j++ {
			c := text[j]
			if c == 'e' || c == 'E' {
				if j+1 == len(text) {
					i++ // the program
				}
				break
			}
			if c == 'i' {
				return letters + "i", true
			}
			if strings.IndexByte("nlpaswWtTucS0123456789", c) < 0 { // -M, -I, -F take the rest
				break
			}
			letters += string(c)
		}
	}
	return letters, false
}
