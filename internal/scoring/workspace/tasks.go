package workspace

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/scoring/code"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// taskText is a task of a file, with the shell text that it is.
type taskText struct {
	name, text string
	language   string   // of the text; "" for a shell's
	needs      []string // tasks that run before it
}

// tasksOf are the tasks that the text of a file defines, each judged as the shell text that
// it is. The text may be a part of the file: a task whose name does not stand in it has none.
func tasksOf(name, text string, b Binding) []Task {
	if len(text) > maxRead {
		return []Task{{Level: level.Medium, Because: "the file is too long to be read"}}
	}
	base := strings.ToLower(path.Base(name))
	var all []taskText
	switch {
	case slices.Contains([]string{"package.json", "composer.json", "deno.json", "deno.jsonc"}, base):
		all = jsonTasks(text)
	case code.OfFile(base, "") == "make":
		all = readMake(text).tasks
	case code.OfFile(base, "") == "just":
		all = justTasks(text)
	case slices.Contains([]string{"taskfile.yml", "taskfile.yaml", "taskfile.dist.yml"}, base):
		all = yamlTasks(text)
	case slices.Contains([]string{"pyproject.toml", "pipfile", "tox.ini", "mise.toml", ".mise.toml", "makefile.toml"}, base):
		all = tomlTasks(text)
	case base == "procfile":
		for line := range strings.Lines(text) {
			if name, command, ok := strings.Cut(line, ":"); ok {
				all = append(all, taskText{name: strings.TrimSpace(name), text: command})
			}
		}
	}
	return judgeTasks(name, all, b)
}

// maxTasks is how many tasks of one file are kept; what is beyond them counts for all. More
// than maxJudged are not judged.
const (
	maxTasks  = 200
	maxJudged = 1000
)

// judgeTasks judges tasks: first each for itself, then with what is known of those that it
// runs, until nothing changes any more.
func judgeTasks(file string, all []taskText, b Binding) []Task {
	switch {
	case len(all) == 0:
		return nil
	case len(all) > maxJudged:
		return []Task{{Level: level.Medium, Because: "the file has too many tasks to judge"}}
	}
	b.nested++
	b.part = false
	tasks := make([]Task, len(all))
	for i, t := range all {
		tasks[i].Name = t.name
	}
	for pass := range 3 {
		k := Memory{Files: []File{{Path: file, Tasks: slices.Clone(tasks)}}}
		changed := false
		for i, t := range all {
			if pass > 0 && len(t.needs) == 0 && !runsTasks(t.text) {
				continue
			}
			judged := judgeTask(t, path.Dir(file), newKnown(b, k))
			for j, other := range all {
				if i != j && other.name != "" && (slices.Contains(t.needs, other.name) || other.name == "pre"+t.name || other.name == "post"+t.name) && tasks[j].Level > judged.Level {
					judged.Level, judged.Because = tasks[j].Level, tasks[j].Because
				}
			}
			changed = changed || judged.Level != tasks[i].Level
			tasks[i] = judged
		}
		if !changed && pass > 0 {
			break
		}
	}
	if len(tasks) > maxTasks {
		rest := Task{}
		for _, t := range tasks[maxTasks-1:] {
			if t.Level > rest.Level {
				rest.Level, rest.Because = t.Level, t.Because
			}
		}
		tasks = append(tasks[:maxTasks-1], rest)
	}
	return tasks
}

var taskRunners = regexp.MustCompile(`\b(make|npm|pnpm|yarn|bun|just|task|run-s|run-p|npm-run-all|concurrently|composer|deno|poe|pdm|hatch)\b`)

func runsTasks(text string) bool { return taskRunners.MatchString(text) }

// maxRuns is of how many files a task notes that it runs them.
const maxRuns = 16

func judgeTask(t taskText, dir string, k *known) Task {
	judged := Task{Name: t.name, Level: level.Low}
	if t.language != "" {
		f := findingsOf(t.language, "", t.text, k.binding)
		if judged.Level = levelOf(names(f.all)); len(f.all) > 0 {
			judged.Because = f.all[0].why
		}
		return judged
	}
	if w := worst(judgeText(t.text, dir, k)); w.level > level.Low {
		judged.Level = w.level
		judged.Because = "it runs " + shown(w.command, t.text) + ": " + w.because
	}
	for _, p := range k.asked().Paths {
		if len(judged.Runs) < maxRuns && runsInBuilds(p) && within(k.binding.Folder, p) && p != k.binding.Folder {
			judged.Runs = append(judged.Runs, p)
		}
	}
	return judged
}

// jsonPair is a member of an object whose value is a text.
var jsonPair = regexp.MustCompile(`"([A-Za-z0-9_:.@/-]{1,100})"\s*:\s*("(?:[^"\\]|\\.)*")`)

// isVersion tells what a package.json says of its dependencies from its scripts.
var isVersion = regexp.MustCompile(`^([~^<>=v*]|\d|latest$|next$|workspace:|file:|link:|npm:|git\+|https?:)`)

// jsonTasks are the scripts of a package.json and the like.
func jsonTasks(text string) []taskText {
	var file struct {
		Scripts map[string]any
		Tasks   map[string]any
	}
	var all []taskText
	if err := json.Unmarshal([]byte(text), &file); err == nil {
		for _, group := range []map[string]any{file.Scripts, file.Tasks} {
			for name, value := range group {
				all = append(all, taskText{name: name, text: commandOf(value)})
			}
		}
		slices.SortFunc(all, func(a, b taskText) int { return strings.Compare(a.name, b.name) })
		return all
	}
	for _, m := range jsonPair.FindAllStringSubmatch(text, -1) {
		var command string
		if json.Unmarshal([]byte(m[2]), &command) == nil && !isVersion.MatchString(command) {
			all = append(all, taskText{name: m[1], text: command})
		}
	}
	return all
}

// commandOf is the shell text of a task: a text, a list of them, or what says it in a key.
func commandOf(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []any:
		var lines []string
		for _, e := range v {
			lines = append(lines, commandOf(e))
		}
		return strings.Join(lines, "\n")
	case map[string]any:
		var lines []string
		for _, key := range wordlist.List("workspace.commandKeys") {
			if e, ok := v[key]; ok {
				lines = append(lines, commandOf(e))
			}
		}
		if task, ok := v["task"].(string); ok {
			lines = append(lines, "task '"+strings.ReplaceAll(task, "'", "")+"'")
		}
		return strings.Join(lines, "\n")
	}
	return ""
}

// yamlTasks are those of a Taskfile.
func yamlTasks(text string) []taskText {
	var file struct{ Tasks map[string]any }
	var all []taskText
	if err := yaml.Unmarshal([]byte(text), &file); err != nil || file.Tasks == nil {
		return []taskText{{text: yamlCommands(text)}}
	}
	for name, value := range file.Tasks {
		t := taskText{name: name, text: templated(commandOf(value))}
		if members, ok := value.(map[string]any); ok {
			deps, _ := members["deps"].([]any)
			for _, d := range deps {
				if name, ok := d.(string); ok {
					t.needs = append(t.needs, name)
				} else if d, ok := d.(map[string]any); ok {
					name, _ := d["task"].(string)
					t.needs = append(t.needs, name)
				}
			}
		}
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b taskText) int { return strings.Compare(a.name, b.name) })
	return all
}

// yamlCommands are the lines of a part of a Taskfile that may be commands.
func yamlCommands(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "- "); ok {
			line = strings.TrimPrefix(rest, "cmd: ")
		} else if _, rest, ok := strings.Cut(line, "cmd: "); ok {
			line = rest
		} else {
			continue
		}
		lines = append(lines, templated(strings.Trim(line, `'"`)))
	}
	return strings.Join(lines, "\n")
}

var template = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// templated is a command with what a runner puts in as a variable of the shell.
func templated(text string) string { return template.ReplaceAllString(text, `"$$x"`) }

// tomlTasks are the tasks that runners of Python keep in pyproject.toml and the like: what
// is given a text under a table that is named for tasks or scripts.
func tomlTasks(text string) []taskText {
	var all []taskText
	table, named := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			table, named = strings.Trim(line, "[]"), true
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		key, value = strings.Trim(strings.TrimSpace(key), `"'`), strings.TrimSpace(value)
		tasks := strings.Contains(table, "tasks") || strings.Contains(table, "scripts") && table != "project.scripts" && table != "tool.poetry.scripts" || strings.HasPrefix(table, "testenv")
		if !ok || named && !tasks {
			continue
		}
		if parts := strings.Split(table, "."); slices.Contains([]string{"cmd", "shell", "run", "script", "commands", "command"}, key) && len(parts) > 1 {
			key = strings.Trim(parts[len(parts)-1], `"'`) // [tool.poe.tasks.build] cmd = …
		}
		if strings.HasPrefix(table, "testenv") && key == "commands" && !strings.HasPrefix(value, "[") { // tox.ini has no quotes
			all = append(all, taskText{name: table, text: value})
			continue
		}
		if m := quotedWord.FindStringSubmatch(value); m != nil && !isVersion.MatchString(m[1]) {
			command := m[1]
			all = append(all, taskText{name: key, text: command})
		}
	}
	return all
}
