package program

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/usage"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// Options are those of one program, and what each takes.
type Options struct {
	known map[string]known // by how it is written
	long  []string         // those with two dashes
	sub   map[string]*Options
	// strict says that all are known: letters are taken apart, and a beginning stands for what
	// it begins.
	strict bool
	// texts are those whose value is no path, writes those whose value is a file that is written,
	// and runs by which it runs a program, or loads code or settings.
	texts, writes map[string]bool
	prose         map[string]bool // values that are texts which nothing runs
	plain         map[string]bool // options that only say how it does what it does anyway
	runs          []string
	roles         map[string]string // what the value of an option is, or what it says: by each way to write it
}

// known is one option.
type known struct {
	name  string // the long way to write it
	takes takes
}

// takes is where an option has its value.
type takes int

const (
	nothing takes = iota
	joined        // only behind "=", or behind its letter
	number        // the same, or in the next word where that is a number
	next
)

// add adds options between spaces: "|" stands between the ways to write one.
func (o *Options) add(text string, t takes, certain bool) {
	for word := range strings.FieldsSeq(text) {
		all := strings.Split(word, "|")
		for _, a := range all {
			if k, twice := o.known[a]; twice && k.takes > t && !certain { // what takes a value anywhere may take one
				continue
			}
			o.known[a] = known{all[len(all)-1], t}
			if strings.HasPrefix(a, "--") {
				o.long = append(o.long, a)
			}
		}
	}
}

// Cut is a command's words, taken apart as its program does.
type Cut struct {
	Operands []shell.Word
	At       []int // where among the words each operand stands
	// Doubtful are operands that may be the value of the option before: they never make
	// anything harmless.
	Doubtful map[int]bool
	Options  []Option
	Dashes   bool // a word "--" stands among them
	// Unknown is an option of a program whose options are all known, which is none of them, or
	// which may be several.
	Unknown string
}

// Option is one option, with its value where it has one.
type Option struct {
	Name  string // the long way to write it, where that is known
	Value shell.Word
	// Joined says that the value stands in the same word, or certainly in the next; otherwise
	// it may be an operand.
	Joined bool
	Word   shell.Word // as it stands
	At     int        // the index of the word
	// ValueAt is the index of the word in which its value stands, -1 for none, and From where
	// in that.
	ValueAt, From int
	Begins        bool // the word only begins it
	Known         bool // it stands in the table
	cluster       bool // it is one letter of several, or a letter with its value behind
	of            *Options
}

// Take takes words apart.
func (o *Options) Take(args []shell.Word) Cut {
	var c Cut
	at := o
	for i := 0; i < len(args); i++ {
		word := args[i]
		switch text := word.Text; {
		case c.Dashes || len(text) < 2 || text[0] != '-':
			c.Operands, c.At = append(c.Operands, word), append(c.At, i)
			if len(c.Operands) == 1 && o != nil {
				if sub := o.sub[text]; sub != nil {
					at = sub
				}
			}
		case text == "--":
			c.Dashes = true
		case strings.HasPrefix(text, "--"):
			i = at.long1(&c, args, i)
		default:
			i = at.short(&c, args, i)
		}
	}
	return c
}

// find is what is known of an option.
func (o *Options) find(name string) (known, bool) {
	if o == nil {
		return known{}, false
	}
	k, ok := o.known[name]
	return k, ok
}

// begun are the options that a long one begins.
func (o *Options) begun(name string) (all []known) {
	if len(name) < 3 {
		return nil
	}
	for _, l := range o.long {
		if k := o.known[l]; strings.HasPrefix(l, name) && !slices.Contains(all, k) {
			all = append(all, k)
		}
	}
	return all
}

// long1 reads an option with two dashes, and returns the index of the last word that is of it.
// What one begins may be meant: then the next word is its value and an operand.
func (o *Options) long1(c *Cut, args []shell.Word, i int) int {
	word := args[i]
	name, value, valued := strings.Cut(word.Text, "=")
	option := Option{Name: name, Word: word, At: i, ValueAt: -1, of: o}
	if valued {
		option.Value, option.Joined, option.ValueAt, option.From = word, true, i, len(name)+1
		option.Value.Text = value
	}
	if k, ok := o.find(name); ok && !(valued && k.takes == nothing && o.strict) {
		option.Known = true
		if o.strict {
			option.Name = k.name
		}
		if !valued {
			i = option.next(k, args, i)
		}
		c.Options = append(c.Options, option)
		return i
	}
	var all []known
	if o != nil && o.strict {
		all = slices.DeleteFunc(o.begun(name), func(k known) bool { return valued && k.takes == nothing })
	}
	if len(all) == 0 {
		if !valued {
			option.doubt(c, args, i)
		}
		if o != nil && o.strict {
			c.Unknown, option.Name = word.Text, word.Text
		}
		c.Options = append(c.Options, option)
		return i
	}
	if !valued && slices.ContainsFunc(all, func(k known) bool { return k.takes == next }) {
		option.doubt(c, args, i)
	}
	option.Begins = true
	if shortest := slices.MinFunc(all, func(a, b known) int { return len(a.name) - len(b.name) }); slices.ContainsFunc(all, func(k known) bool { return !strings.HasPrefix(k.name, shortest.name) }) {
		c.Unknown = word.Text
	}
	for _, k := range all { // of several each may be meant
		option.Name = k.name
		option.Joined = k.takes != nothing && option.ValueAt >= 0
		c.Options = append(c.Options, option)
	}
	return i
}

// short reads an option with one dash: letters, or a word as long ones have.
func (o *Options) short(c *Cut, args []shell.Word, i int) int {
	word := args[i]
	name, value, valued := strings.Cut(word.Text, "=")
	option := Option{Name: name, Word: word, At: i, ValueAt: -1, of: o}
	if k, ok := o.find(name); ok {
		option.Known = true
		if o.strict {
			option.Name = k.name
		}
		if valued {
			option.Value, option.Joined, option.ValueAt, option.From = word, true, i, len(name)+1
			option.Value.Text = value
		} else {
			i = option.next(k, args, i)
		}
		c.Options = append(c.Options, option)
		return i
	}
	if o != nil && o.strict {
		return o.letters(c, args, i)
	}
	k, ok := o.find(word.Text[:2])
	switch {
	case valued:
		option.Value, option.Joined, option.ValueAt, option.From = word, true, i, len(name)+1
		option.Value.Text = value
	case ok && k.takes != nothing && len(word.Text) > 2:
		option.Name, option.Value, option.Joined, option.ValueAt, option.From, option.cluster = word.Text[:2], word, true, i, 2, true
		option.Value.Text = word.Text[2:]
	default:
		option.doubt(c, args, i)
	}
	c.Options = append(c.Options, option)
	return i
}

// letters reads -xvf file: the value of the first letter that takes one is what follows.
func (o *Options) letters(c *Cut, args []shell.Word, i int) int {
	word := args[i]
	for j := 1; j < len(word.Text); j++ {
		option := Option{Name: "-" + word.Text[j:j+1], Word: word, At: i, ValueAt: -1, Known: true, of: o, cluster: len(word.Text) > 2}
		k, ok := o.known[option.Name]
		if !ok {
			c.Unknown = word.Text
			c.Options = append(c.Options, option)
			continue
		}
		option.Name = k.name
		if k.takes == nothing {
			c.Options = append(c.Options, option)
			continue
		}
		if rest := word.Text[j+1:]; rest != "" {
			option.Value, option.Joined, option.ValueAt, option.From = word, true, i, j+1
			option.Value.Text = rest
		} else {
			i = option.next(k, args, i)
		}
		c.Options = append(c.Options, option)
		break
	}
	return i
}

// next gives an option the next word, where it takes that.
func (o *Option) next(k known, args []shell.Word, i int) int {
	if i+1 >= len(args) || k.takes != next && !(k.takes == number && args[i+1].Text != "" && strings.Trim(args[i+1].Text, "0123456789") == "") {
		return i
	}
	o.Value, o.Joined, o.ValueAt = args[i+1], true, i+1
	return i + 1
}

// doubt says that the next word may be the value of an option that nobody knows.
func (o *Option) doubt(c *Cut, args []shell.Word, i int) {
	if i+1 >= len(args) || strings.HasPrefix(args[i+1].Text, "-") && len(args[i+1].Text) > 1 {
		return
	}
	o.Value, o.ValueAt = args[i+1], i+1
	if Of().flags[o.Name] {
		return
	}
	if c.Doubtful == nil {
		c.Doubtful = map[int]bool{}
	}
	c.Doubtful[len(c.Operands)] = true
}

// Only reports whether an option stands there by itself, and nothing takes it back: for what makes something harmless.
func (c *Cut) Only(name string) bool {
	for i := range c.Options {
		if !c.Options[i].cluster && c.Options[i].Is(name, false) {
			return !c.takenBack(c.Options[i].Name, name)
		}
	}
	return false
}

// takenBack reports whether an option is switched off: --dry-run=false, --dry-run false, --no-dry-run. A pattern
// that wants a value has that one.
func (c *Cut) takenBack(name, pattern string) bool {
	if name == "-n" && c.takenBack("--dry-run", pattern) {
		return true
	}
	wants := strings.Contains(pattern, "=")
	for i := range c.Options {
		switch o := &c.Options[i]; {
		case o.Name == "--no-"+strings.TrimLeft(name, "-"):
			return true
		case o.Name == name && !(wants && o.Is(pattern, false)) && (isOff(o.Value.Text) || slices.ContainsFunc(c.Operands, func(w shell.Word) bool { return w.Text == "false" })):
			return true
		}
	}
	return false
}

func isOff(value string) bool {
	return slices.Contains(wordlist.List("program.off"), strings.ToLower(value))
}

// Has reports whether an option stands there. Where that makes it worse, a letter counts
// among those of a cluster too, and a beginning for what it begins.
func (c *Cut) Has(name string, worse bool) bool {
	for i := range c.Options {
		if c.Options[i].Is(name, worse) {
			return true
		}
	}
	return false
}

// Any reports whether one of some options stands there.
func (c *Cut) Any(worse bool, names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return c.Has(n, worse) })
}

// Is reports whether it is an option, or one with a value where name has one behind "=".
func (o *Option) Is(name string, worse bool) bool {
	if want, value, ok := strings.Cut(name, "="); ok && name[0] == '-' {
		return o.Is(want, worse) && usage.Like(value, o.Value.Text)
	}
	if o.of != nil && o.of.strict {
		if k, ok := o.of.known[name]; ok {
			return k.name == o.Name && (worse || !o.Begins)
		}
	}
	if usage.Like(name, o.Name) || len(o.Name) == 2 && usage.Like(name, o.Word.Text) {
		return true
	}
	if !worse {
		return false
	}
	if len(name) != 2 {
		return !o.Known && !Of().flags[o.Name] && len(o.Name) > 3 && strings.HasPrefix(name, o.Name) && o.Name[1] == '-'
	}
	text := o.Word.Text
	if len(text) < 3 || len(text) > 6 || text[1] == '-' || text[0] != '-' {
		return false
	}
	return strings.IndexByte(text[1:], name[1]) >= 0 && !strings.ContainsFunc(text[1:], func(r rune) bool { return r < 'A' || r > 'z' || r > 'Z' && r < 'a' })
}

// Role is what its value is, or what it says, as the table names it; "" for nothing that counts.
func (o *Option) Role() string {
	if o.of == nil {
		return ""
	}
	return o.of.roles[o.Name]
}

// IsProse reports whether its value is a text that nothing runs: a commit message.
func (o *Option) IsProse() bool { return o.of != nil && o.of.prose[o.Name] }

// IsPlain reports whether it only says how a program does what it does anyway.
func (o *Option) IsPlain() bool { return o.of != nil && o.of.plain[o.Name] }

// Value is that of the first of some options.
func (c *Cut) Value(names ...string) (shell.Word, bool) {
	for i := range c.Options {
		if slices.ContainsFunc(names, func(n string) bool { return c.Options[i].Is(n, true) }) {
			return c.Options[i].Value, true
		}
	}
	return shell.Word{}, false
}

// Values are all values of options.
func (c *Cut) Values() []shell.Word {
	var all []shell.Word
	for i := range c.Options {
		if c.Options[i].Value.Text != "" {
			all = append(all, c.Options[i].Value)
		}
	}
	return all
}

// First is the first operand; "" for none.
func (c *Cut) First() string {
	if len(c.Operands) == 0 {
		return ""
	}
	return c.Operands[0].Text
}

func setOf(list string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		all[w] = true
	}
	return all
}
