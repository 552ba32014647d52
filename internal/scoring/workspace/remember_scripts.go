package workspace

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// What programs put into the scripts of a package.json. Nothing of it runs but these, so
// that its tests run in a sandbox unasked, unless what was put there is held.

// putsScripts notes that a program changes a file and puts texts into it, each of which may
// be the text of any of its scripts. Where it may make other texts, readable is false.
func (k *known) putsScripts(p string, texts []string, readable bool) {
	f := k.current(p)
	f.Reviewed = false
	f.Tasks = worstTasks(f.Tasks, []Task{k.scripts(p, texts, readable)})
	k.set(f, true)
}

// scripts is one task that is as bad as the worst of some texts: it counts for every script,
// as nobody knows which of them it is.
func (k *known) scripts(p string, texts []string, readable bool) Task {
	all := Task{Level: level.Low}
	if !readable {
		return Task{Level: level.High, Because: "what a program put there couldn't be read"}
	}
	b := k.binding
	b.nested++
	for _, pair := range jsonPair.FindAllStringSubmatch(strings.Join(texts, "\n"), -1) { // a literal may be a text of JSON
		var value string
		if json.Unmarshal([]byte(pair[2]), &value) == nil {
			texts = append(slices.Clip(texts), value)
		}
	}
	for _, text := range texts {
		if !mayBeScript(text) {
			continue
		}
		t := judgeTask(taskText{text: text}, path.Dir(p), newKnown(b, Memory{}))
		if t.Level > all.Level {
			all.Level, all.Because = t.Level, t.Because
		}
		all.Runs = append(all.Runs, t.Runs...)
	}
	return all
}

// mayBeScript tells the text of a script from a name, a version and a line break: it is a
// command that is known, one by its path, or has several words.
func mayBeScript(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" || isVersion.MatchString(text) || jsonPair.MatchString(text) {
		return false
	}
	return strings.ContainsAny(text, " \t\n;|&$`<>(") || strings.HasPrefix(text, "./") && path.Ext(text) != ".json" || new(walk).knows(strings.ToLower(text))
}

// unreadScripts reports whether a program changed a package.json in a way of which nothing
// is known.
func (f File) unreadScripts() bool {
	return slices.Contains(f.Findings, Hidden) && !slices.ContainsFunc(f.Tasks, func(t Task) bool { return t.Name == "" })
}

// scriptOf is what a program that changes a package.json puts there, as far as its text says
// so: its literals, unless it makes others of them or takes them from elsewhere.
func scriptOf(text string, script textFindings) (texts []string, readable bool) {
	text = lineBreaks.ReplaceAllString(text, "")
	for _, literal := range script.texts {
		if len(literal) > 2 { // what stands in one is no code
			text = strings.ReplaceAll(text, literal, "")
		}
	}
	return script.texts, !script.decodes && len(script.texts) < maxFound && !makesTexts.MatchString(text)
}

// makesTexts finds what makes one text of others, or takes it from where it does not stand:
// other files, arguments, the environment, a program, the network.
var makesTexts = regexp.MustCompile(`["'` + "`" + `)\]]\s*\+|\+\s*["'` + "`" + `(]|\+=|\$\{|\bf["']|\.(?:join|replace|replaceAll|format|concat|substring|slice|sub|translate|fromCharCode|reverse|repeat|padEnd|padStart)\s*\(|` +
	`["']\s*%|\b(?:argv|environ|env|stdin|input|exec|execSync|spawn|spawnSync|subprocess|popen|system|fetch|https?|urllib|requests|axios|createReadStream|eval|Function|import\()\b`)

// lineBreaks are what programs put at the end of a file that they write.
var lineBreaks = regexp.MustCompile(`\s*\+\s*(?:"\\n"|'\\n'|os\.EOL|EOL)`)

// queried notes what jq put into the file that its output goes to, of which the text cannot
// be computed: where it is moved over a package.json, these are its scripts.
func (w *walk) queried(s spot, c shell.Command) {
	if c.Program() != "jq" || len(c.Words) == 0 {
		return
	}
	if texts, ok := jqTexts(c.Words[1:]); ok {
		w.k.putsScripts(s.path, texts, true)
	}
}

// jqTexts are the texts that a program of jq sets; ok is false where it does more than to
// set members to values that stand in it, and to delete some.
func jqTexts(args []shell.Word) (texts []string, ok bool) {
	given := map[string]bool{}
	program := ""
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case !a.Literal:
			if program == "" {
				return nil, false
			}
		case a.Text == "--arg" && i+2 < len(args):
			if !args[i+2].Literal {
				return nil, false
			}
			given[args[i+1].Text] = true
			texts = append(texts, args[i+2].Text)
			i += 2
		case a.Text == "--indent" && i+1 < len(args):
			i++
		case a.Text == "--tab" || a.Text == "-M" || a.Text == "-S" || a.Text == "--monochrome-output" || a.Text == "--sort-keys":
		case strings.HasPrefix(a.Text, "-"):
			return nil, false
		case program == "":
			program = a.Text
		}
	}
	var code strings.Builder
	for rest := program; ; {
		before, after, more := strings.Cut(rest, `"`)
		code.WriteString(before)
		if !more {
			break
		}
		text, behind, closed := cutMark(after, '"')
		if !closed || strings.Contains(text, `\(`) {
			return nil, false
		}
		texts = append(texts, strings.NewReplacer(`\"`, `"`, `\n`, "\n", `\t`, "\t", `\/`, "/", `\\`, `\`).Replace(text))
		code.WriteString(`""`)
		rest = behind
		if strings.Contains(text, `\u`) {
			return nil, false
		}
	}
	for _, name := range jqVariable.FindAllString(code.String(), -1) {
		if !given[name[1:]] {
			return nil, false
		}
	}
	return texts, jqSets.MatchString(code.String())
}

var (
	jqVariable = regexp.MustCompile(`\$\w+`)
	jqSets     = func() *regexp.Regexp {
		const (
			member = `(?:\.[A-Za-z_]\w*|\.""|\.?\[(?:""|\d+)\])`
			scalar = `(?:""|-?\d+(?:\.\d+)?|true|false|null|\$[A-Za-z_]\w*)`
			object = `(?:\{\s*(?:(?:[A-Za-z_]\w*|"")\s*:\s*` + scalar + `\s*,?\s*)*\})`
			list   = `(?:\[\s*(?:` + scalar + `\s*,?\s*)*\])`
			at     = member + `+`
			stage  = `(?:del\(\s*` + at + `(?:\s*,\s*` + at + `)*\s*\)|` + at + `\s*=\s*(?:` + scalar + `|` + object + `|` + list + `)|` + at + `\s*\+=\s*` + object + `|\.)`
		)
		return regexp.MustCompile(`^\s*` + stage + `(?:\s*\|\s*` + stage + `)*\s*$`)
	}()
)
