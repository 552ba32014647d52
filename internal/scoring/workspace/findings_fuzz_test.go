package workspace

import (
	"os"
	"testing"

	"go.yaml.in/yaml/v3"
)

// Whatever stands in a file, it is read without a panic, and what is found stands in it.
func FuzzFindings(f *testing.F) {
	text, err := os.ReadFile("findings_examples.yaml")
	if err != nil {
		f.Fatal(err)
	}
	var examples map[string][]struct{ Text string }
	if err := yaml.Unmarshal(text, &examples); err != nil {
		f.Fatal(err)
	}
	for _, list := range examples {
		for _, example := range list[:min(len(list), 8)] {
			f.Add(example.Text)
		}
	}
	for _, text := range []string{"{\"scripts\": {\"a\": \"npm run a\"}}", "a: b\nb: a\n\t$(X)\nX = $(X)$(Y)\nY = $(X)", "tasks:\n  a:\n    deps: [a]\n    cmds: [x, {task: a}]", "s/a/b/;s,c,d,g\na\\ x\ny/a/b/", "[tool.poe.tasks]\na = 'b'"} {
		f.Add(text)
	}
	names := []string{"a.py", "a.tsx", "a.sh", "a.go", "a.rb", "a.rs", "a.ipynb", "Makefile", "package.json", "justfile", "Taskfile.yml", "pyproject.toml", "Procfile"}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 {
			return
		}
		replaced(text)
		for _, name := range names {
			for _, part := range []bool{false, true} {
				b := shop
				b.part = part
				for _, found := range findingsOf("", "/home/ana/shop/"+name, text, b).all {
					if found.start < 0 || found.end < found.start || found.end > len(text) || found.why == "" || found.what == "" {
						t.Errorf("%s %q: %+v stands nowhere, or says nothing", name, text, found)
					}
				}
				tasksOf("/home/ana/shop/"+name, text, b)
			}
		}
	})
}
