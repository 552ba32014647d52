package headline

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/edits"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// written is what a call executes, as it is written.
type written struct {
	role   Role
	text   string
	pieces []piece // the texts of the call that stand in it, or one of no pointer where words were put together
	of     []int   // the arguments that it is made of
	named  bool    // the function's name is the program
	shaped bool    // only its shape says that it is a program
	leaves int     // values of the call
	// From start to end stands what made the level, in the command, statement or line from
	// within to until; end is 0 where nothing says which part did.
	start, end, within, until int
	worst                     effects.Kind // of what it calls, where no effect was read from it
}

// piece is a text of the call, and where it stands in what is executed.
type piece struct {
	pointer  string
	from, to int
}

// place is where bytes of a value stand in what is executed; ok is false where they don't.
func (w *written) place(pointer string, start, end int) (from, to int, ok bool) {
	for _, p := range w.pieces {
		if from, to = p.from+start, p.from+end; p.pointer == pointer && 0 <= start && start < end && to <= p.to && boundary(w.text, from) && boundary(w.text, to) {
			return from, to, true
		}
	}
	return 0, 0, false
}

// says reports whether an effect was read from it.
func (w *written) says(e effects.Effect) bool {
	return w.pieces[0].pointer == "" || slices.ContainsFunc(e.Evidence, func(at effects.Evidence) bool { return w.has(at.Pointer) })
}

// has reports whether a value of the call stands in it.
func (w *written) has(pointer string) bool {
	return slices.ContainsFunc(w.pieces, func(p piece) bool { return p.pointer == pointer })
}

func oneText(role Role, text, pointer string, of ...int) *written {
	return &written{role: role, text: text, pieces: []piece{{pointer, 0, len(text)}}, of: of}
}

// severalTexts is a list of statements or commands, one a line.
func severalTexts(i int, values []*call.Node, languages map[string]facts.Language) *written {
	w := &written{role: Command, of: []int{i}}
	for k, n := range values {
		if k > 0 {
			w.text += "\n"
		}
		from := len(w.text)
		w.text += n.Text() + n.Digits()
		w.pieces = append(w.pieces, piece{n.Pointer, from, len(w.text)})
		if l, ok := languages[n.Pointer]; ok {
			w.role = roleOfLanguage(l)
		}
	}
	return w
}

// Names of arguments whose text is executed, whatever it looks like, and of those that hold
// words of a command.
var (
	executed  = words("executed")
	programs  = words("programs")
	argv      = words("argv")
	runs      = words("runs")
	importing = words("importing")
)

// findWritten is what the call executes: of several texts the one that made the level.
func (a *act) findWritten() *written {
	languages := facts.Languages(a.in)
	var all []*written
	if a.in.Code != "" {
		all = append(all, oneText(roleOfLanguage(languages["/code"]), a.in.Code, "/code"))
	}
	for i, arg := range a.arguments {
		if w := a.writtenIn(i, arg, languages); w != nil && !arg.Secret {
			all = append(all, w)
		}
	}
	if len(all) == 0 {
		return nil
	}
	best := all[0]
	for _, e := range a.Effects[:min(len(a.Effects), 1)] {
		for _, w := range all {
			if slices.ContainsFunc(e.Evidence, func(of effects.Evidence) bool { return w.has(of.Pointer) }) {
				best = w
			}
		}
	}
	best.hide(a)
	best.mark(a)
	best.leaves = 1
	for _, i := range best.of {
		a.said[i] = true
		best.leaves = max(best.leaves, len(best.of)-1+len(a.arguments[i].Values))
	}
	return best
}

func roleOfLanguage(l facts.Language) Role {
	switch l {
	case facts.SQL:
		return Statement
	case facts.Shell:
		return Command
	}
	return Code
}

// writtenIn is what an argument says that is executed; nil where it is only a value.
func (a *act) writtenIn(i int, arg Argument, languages map[string]facts.Language) *written {
	one, name := arg.Values[0], strings.ToLower(arg.Name)
	last := ""
	if len(arg.Words) > 0 {
		last = arg.Words[len(arg.Words)-1]
	}
	named := executed[name] || executed[last] && last != "query" && last != "code" && last != "source" && last != "expression"
	runner := slices.ContainsFunc(a.words, func(w string) bool { return runs[w] })
	list := argv[name] && arg.Values[0].Kind() == canon.KindString
	if k := a.program(); list && k >= 0 { // {command: "FLUSHDB", args: ["ASYNC"]}
		return oneText(Command, a.arguments[k].Values[0].Text()+" "+joined(arg.Values), "", k, i)
	}
	if len(arg.Values) > 1 && !named && (executed[singular(last)] || slices.ContainsFunc(arg.Values, func(n *call.Node) bool { return languages[n.Pointer] != "" })) && !list {
		return severalTexts(i, arg.Values, languages) // {statements: ["UPDATE …", "DROP …"]}
	}
	if len(arg.Values) > 1 && (named || list && runner) { // ["rm", "-rf", "/srv"]
		w := oneText(Command, joined(arg.Values), "", i)
		w.named = !named
		return w
	}
	text := one.Text()
	if one.Kind() != canon.KindString || text == "" {
		return nil
	}
	language, known := languages[one.Pointer]
	deciding := slices.ContainsFunc(a.Effects, func(e effects.Effect) bool {
		return slices.ContainsFunc(e.Evidence, func(of effects.Evidence) bool { return of.Pointer == one.Pointer })
	})
	oneWord := !strings.ContainsAny(strings.TrimSpace(text), " \n\t;|(")
	switch {
	case known && language == facts.Shell && oneWord && len(a.arguments) > 1 && named:
		for k, other := range a.arguments { // {command: "rm", args: ["-rf", "/srv"]}
			if argv[strings.ToLower(other.Name)] && other.Values[0].Kind() == canon.KindString {
				return oneText(Command, text+" "+joined(other.Values), "", i, k)
			}
		}
		if !runner {
			return nil // {command: "delete", id: 7}
		}
	case known && (deciding || named):
	case !known && (last == "sql" || last == "statement" || last == "stmt") && !oneWord:
		return oneText(Statement, text, one.Pointer, i)
	case known && runner && (language != facts.SQL || a.in.Text(text).SQL().IsStatement()): // and no note that begins with “restore”
	case !known && programs[last] && !oneWord && (deciding || runner || len(a.arguments) == 1):
	case !known && graphQL(text) && (name == "query" || text[0] != '{'):
	case !known && len(text) <= maxManifestBytes && !(roleOf(one) == Text && a.kind() == effects.Message) && isProgram(text, roleOf(one) == Text) && len(edits.Read(a.in)) == 0:
	default:
		return nil
	}
	role := Code
	if known {
		role = roleOfLanguage(language)
	}
	w := oneText(role, text, one.Pointer, i)
	w.shaped = !known && !executed[last] && !programs[last]
	return w
}

// isProgram reports whether a text of several lines or statements is one by its shape: half of its lines call, set,
// open or close something, or begin as statements do, which those of a letter do, too.
func isProgram(text string, letter bool) bool {
	lines, like := 0, 0
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		if line = strings.TrimSpace(line); line != "" {
			if lines++; codeLine.MatchString(line) || !letter && statement.MatchString(line) {
				like++
			}
		}
	}
	return lines > 1 && like*2 >= lines && (strings.Contains(text, "\n") || statement.MatchString(text))
}

var (
	codeLine  = regexp.MustCompile(`^[\w.\[\]$@ ]*\w\(|^[\w.$\[\]"']+\s*(?::=|[-+|]?=)\s*\S|[{}()\[\]]$|^[})\]]`)
	statement = regexp.MustCompile(`(?i)^(?:import|from|begin|end|exec|set|use|grant|alter|create|drop|delete|update|insert|commit|path|let|const|var|return|if|for|unset)\b`)
)

// running are names of arguments that are a program.
var running = words("running")

// program is the argument that names a program whose arguments are a list of their own; -1 for none.
func (a *act) program() int {
	return slices.IndexFunc(a.arguments, func(arg Argument) bool {
		text := arg.Values[0].Text()
		return running[strings.ToLower(arg.Name)] && len(arg.Values) == 1 && text != "" && !strings.ContainsAny(text, " \n\t")
	})
}

// graphQL reports whether a text is an operation of GraphQL.
func graphQL(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "mutation") || strings.HasPrefix(text, "query") && strings.Contains(text, "{") || strings.HasPrefix(text, "{")
}

// joined are the words of a command on one line; one with spaces stands in quotes.
func joined(values []*call.Node) string {
	words := make([]string, len(values))
	for i, n := range values {
		if words[i] = n.Text() + n.Number(); strings.ContainsAny(words[i], " \t\n") || words[i] == "" {
			words[i] = strconv.Quote(words[i])
		}
	}
	return strings.Join(words, " ")
}

// mark finds what of the text made the level: of several places the one that reaches furthest, and
// only then one that stops what can be started again.
func (w *written) mark(a *act) {
	if len(a.Effects) == 0 || a.kind() == effects.Read {
		return
	}
	best := -1
	for _, e := range a.Effects[0].Evidence {
		from, to, ok := w.place(e.Pointer, e.Start, e.End)
		if ok && reach(w.text[from:to]) > best && !(w.role == Code && imports(w.text[strings.LastIndexByte(w.text[:from], '\n')+1:to])) {
			best, w.start, w.end = reach(w.text[from:to]), from, to
		}
	}
	if w.end == 0 {
		w.look(a)
	}
	if w.end > 0 {
		w.around(a)
	}
}

// around finds the command, statement or line in which what is marked stands.
func (w *written) around(a *act) {
	w.within, w.until = w.start, w.end
	in := w.pieces[slices.IndexFunc(w.pieces, func(p piece) bool { return w.start < p.to })]
	text := w.text[in.from:in.to]
	take := func(from, to int) {
		if from, to = from+in.from, to+in.from; from <= w.start && w.start < to && to <= in.to {
			w.within, w.until = from, max(to, w.end)
		}
	}
	switch w.role {
	case Command:
		for _, c := range a.in.Text(text).Script().Commands {
			start, end := c.Start+in.from, c.End+in.from
			if start == w.start && end >= w.end {
				defer w.narrow(c, in)
			}
			if start <= w.start && w.start < end && (w.within == w.start && w.until == w.end || end-start < w.until-w.within) {
				take(c.Start, c.End)
			}
		}
	case Statement:
		for _, s := range a.in.Text(text).SQL().Statements(true) {
			take(s.Tokens[0].Start(), s.Tokens[len(s.Tokens)-1].End())
		}
	default:
		start, end := w.start-in.from, len(text)
		if at := strings.IndexByte(w.text[w.end:in.to], '\n'); at >= 0 {
			end = w.end + at - in.from
		}
		take(strings.LastIndexByte(text[:start], '\n')+1, end)
	}
	if !boundary(w.text, w.within) || !boundary(w.text, w.until) {
		w.within, w.until = w.start, w.end
	}
}

// look marks the command or line whose words do the worst, where nothing says what made the level.
func (w *written) look(a *act) {
	worst := slices.Index(worstFirst, effects.Write)
	note := func(from, to int, names ...string) {
		for _, name := range names {
			rank := slices.Index(worstFirst, effects.Does(name))
			if rank >= 0 && rank < worst && from < to && to <= len(w.text) && boundary(w.text, from) && boundary(w.text, to) {
				worst, w.start, w.end, w.worst = rank, from, to, worstFirst[rank]
			}
		}
	}
	switch w.role {
	case Command:
		for _, c := range a.in.Text(w.text).Script().Commands {
			for _, word := range c.Words {
				if c.Role != shell.Outer && isIdentifier(word.Text) {
					note(c.Start, c.End, strings.TrimLeft(word.Text, "-"))
				}
			}
		}
	case Code:
		at, lines, most := 0, 0, weightShort
		for line := range strings.SplitAfterSeq(strings.ReplaceAll(w.text, "\n", ";"), ";") {
			end := at + len(strings.TrimRight(line, "; "))
			for _, m := range calling.FindAllStringSubmatchIndex(line, -1) {
				note(at+max(m[2], m[4]), end, line[max(m[2], m[4]):max(m[3], m[5])])
			}
			if lines++; w.worst == "" && lines <= 200 { // what is set
				if weight := a.weightOfLine(strings.TrimSpace(line)); weight > most {
					most, w.start, w.end = weight, at+len(line)-len(strings.TrimLeft(line, " \t")), end
				}
			}
			at += len(line)
		}
	}
}

// calling is what a line of a program calls, and worstFirst how bad that is.
var (
	calling    = regexp.MustCompile(`([A-Za-z_]\w*) ?\(|^\s*([A-Za-z]+) +\w`)
	worstFirst = []effects.Kind{effects.Delete, effects.Permission, effects.Money, effects.Message, effects.Write}
)

// imports reports whether a line of a program only says what it uses.
func imports(line string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return importing[first] || strings.Contains(line, "require(")
}

// stretch is from where to where an effect stands in the text; to is 0 where nothing says so. Of a
// statement it is all.
func (w *written) stretch(e effects.Effect) (from, to int) {
	if w == nil {
		return 0, 0
	}
	from = len(w.text)
	for _, at := range e.Evidence {
		if start, end, ok := w.place(at.Pointer, at.Start, at.End); ok {
			if w.within <= start && end <= w.until {
				start, end = w.within, w.until
			}
			from, to = min(from, start), max(to, end)
		}
	}
	return from, to
}

// reach is how much what stands in a place undoes: a root or a flag that reaches further before all,
// and last what only stops something.
func reach(text string) int {
	switch words := strings.Fields(text); {
	case slices.ContainsFunc(words, isRoot) || slices.ContainsFunc(words, isFar) || len(words) > 0 && strings.EqualFold(words[0], "grant"):
		return 2
	case slices.ContainsFunc(words, func(w string) bool { return stopping[strings.ToLower(w)] }):
		return 0
	}
	return 1
}

// narrow marks the word of a command that makes it what it is, where one does: a root, a flag.
func (w *written) narrow(c shell.Command, in piece) {
	for _, of := range []func(string) bool{isRoot, isFar} {
		for _, word := range slices.Backward(c.Words) {
			if from, to, ok := w.place(in.pointer, word.Start, word.End); ok && of(word.Text) && from >= w.start {
				w.start, w.end = from, to
				return
			}
		}
	}
}

func isRoot(word string) bool {
	return slices.Contains(wordlist.List("headline.roots"), word)
}

func isFar(word string) bool {
	flag := strings.TrimLeft(word, "-")
	return flag != word && (far[strings.SplitN(flag, "=", 2)[0]] || slices.Contains(wordlist.List("headline.farFlags"), flag))
}

// boundary reports whether a character begins at i, or the text ends there.
func boundary(text string, i int) bool { return i == len(text) || utf8.RuneStart(text[i]) }

// maxWritten is how much of what is executed a headline says, in bytes, so that other
// arguments are said too.
const maxWritten = 440

// item is the text from its beginning. Where what made the level stands behind what a row shows,
// the row begins with that.
func (w *written) item(a *act) item {
	var it item
	if w.named || a.saysMore(w.text) {
		it.parts = a.named()
		if a.target >= 0 && !a.said[a.target] && w.shaped && !a.hasAny(runs) { // what the text is of
			it.parts = append(it.parts, a.arguments[a.target].said(a.arguments[a.target].Values[0]))
			it.parts[len(it.parts)-1].Role, a.said[a.target] = Target, true
		}
	}
	most := MaxRow
	if graphQL(w.text) { // what it says stands in its variables
		most = MaxLine
	}
	shown := func(to int) bool { return utf8.RuneCountInString(legible(w.text[:to])) <= most-10 }
	if !shown(len(w.text)) && w.end > 0 && !(a.kind() == effects.Execute && shown(min(w.start+longest/2, len(w.text)))) {
		left, places := most-6-length(it.parts, false), w.places(a)
		of := w.sizes(places)
		for i, arg := range a.arguments { // where it is done stands behind it, if that takes nothing away
			if n := len(arg.Text(0)) + len(arg.last()) + 4; !a.said[i] && !arg.Secret && arg.Weight > Place && of+n < left {
				left -= n
				break
			}
		}
		if telling := w.telling(a, places, left); len(telling) > 0 && utf8.RuneCountInString(legible(w.text[:telling[len(telling)-1][1]])) > left {
			it.parts = append(it.parts, w.first(a, telling, left)...)
		}
	}
	all := w.whole()
	for i := range all {
		all[i].again = len(it.parts) > 0 && it.parts[len(it.parts)-1].again
	}
	it.parts = append(it.parts, all...)
	for _, p := range w.pieces[1:] {
		if p.from >= maxWritten {
			it.unsaid++
		}
	}
	return it
}

// saysMore reports whether the function's name says more than that it executes something, and the
// text doesn't say it: run_container, apply_migration.
func (a *act) saysMore(text string) bool {
	head := strings.ToLower(text[:min(len(text), 60)])
	return slices.ContainsFunc(a.words, func(w string) bool { return !runs[w] && len(w) > 2 && !strings.Contains(head, w) })
}

// whole is the text, what made the level marked, and how many lines are left out.
func (w *written) whole() []Part {
	text, rest := w.text, ""
	if len(text) > maxWritten {
		at := maxWritten
		for !utf8.RuneStart(text[at]) {
			at--
		}
		text, rest = text[:at], text[at:]
	}
	cuts := []int{len(text)}
	marked := w.end > 0 && w.end <= len(text) && w.end-w.start < len(text)
	if marked {
		cuts = append(cuts, w.start, w.end)
	}
	for _, p := range w.pieces {
		cuts = append(cuts, min(p.from, len(text)))
	}
	slices.Sort(cuts)
	var parts []Part
	from := 0
	for _, to := range cuts {
		said := legible(text[from:to])
		if said == "" {
			continue
		}
		p := Part{Role: w.role, Text: said, By: Theirs, Weight: OfTarget}
		if marked && from >= w.start && to <= w.end {
			p.Weight = Decisive + 5
		}
		if slices.ContainsFunc(w.pieces, func(of piece) bool { return of.from == from }) {
			p.leaves = w.leaves / len(w.pieces)
		}
		parts, from = append(parts, p), to
	}
	if rest != "" {
		label := "… +" + group(strconv.Itoa(utf8.RuneCountInString(rest))) + " characters"
		if lines := strings.Count(strings.TrimRight(rest, "\n"), "\n"); lines > 0 {
			label = "… +" + group(strconv.Itoa(lines)) + " lines"
		}
		parts = append(parts, Part{Role: Label, Text: label, By: Ours, Weight: OfTarget})
	}
	return parts
}
