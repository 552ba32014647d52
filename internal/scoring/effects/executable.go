package effects

import (
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/code"
)

// What a call executes: commands, statements, programs.

// isCommand reports whether an argument is a command of a shell, whatever the tool.
func isCommand(key string) bool {
	return says("commands", key)
}

// isProgram reports whether an argument names the program that is run, where its arguments
// stand beside it.
func isProgram(key string) bool {
	return says("program_keys", key)
}

// command reads an argument that is a command: a text, the words of one, or several.
func (r *reader) command(value, args canon.Value, at string) {
	switch value.Kind() {
	case canon.KindArray:
		r.argv(value, at)
		return
	case canon.KindString:
	default:
		return
	}
	text := value.Text()
	if text == "" {
		return
	}
	var n named
	if len(text) <= 200 && !strings.ContainsAny(text, " \t\n;|&$`<>(){}'\"\\") {
		n = readName(text)
	}
	if n.known && (besides(args) || r.name.known && r.name.kind == Read && n.kind == Read) {
		// An editor's command: {command: view, path: …}.
		r.operated, r.edits = true, besides(args)
		r.tell(r.effect(n, Evidence{Pointer: at, End: len(text), Why: "the argument command says " + n.verb}, true))
		return
	}
	if says("switched_to", strings.ToLower(text)) && r.name.known && !r.name.executor && args.Len() > 1 {
		r.operated = true
		r.tell(r.effect(named{kind: Write, verb: "turn", object: r.name.object}, Evidence{Pointer: at, End: len(text), Why: "the argument command says " + strings.ToLower(text)}, true))
		return
	}
	r.executed = true
	more := words2(args)
	if len(more) > 0 { // {command: rm, args: [-rf, /srv]}
		if strings.ContainsAny(text, " \t") {
			r.tell(r.shellText(text, at)...)
		}
		r.tell(r.run(append([]string{text}, more...), at)...)
		return
	}
	r.tell(r.shellText(text, at)...)
}

// besides reports whether a path or a text stands beside a command, as an editor has it.
func besides(args canon.Value) bool {
	for name, value := range args.Members() {
		if value.Kind() != canon.KindNull && says("edited_keys", lowered(name)) {
			return true
		}
	}
	return false
}

// words2 are the arguments that stand beside a command.
func words2(args canon.Value) []string {
	for name, value := range args.Members() {
		switch beside := says("argument_lists", lowered(name)); {
		case beside && value.Kind() == canon.KindArray:
			return scalars(value)
		case beside && value.Kind() == canon.KindString && value.Text() != "":
			return strings.Fields(value.Text())
		}
	}
	return nil
}

func scalars(v canon.Value) []string {
	var all []string
	for _, e := range v.Elements() {
		switch e.Kind() {
		case canon.KindString:
			all = append(all, e.Text())
		case canon.KindNumber:
			all = append(all, e.Number())
		case canon.KindBool:
			all = append(all, strconv.FormatBool(e.Bool()))
		default:
		}
	}
	return all
}

// argv reads the words of a command. Under the name of a program they are its arguments:
// kubectl {args: [delete, namespace, prod]}. Several texts with spaces are several commands.
func (r *reader) argv(v canon.Value, at string) {
	all := scalars(v)
	if len(all) == 0 || len(all) != v.Len() {
		for i, e := range v.Elements() { // [{command: …}]
			if e.Kind() == canon.KindObject {
				r.call(e, at+"/"+strconv.Itoa(i))
			}
		}
		return
	}
	r.executed = true
	if !slices.ContainsFunc(all, func(s string) bool { return !strings.Contains(s, " ") }) {
		for i, text := range all {
			r.tell(r.shellText(text, at+"/"+strconv.Itoa(i))...)
		}
		return
	}
	r.tell(r.run(all, at)...)
}

// run reads the words of a command, behind the program that the function's name is.
func (r *reader) run(argv []string, at string) []Effect {
	if program := r.programName(); program != "" && argv[0] != program {
		argv = append([]string{program}, argv...)
	}
	return withoutPlaces(shellEffects(r.in.Call.Argv(argv), at))
}

// withoutPlaces takes places away that stand in no single value.
func withoutPlaces(all []Effect) []Effect {
	for i := range all {
		for j := range all[i].Evidence {
			all[i].Evidence[j].Start, all[i].Evidence[j].End = 0, 0
		}
	}
	return all
}

// shellText reads a command text, of the program that the function's name is.
func (r *reader) shellText(text, at string) []Effect {
	if r.speaksQueries() {
		if all, ok := queryEffects(r.in.Call.Text(text), at, 0); ok {
			return all
		}
	}
	if r.in.Call.Text(text).SQL().IsStatement() {
		return r.statement(text, at)
	}
	if program := r.programName(); program != "" {
		if first, _, _ := strings.Cut(strings.TrimSpace(text), " "); first != program {
			return withoutPlaces(shellEffects(r.in.Call.Text(program+" "+text), at))
		}
	}
	return r.shell(text, at)
}

// programName is the program that a function is named after, which is no shell: git,
// kubectl, run_terraform.
func (r *reader) programName() string {
	if r.inContainer() {
		return ""
	}
	for _, w := range r.function {
		if says("named_programs", w.text) {
			return w.text
		}
	}
	return ""
}

// speaksQueries reports whether the function's name says that commands are a database's.
func (r *reader) speaksQueries() bool {
	return slices.ContainsFunc(r.function, func(w word) bool {
		return says("querying", w.text)
	})
}

// executable reads an argument that may be a statement or a program.
func (r *reader) executable(key string, value, args canon.Value, at string) {
	if value.Kind() == canon.KindArray {
		for i, e := range value.Elements() {
			if e.Kind() == canon.KindString {
				r.executable(key, e, args, at+"/"+strconv.Itoa(i))
			}
		}
		return
	}
	text := value.Text()
	if text == "" {
		return
	}
	switch {
	case says("statement_keys", key):
		r.executed = true
		r.tell(r.statement(text, at)...)
	case says("query_keys", key):
		r.query(key, text, at)
	case says("code_keys", key):
		if r.keepsText() || !strings.ContainsAny(text, " \t\n()[]{};=`") {
			return // {code: "EUR"}
		}
		r.executed = true
		if isArithmetic(text) {
			r.tell(r.effect(named{kind: Read, verb: "calculate"}, Evidence{Pointer: at, End: len(text), Why: "it is arithmetic"}, true))
			return
		}
		language := r.language(args.Get("language").Text())
		switch key {
		case "javascript", "js", "js_code":
			language = "javascript"
		case "python", "python_code":
			language = "python"
		}
		r.tell(r.program(text, language, at)...)
	default:
		// A statement under another name, where the tool is for statements.
		if r.name.executor && r.in.Call.Text(text).SQL().IsStatement() {
			r.executed = true
			r.tell(r.statement(text, at)...)
		}
	}
}

// keepsText reports whether the function's name says that a text is stored, not run.
func (r *reader) keepsText() bool {
	return r.name.known && !r.name.executor && r.named.Kind != Read && r.named.Kind != Unknown
}

// query reads a query, which may be in any language. What is no statement is what the
// name says: words to search for, a filter, PromQL.
func (r *reader) query(key, text, at string) {
	if r.looksFor() {
		return
	}
	if operations, ok := graphQL(text); ok {
		r.executed = true
		for _, o := range operations {
			r.tell(r.graphQLEffect(o, at))
		}
		return
	}
	if key == "mutation" || key == "graphql" {
		n := readName(text)
		if !n.known {
			n.kind, n.why = Unknown, "it isn't known what the mutation does"
		}
		r.operated = true
		r.tell(r.effect(n, Evidence{Pointer: at, End: len(text), Why: n.why}, true))
		return
	}
	if r.in.Call.Text(text).SQL().IsStatement() {
		r.executed = true
		r.tell(r.statement(text, at)...)
		return
	}
	if all, ok := queryEffects(r.in.Call.Text(text), at, 0); ok {
		r.executed = true
		r.tell(all...)
		return
	}
	// A statement of another language: DROP MEASUREMENT cpu, INSERT DATA { … }.
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	if says("changing_statements", first) || strings.Contains(text, " REMOVE ") || strings.Contains(text, " INSERT ") && strings.Contains(text, " INTO ") {
		r.executed = true
		r.tell(r.effect(named{kind: Execute, verb: "run", object: "statement"}, Evidence{Pointer: at, End: len(first), Why: "a statement that changes something, in a language that isn't read"}, true))
	}
}

// language is what code is written in: as an argument says, or the function's name.
func (r *reader) language(said string) string {
	if language := code.Named(strings.ToLower(strings.TrimSpace(said))); language != "" {
		return language
	}
	for _, w := range r.function {
		if language := code.Named(w.text); language != "" {
			return language
		}
	}
	return ""
}

// program reads code in a language, "" where nobody says in which.
func (r *reader) program(text, language, at string) []Effect {
	if language == "" {
		if found, ok := code.LanguageOf(r.in.Call.Text(text)); ok {
			language = found
		}
	}
	if language == "" && r.in.Call.Text(text).SQL().IsStatement() {
		language = "sql"
	}
	switch language {
	case "sql":
		return r.statement(text, at)
	case "shell":
		return r.shell(text, at)
	case "":
		if strings.HasPrefix(text, "#!") {
			return shellEffects(r.in.Call.Text(text), at)
		}
		t := r.in.Call.Text(text)
		if code.IsPython(t) {
			return codeEffects(t, at)
		}
		return append(codeEffects(t, at), shellEffects(t, at)...)
	case "python":
		return r.notebook(text, at)
	default:
		return programEffects(language, r.in.Call.Text(text), at)
	}
}

// notebook reads Python as notebooks have it: lines that begin with ! are commands, and
// those that begin with % mostly name one.
func (r *reader) notebook(text, at string) []Effect {
	if !strings.ContainsAny(text, "!%") {
		return r.python(text, at)
	}
	rest, commands := code.Cell(text)
	if len(commands) == 0 {
		return r.python(text, at)
	}
	var lines []string
	for _, c := range commands {
		lines = append(lines, c.Text)
	}
	return append(withoutPlaces(shellEffects(r.in.Call.Text(strings.Join(lines, "\n")), at)), programEffects("python", r.in.Call.Text(rest), at)...)
}

// isArithmetic reports whether a text is numbers, operators and names of functions of
// mathematics, nothing that could act.
func isArithmetic(text string) bool {
	word := ""
	known := func() bool {
		ok := word == "" || says("arithmetic", strings.ToLower(word))
		word = ""
		return ok
	}
	for _, c := range text {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			word += string(c)
			if len(word) > 8 {
				return false
			}
		case c >= '0' && c <= '9', strings.ContainsRune(" \t+-*/%^().,", c):
			if !known() {
				return false
			}
		default:
			return false
		}
	}
	return known()
}
