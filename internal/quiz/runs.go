package quiz

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/edits"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/headline"
)

// What is asked of a command, a statement, a program, a manifest or an edit: the words of it that
// make it dangerous, what it touches, and which lines it writes.

// maxExecuted is how much of a text is read, in bytes.
const maxExecuted = 16 << 10

// stretch is a text that runs, and where it stands.
type stretch struct{ pointer, text string }

// executed are the texts that a call runs.
func (c Call) executed(said []headline.Argument, h headline.Headline) []stretch {
	all := []stretch{{"", writtenIn(h.Parts)}, {"/code", c.Action.Code()}}
	for pointer := range c.Action.Languages() {
		all = append(all, stretch{pointer, c.Action.At(pointer)})
	}
	for _, arg := range said {
		for _, n := range arg.Values {
			if text := n.Text(); !arg.Secret && strings.Contains(text, "(") && (strings.ContainsAny(text, ";{>=") || compared.MatchString(text)) && !slices.ContainsFunc(arg.Words, func(w string) bool { return slices.Contains(lists.Prose, w) }) {
				all = append(all, stretch{n.Pointer, text})
			}
		}
	}
	slices.SortFunc(all, func(x, y stretch) int { return strings.Compare(x.pointer, y.pointer) })
	for i, t := range all { // what a person reads of it
		all[i].text = t.text[:min(len(t.text), maxExecuted)]
	}
	return all
}

// decides reports whether the effect that decides was read from this stretch of a text.
func (c Call) decides(pointer string, from, to int) bool {
	return len(c.Assessment.Effects) > 0 && slices.ContainsFunc(c.Assessment.Effects[0].Evidence, func(e effects.Evidence) bool {
		return pointer == "" || e.Pointer == pointer && (e.End == 0 || from < e.End && e.Start < to)
	})
}

// found are what a quiz finds in a text by what it looks like, and in texts of which language. What a program names is
// asked of programs.
var found = []struct {
	what          *regexp.Regexp
	about, prompt string
	in            func(l facts.Language, text string) bool
}{
	{regexp.MustCompile(`\b([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+)\b`), "variable", "Which variable does it name?", anywhere},
	{regexp.MustCompile(`(?:^|[\s'"(=])((?:19|20)\d\d-[01]\d-[0-3]\d)\b`), "date", "Which date does it name?", anywhere},
	{compared, "condition", "Which condition does it have?", func(l facts.Language, text string) bool {
		return l == facts.SQL || l != facts.Shell && strings.Contains(text, " ne ")
	}},
	{regexp.MustCompile(`\b(LIMIT|INTERVAL|TOP)\s+'?(\d+)\b`), "limit", "Which number goes with %s?", of(facts.SQL)},
	{regexp.MustCompile(`\b([A-Za-z_]\w{1,30})\s*=\s*(?:'([^']{1,40})'|(-?\d[\w.:-]*))`), "value", "What is “%s” set or compared to?", of(facts.SQL)},
	{regexp.MustCompile(`\b([A-Za-z_]\w{1,30})\s*:\s*(?:"([^"]{1,40})"|(-?\d[\d.]*|[A-Z][A-Z_]+)\b)`), "member", "Which value goes with “%s”?", func(l facts.Language, text string) bool {
		return l != facts.SQL && strings.Contains(text, "mutation")
	}},
	{regexp.MustCompile(`\b([A-Za-z_][\w.-]{1,40})["']?(?:\s?[=:]\s?(?:["']([^"']{1,40})["']|(-?\d[\w.:/-]*%?))|=([A-Za-z][\w.:-]*))`), "setting of", "Which value goes with “%s”?", func(l facts.Language, text string) bool {
		return l != facts.SQL && (l != "" || !strings.Contains(text, "mutation"))
	}},
}

func of(l facts.Language) func(facts.Language, string) bool {
	return func(o facts.Language, _ string) bool { return o == l }
}

func anywhere(facts.Language, string) bool { return true }

// ofTexts asks for what the texts say that a call runs: what the headline marks in them before the rest. Of several
// values of one kind it is one of what is marked, and the others are no options.
func (c Call) ofTexts(said []headline.Argument, h headline.Headline) (all []subject) {
	random, languages := rand.New(rand.NewPCG(1, 1)), c.Action.Languages() // what is made here is not shown
	ran := c.deciding()
	shelled := func(t stretch) bool { return t.pointer == "" || languages[t.pointer] == facts.Shell }
	note := func(s subject, t stretch, from int) {
		s.ofCall, s.rank, s.at = true, c.marked(t, from, from+len(s.value), h.Parts), from
		switch {
		case s.rank == 0 && ran != nil && shelled(t):
			s.worth = worthElsewhere
		case s.label != "" && machineMade(s.value) != nil:
			s.worth = worthIdentifier
		case s.rank > 0: // a role, what it touches, where
			s.worth = headline.OfTarget + s.worth/8
		}
		at := slices.IndexFunc(all, func(o subject) bool { return o.about == s.about })
		switch {
		case s.make == nil && s.set == nil && setOf(s.value, s.name) == nil && changed(s.value, s.sites(random), nil, quizOptions, random) == nil:
		case at < 0:
			all = append(all, s)
		case s.rank > all[at].rank, s.rank == all[at].rank && s.value != all[at].value && (s.set == nil || s.set != all[at].set && s.at > all[at].at): // of several the last: people read the beginning
			s.not = append(all[at].not, all[at].value)
			all[at] = s
		case all[at].value != s.value:
			all[at].not = append(all[at].not, s.value)
		}
	}
	for _, t := range c.executed(said, h) {
		language := languages[t.pointer]
		if t.pointer == "" {
			language = facts.Shell
		}
		for i := range lists.Said {
			set := &lists.Said[i]
			worth := headline.Danger
			if set.Less {
				worth = headline.Place
			}
			for _, v := range set.Of {
				if slices.Contains(set.Slight, v) {
					continue
				}
				if at := set.told(t.text, v, language); at >= 0 {
					note(subject{kind: string(headline.Value), about: set.Ask, prompt: set.Ask, value: v, set: set, worth: worth}, t, at)
				}
			}
		}
		for _, f := range found {
			if !f.in(language, t.text) {
				continue
			}
			for _, at := range f.what.FindAllStringSubmatchIndex(t.text, -1) {
				s := subject{kind: string(headline.Value), about: f.about + " of what runs", prompt: f.prompt, value: t.text[at[2]:at[3]], worth: headline.Place}
				if f.about == "variable" {
					s.noun, _ = nounOf([]string{f.about})
					if !slices.Contains(s.noun.Ends, strings.ToLower(s.value[strings.LastIndexByte(s.value, '_')+1:])) {
						continue
					}
				}
				if strings.Contains(f.prompt, "%s") { // of a column, an option, a variable
					if name := strings.TrimLeft(t.text[at[0]:at[3]], " \t\r\n'\""); slices.ContainsFunc(lists.Said, func(o set) bool { return slices.Contains(o.Of, name) }) {
						continue // a flag that has no value
					}
					if language == facts.Shell && (strings.HasPrefix(t.text[at[3]:], ":") || at[2] > 0 && t.text[at[2]-1] == '-') {
						continue // a port, and an option
					}
					s.label, s.name = s.value, strings.Fields(strings.ToLower(headline.Words(s.value)))
					s.about, s.prompt = strings.Join(s.name, " ")+" of what runs", fmt.Sprintf(f.prompt, s.value)
					for k := 4; k < len(at); k += 2 {
						if at[k] >= 0 {
							s.value = t.text[at[k]:at[k+1]]
						}
					}
					if s.noun, _ = nounOf(s.name); s.noun != nil && s.noun.Kind == "role" && s.value != strings.ToLower(s.value) {
						s.noun = nil
					}
					s.worth = min(c.weighed(s.label, s.value), headline.OfTarget-1)
					if slices.ContainsFunc(s.name, func(w string) bool {
						return slices.Contains(lists.Consent, w) || s.worth < headline.Danger && slices.Contains(lists.Unasked, w)
					}) {
						continue
					}
					if f.about == "value" && slices.Contains(lists.Naming, s.name[len(s.name)-1]) || s.value == "0" || s.value == "1" {
						continue // whose it is, and a switch
					}
				}
				note(s, t, at[2])
			}
		}
	}
	for _, f := range c.Assessment.Facts {
		if s, ok := touched(f, h, c.Action.At(f.Place().Pointer)+c.Action.Code()); ok && !slices.ContainsFunc(c.commands(), func(one command) bool { return f.Kind == facts.Path && one.asks(f.Place()) }) {
			note(s, stretch{f.Place().Pointer, c.Action.At(f.Place().Pointer)}, f.Place().Start)
		}
	}
	noted := func(value string) bool {
		return slices.ContainsFunc(all, func(s subject) bool {
			return strings.Contains(value, s.value) || alike(s.value, value) && machineMade(value) != nil
		})
	}
	for _, one := range c.commands() {
		c.ofCommand(one, noted, note)
	}
	return append(all, ofManifest(h)...)
}

// marked says how sure it is that a place of a text is in the command, the statement or the line that made the level: the
// headline marks it, the effect was read there, or neither.
func (c Call) marked(t stretch, from, to int, parts []headline.Part) int {
	value := ""
	if 0 <= from && from < to && to <= len(t.text) {
		value = t.text[from:to]
	}
	var in *command // the innermost
	for _, one := range c.commands() {
		if one.in.pointer != t.pointer && listed.ReplaceAllString(t.pointer, "") == one.in.pointer || (one.in.pointer == t.pointer || one.in.text == t.text) && one.Start <= from && from < one.End && (in == nil || one.End-one.Start <= in.End-in.Start) {
			in = &one
		}
	}
	if in != nil && !in.decides {
		return 0
	}
	if slices.ContainsFunc(parts, func(p headline.Part) bool { return p.Weight > headline.Decisive && holds(p.Text, value) >= 0 }) {
		return 2
	}
	if in != nil {
		return 1
	}
	begin := 0
	for _, end := range append(between.FindAllStringIndex(t.text, -1), []int{len(t.text), len(t.text)}) {
		if begin <= from && from < end[0] {
			if t.pointer != "" && c.decides(t.pointer, begin, end[0]) {
				return 1
			}
		}
		begin = end[1]
	}
	return 0
}

// weighed is what an argument of this name and value weighs: what a text says under a name weighs as much.
func (c Call) weighed(name, value string) int {
	body, err := json.Marshal(map[string]string{name: value})
	tree, wrong := canon.Parse(body)
	if err != nil || wrong != nil {
		return 0
	}
	return headline.Arguments(&call.Call{Function: c.Action.Function(), Arguments: tree}, c.Assessment.Effects)[0].Weight
}

// between is what parts the commands of a shell, and statements the statements of SQL.
var (
	between    = regexp.MustCompile("&&|\\|\\|?|[;\n`⏎]|\\$\\(")
	statements = regexp.MustCompile(";")
)

// told is where a text says a value of the set, with a word of With before it or behind; of a shell and of SQL it's in the
// same command, and a flag behind the program that has it. -1 for nowhere.
func (s set) told(text, v string, language facts.Language) int {
	if strings.Contains(text, "sed ") {
		text, v = strings.ReplaceAll(text, "/", " "), strings.ReplaceAll(v, "/", " ")
	}
	parting := between
	if language == facts.SQL {
		parting = statements
	}
	ends := [][]int{{len(text), len(text)}}
	if language == facts.Shell || language == facts.SQL {
		ends = append(parting.FindAllStringIndex(text, -1), ends...)
	}
	from := 0
	for _, end := range ends {
		with := s.With
		if with == nil {
			with = []string{""}
		}
		for _, w := range with {
			at := holds(text[from:end[0]], w)
			if at < 0 && w != "" {
				continue
			}
			if at < 0 || !strings.HasPrefix(v, "-") || language != facts.Shell {
				at = 0
			}
			if in := holds(text[from+at:end[0]], v); in >= 0 {
				return from + at + in
			}
		}
		from = end[1]
	}
	return -1
}

// file asks for a path, or for the name of a file.
func file(w string) (subject, bool) {
	s := subject{kind: string(headline.Target), about: "path of what runs", prompt: "Which path does it name?", value: w, worth: headline.OfTarget}
	named := !strings.HasPrefix(w, "/") && !strings.HasPrefix(w, "~") && slices.Contains(lists.Files, strings.TrimPrefix(path.Ext(w), "."))
	if named {
		s.about, s.prompt = "file of what runs", "Which file does it name?"
	}
	return s, !strings.ContainsAny(w, "$:=?{}[]<>|&`'\"\\") && path.Ext(w) != ".jar" && (named || strings.HasPrefix(w, "~/") || strings.HasPrefix(w, "/") && len(w) > 4)
}

// touched asks for what a command, a statement or a program names. What it is called follows from
// what it looks like, too: site.yml is no host, and a range of addresses no path.
func touched(f facts.Fact, h headline.Headline, text string) (subject, bool) {
	if of := setOf(f.Value, nil); f.Source == facts.FromKey || f.Source == facts.FromShape || len(h.Parts) == 0 || strings.HasPrefix(f.Value, "-") || strings.HasPrefix(f.Value, "$") || of != nil && of.Given {
		return subject{}, false
	}
	s := subject{kind: string(headline.Target), about: f.Label + " of what runs", prompt: "Which " + cmp.Or(lists.Spelled[f.Label], f.Label) + " does it name?", value: f.Value, worth: headline.OfTarget}
	if strings.Contains(text, f.Label+" "+f.Value) {
		s.label = f.Label
	}
	if _, inside, ok := strings.Cut(s.value, "://"); ok && f.Label == "bucket" {
		s.value, _, _ = strings.Cut(inside, "/")
	}
	switch f.Kind {
	case facts.Path, facts.Host:
		if named, ok := file(f.Value); ok && !strings.Contains(text, "://"+f.Value) {
			_, err := netip.ParsePrefix(f.Value)
			return named, err != nil
		}
		if f.Kind == facts.Path || !strings.Contains(f.Value, ".") || !isHost(f.Value) && net.ParseIP(f.Value) == nil {
			return s, false
		}
		s.about, s.prompt, s.kind, s.noun, s.worth = "host of what runs", "Which host does it name?", string(headline.Where), &lists.Company, headline.Place
	case facts.Branch:
		s.about, s.prompt, s.kind, s.name = "branch of what runs", "Which branch or revision?", string(headline.Where), []string{"branch"}
	case facts.Table, facts.Target, facts.Recipient:
		named := false
		if s.noun, named = nounOf([]string{f.Label}); f.Kind != facts.Table && (!named || s.value != strings.ToLower(s.value) && !strings.Contains(s.value, "_")) {
			return s, false // what a word is called is a guess
		}
	default:
		return s, false
	}
	return s, f.Label != ""
}

// ofManifest asks for what a manifest is: kind, name, the role and who gets it.
func ofManifest(h headline.Headline) (all []subject) {
	ask := func(about, prompt, value string, worth int, name ...string) {
		all = append(all, subject{kind: string(headline.Target), about: about + " of the manifest", prompt: prompt, value: value, worth: worth, name: name, ofCall: true, noun: &lists.Accounts[0]})
	}
	for i, p := range h.Parts[:max(0, len(h.Parts)-1)] {
		next := h.Parts[i+1]
		switch {
		case p.Role == headline.Function && p.Weight > 0: // of a manifest, and not of the call
			ask("kind", "Which kind of thing is it?", p.Text, headline.Place, "kind")
			ask("name", "What is its name?", next.Text, headline.OfTarget)
		case p.Role == headline.Name && p.By == headline.Ours && next.Role == headline.Given:
			ask(p.Text, "Which "+p.Text+" does it name?", next.Text, headline.Decisive, p.Text)
		case p.Role == headline.Name && p.By == headline.Ours && next.Role == headline.Recipient:
			ask(p.Text, "Which "+p.Text+" does it name?", next.Text, headline.OfTarget+5, p.Text)
		}
	}
	return all
}

// maxLine bounds a line that is asked for, in bytes.
const maxLine = 120

// lineKind is the kind of a question about a line that an edit writes.
const lineKind = "line"

// ofFiles asks which file an edit changes, what is lost or decides first, and for a line that it writes.
func (c Call) ofFiles(files []edits.File, parts []headline.Part) (all []subject) {
	for _, f := range files {
		s := subject{kind: string(headline.File), about: "file", prompt: "Which file does it touch?", value: f.Path, worth: headline.Decisive, ofCall: true}
		if f.Does == edits.Delete || f.Does == edits.Empty {
			s.natural = "Which file is lost?"
		}
		all = append(all, s)
	}
	// Of several it's the one that the headline says first.
	slices.SortStableFunc(all, func(x, y subject) int { return saying(parts, x.value) - saying(parts, y.value) })
	for _, s := range all[min(1, len(all)):] {
		all[0].not = append(all[0].not, s.value)
	}
	all = all[:min(1, len(all))]
	// Of files to which different things happen, "the file" is none.
	if len(all) > 0 && !slices.ContainsFunc(files, func(f edits.File) bool { return f.Does != files[0].Does }) {
		const anew = "anew"
		done := map[edits.Does]string{edits.Create: "It's created", edits.Change: "It's changed", edits.Delete: "It's deleted", edits.Empty: "It's emptied", edits.Move: "It's moved", anew: "It's overwritten"}
		at := max(0, slices.IndexFunc(files, func(f edits.File) bool { return f.Path == all[0].value }))
		does := files[at].Does
		if files[at].Whole && does == edits.Change {
			does = anew
		}
		s := subject{kind: effectKind, about: "done", prompt: "What happens to the file?", value: done[does], worth: worthFollows}
		if all[0].natural != "" {
			s.worth = headline.Danger
		}
		if does == anew || does == edits.Change || does == edits.Create { // which of them it is, people don't tell apart
			s.not = []string{done[anew], done[edits.Change]}
			if does == anew {
				s.not = append(s.not, done[edits.Create])
			}
		}
		s.make = func(_ Corpus, n int, random *rand.Rand) []string {
			return fromSet(s.value, slices.Sorted(maps.Values(done)), s.not, n, random)
		}
		all = append(all, s)
	}
	if at := slices.IndexFunc(files, func(f edits.File) bool { return lineOf(f, parts).value != "" }); at >= 0 {
		all = append(all, lineOf(files[at], parts))
	}
	return all
}

// lineOf asks for a line that an edit writes; what it takes away, and the line with another number or
// yes for no, are the other options.
func lineOf(f edits.File, parts []headline.Part) subject {
	s := subject{kind: lineKind, about: "line", prompt: "Which of these lines does it write?", worth: headline.OfTarget, ofCall: true}
	var old, wrong []string
	lines := func(text string) (all []string) {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); len(line) >= 8 && len(line) <= maxLine {
				all = append(all, line)
			}
		}
		return all
	}
	for _, h := range f.Hunks {
		old, s.not = append(old, lines(h.Old.Text)...), append(s.not, lines(h.New.Text)...)
	}
	best := 0
	for _, line := range s.not { // what the headline says first, and no comment
		rank := slices.IndexFunc(parts, func(p headline.Part) bool {
			return p.Role == headline.Text && strings.HasPrefix(strings.Join(strings.Fields(line), " "), strings.TrimSuffix(p.Text, "…"))
		})
		if rank < 0 {
			rank = len(parts)
		}
		if strings.Trim(line[:1], "#/*-") == "" || strings.HasSuffix(line, "{") || strings.HasSuffix(line, "[") {
			rank += len(parts)
		}
		if !slices.Contains(old, line) && (s.value == "" || rank < best) {
			s.value, best = line, rank
		}
	}
	for _, line := range old {
		if !slices.Contains(s.not, line) {
			wrong = append(wrong, line)
		}
	}
	s.make = func(_ Corpus, n int, random *rand.Rand) []string {
		all := slices.Clone(wrong)
		for _, line := range append([]string{s.value}, s.not...) {
			for _, at := range places(line, nil, random) {
				for _, o := range at.others[:min(3, len(at.others))] {
					if o = line[:at.from] + o + line[at.to:]; line == s.value || len(at.others) == 1 {
						all = append(all, o)
					}
				}
			}
		}
		for _, line := range append(slices.Clone(wrong), s.value) { // of a configuration, what is no comment can be one
			if !strings.ContainsAny(line, "#(){}=") {
				all = append(all, "# "+line)
			}
		}
		slices.Sort(all)
		return fromSet(s.value, slices.Compact(all), s.not, n, random)
	}
	return s
}
