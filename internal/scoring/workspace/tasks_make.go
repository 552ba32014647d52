package workspace

import (
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/code"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// makefile is what is read of a Makefile.
type makefile struct {
	tasks []taskText
	// early are texts that run whichever target is made.
	early []string
	// shell is what runs the recipes, where that is no shell.
	shell     string
	variables map[string]string
	steps     int // how many variables were put in
}

// implicit are variables that have a value where a Makefile gives them none.
var implicit = wordlist.Map("workspace.implicit")

var assignment = regexp.MustCompile(`^\s*(?:export\s+|override\s+)?([A-Za-z_.][A-Za-z0-9_.-]*)\s*(::?:?=|\?=|\+=|!=|=)\s*(.*)$`)

// readMake reads a Makefile, or a part of one. The lines of a recipe run each in a shell of
// its own.
func readMake(text string) makefile {
	m := makefile{variables: map[string]string{}}
	lines := strings.Split(strings.ReplaceAll(text, "\\\n", " "), "\n")
	for _, line := range lines {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		if a := assignment.FindStringSubmatch(line); a != nil {
			switch name, value := a[1], strings.TrimSpace(a[3]); {
			case a[2] == "!=":
				m.early = append(m.early, value)
				m.variables[name] = ""
			case a[2] == "+=":
				m.variables[name] += " " + value
			default:
				if _, set := m.variables[name]; a[2] != "?=" || !set {
					m.variables[name] = value
				}
			}
		}
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			m.early = append(m.early, shellCalls(line)...)
		}
	}
	for _, line := range lines { // of some targets only: test: X = …
		if _, rest, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, "\t") && !assignment.MatchString(line) {
			if a := assignment.FindStringSubmatch(strings.TrimPrefix(rest, ":")); a != nil {
				m.variables[a[1]] = "$()"
			}
		}
	}
	for i, e := range m.early {
		m.early[i] = m.expand(e, 0)
	}
	slices.Sort(m.early)
	m.early = slices.Compact(m.early)
	if shell := strings.Fields(m.expand("$(SHELL)", 0)); len(shell) > 0 && code.Interpreter("#!"+shell[0]) != "shell" || m.variables[".SHELLFLAGS"] != "" && !strings.HasSuffix(m.variables[".SHELLFLAGS"], "c") {
		m.shell = strings.Join(shell, " ")
	}
	m.recipes(lines)
	return m
}

// recipes reads the rules.
func (m *makefile) recipes(lines []string) {
	var current []int // the tasks whose recipe is read
	orphan := -1      // the task of a recipe that belongs to none
	at := map[string]int{}
	put := func(command string) {
		command = strings.TrimLeft(strings.TrimSpace(command), "@-+")
		if command == "" {
			return
		}
		if current == nil {
			if orphan < 0 {
				orphan = len(m.tasks)
				m.tasks = append(m.tasks, taskText{})
			}
			current = []int{orphan}
		}
		command = m.expand(command, 0)
		for _, i := range current {
			m.tasks[i].text += "(" + command + "\n)\n"
		}
	}
	for _, line := range lines {
		if strings.HasPrefix(line, "\t") {
			put(line)
			continue
		}
		if line = strings.TrimRight(line, " \r"); line == "" || strings.HasPrefix(line, "#") || assignment.MatchString(line) {
			continue
		}
		targets, rest, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(rest, "=") || strings.ContainsAny(targets, "=") {
			continue
		}
		if assignment.MatchString(strings.TrimPrefix(rest, ":")) {
			continue
		}
		needs, recipe, has := strings.Cut(strings.TrimPrefix(rest, ":"), ";")
		needs, _, _ = strings.Cut(needs, "#")
		current = []int{}
		for _, name := range strings.Fields(m.expand(targets, 0)) {
			if strings.HasPrefix(name, ".") && name == strings.ToUpper(name) {
				continue
			}
			i, known := at[name]
			if !known {
				i = len(m.tasks)
				at[name] = i
				m.tasks = append(m.tasks, taskText{name: name})
			}
			m.tasks[i].needs = append(m.tasks[i].needs, strings.Fields(m.expand(needs, 0))...)
			current = append(current, i)
		}
		if has {
			put(recipe)
		}
	}
}

// maxExpanded bounds how long a line gets with its variables.
const maxExpanded = 8 << 10

// maxSteps bounds how many variables are put in: those that hold each other would cost
// more with each that is added.
const maxSteps = 5_000

// expand puts in what variables stand for. What is known only when it runs becomes a
// variable of the shell, which says as much.
func (m *makefile) expand(text string, depth int) string {
	if !strings.Contains(text, "$") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text) && b.Len() < maxExpanded; {
		if text[i] != '$' || i+1 == len(text) {
			b.WriteByte(text[i])
			i++
			continue
		}
		m.steps++
		end := i + 2
		switch text[i+1] {
		case '$':
			b.WriteByte('$')
			i += 2
			continue
		case '(', '{':
			end = i + 2 + bracketed(text[i+1:])
		}
		inner := strings.Trim(text[i+1:min(end, len(text))], "(){} ")
		i = min(end, len(text))
		value, known := m.variables[inner]
		if !known {
			value, known = implicit[inner]
		}
		switch command, shell := strings.CutPrefix(inner, "shell "); {
		case shell && m.steps < maxSteps:
			b.WriteString("$(" + m.expand(command, depth+1) + ")")
		case known && depth < 4 && m.steps < maxSteps:
			b.WriteString(m.expand(value, depth+1))
		default:
			b.WriteString(`"$x"`)
		}
	}
	return b.String()
}

// bracketed is how long what stands between the bracket that a text begins with and its
// end is, with the end.
func bracketed(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{':
			depth++
		case ')', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// shellCalls are the commands of $(shell …) in a line.
func shellCalls(line string) []string {
	var all []string
	for {
		_, rest, ok := strings.Cut(line, "$(shell ")
		if !ok {
			return all
		}
		end := bracketed("(" + rest)
		all = append(all, rest[:min(max(end-1, 0), len(rest))])
		line = rest
	}
}

// readMakefile finds what a Makefile does whichever target is made.
func readMakefile(f *textFindings, text string, b Binding) {
	m := readMake(text)
	if m.shell != "" {
		f.found(Hidden, 0, len(text), "its recipes run in "+shown(m.shell, "")+", which is no shell")
	}
	for _, command := range m.early {
		readShell(f, command, 0, len(text), b)
	}
}

var recipeHead = regexp.MustCompile(`^@?([A-Za-z_][A-Za-z0-9_-]*)((?:\s+[^:]*)?):([^=].*|)$`)

// justTasks are the recipes of a justfile.
func justTasks(text string) []taskText {
	var all []taskText
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
			if len(all) == 0 {
				all = append(all, taskText{})
			}
			t := &all[len(all)-1]
			command := strings.TrimSpace(line)
			if t.text == "" && strings.HasPrefix(command, "#!") {
				if t.language = code.Interpreter(command); t.language == "shell" {
					t.language = ""
				}
				continue
			}
			t.text += templated(strings.TrimLeft(command, "@-")) + "\n"
			continue
		}
		if m := recipeHead.FindStringSubmatch(line); m != nil {
			needs := strings.FieldsFunc(m[3], func(r rune) bool { return strings.ContainsRune(" ()&", r) })
			all = append(all, taskText{name: m[1], needs: slices.Clone(needs)})
		} else if _, value, ok := strings.Cut(line, ":="); ok && strings.Contains(value, "`") {
			_, command, _ := strings.Cut(value, "`")
			command, _, _ = strings.Cut(command, "`")
			all = append(all, taskText{text: command}) // runs with any recipe
		}
	}
	return all
}
