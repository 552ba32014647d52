package clients_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The wheel lists each of its files with its digest, as pip checks, and has no others.
func TestTheWheelIsWhole(t *testing.T) {
	t.Parallel()
	dir, err := packed()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "python")
	records, err := filepath.Glob(filepath.Join(root, "*.dist-info", "RECORD"))
	if err != nil || len(records) != 1 {
		t.Fatalf("%v, %v", records, err)
	}
	file, err := os.Open(records[0])
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var listed, there []string
	for _, row := range rows {
		listed = append(listed, row[0])
		content, err := os.ReadFile(filepath.Join(root, row[0]))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(content)
		if want := "sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]) + "," + fmt.Sprint(len(content)); row[1]+","+row[2] != want && !strings.HasSuffix(row[0], "RECORD") {
			t.Errorf("%s: %s,%s, want %s", row[0], row[1], row[2], want)
		}
	}
	err = fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			there = append(there, path)
		}
		return err
	})
	if slices.Sort(listed); err != nil || !slices.Equal(listed, there) {
		t.Errorf("listed are %v\nthere are %v, %v", listed, there, err)
	}
	for _, needed := range []string{"countersign/py.typed", "countersign/langchain.py"} {
		if !slices.Contains(there, needed) {
			t.Errorf("%s is not packed: %v", needed, there)
		}
	}
}

// Both packages say the version that they were packed as.
func TestPackedWithAVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run(t, exec.Command("./pack.sh", dir, "9.8.7"))
	for _, name := range []string{"countersign_client-9.8.7-py3-none-any.whl", "countersign-9.8.7.tgz"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	cmd := exec.Command("python3", "-c", "import countersign; print(countersign.__version__)")
	cmd.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(dir, "countersign_client-9.8.7-py3-none-any.whl"))
	if got := run(t, cmd); got != "9.8.7\n" {
		t.Errorf("Python says %q", got)
	}
	if got := run(t, exec.Command("tar", "-xzOf", filepath.Join(dir, "countersign-9.8.7.tgz"), "package/client.js")); !strings.Contains(got, `VERSION = "9.8.7"`) {
		t.Error("the script says another version")
	}
}

// The types say what the package has, and refuse what it has not.
func TestTypes(t *testing.T) {
	t.Parallel()
	dir, err := packed()
	if err != nil {
		t.Fatal(err)
	}
	compile(t, filepath.Join(dir, "js"), "types")

	// Each module exports what its types declare, and nothing else.
	for _, module := range []string{"index", "ai-sdk", "langchain", "openai-agents"} {
		types, err := os.ReadFile(filepath.Join("typescript", module+".d.ts"))
		if err != nil {
			t.Fatal(err)
		}
		var declared []string
		for _, m := range regexp.MustCompile(`(?m)^export declare (?:function|class|const) (\w+)`).FindAllStringSubmatch(string(types), -1) {
			declared = append(declared, m[1])
		}
		slices.Sort(declared)
		cmd := exec.Command("node", "-e", `import("./`+module+`.js").then((m) => console.log(Object.keys(m).sort().join(" ")))`)
		cmd.Dir = filepath.Join(dir, "js", "node_modules", "countersign")
		if exported := strings.Fields(run(t, cmd)); !slices.Equal(exported, declared) {
			t.Errorf("%s exports %v and declares %v", module, exported, declared)
		}
	}
}

// compile checks the types of a file of testdata, as a program beside the installed package.
func compile(t *testing.T, dir, name string, flags ...string) {
	t.Helper()
	tsc, err := filepath.Abs("../node_modules/typescript/bin/tsc")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(tsc); err != nil {
		t.Fatalf("run make node_modules first: %v", err)
	}
	source, err := os.ReadFile("testdata/" + name + ".ts")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".mts"), source, 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{tsc, "--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2023,dom", name + ".mts"}, flags...)
	cmd := exec.Command("node", args...)
	cmd.Dir = dir
	run(t, cmd)
}

// Settings come from the environment or a file that only its owner can read.
func TestSettings(t *testing.T) {
	t.Parallel()
	dir, err := packed()
	if err != nil {
		t.Fatal(err)
	}
	key := strings.Replace(fakeKey, "acme", "file", 1)
	write := func(content string, mode os.FileMode) string {
		path := filepath.Join(t.TempDir(), "config.json")
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return "COUNTERSIGN_CONFIG=" + path
	}
	good := `{"url": "http://127.0.0.1:9", "key": "` + key + `", "wait_seconds": 7}`
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".config", "countersign"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".config", "countersign", "config.json"), []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name string
		env  []string
		want string // of {url, tenant, wait}, or of why not
	}{
		{"from the environment", []string{"COUNTERSIGN_URL=https://a.example", "COUNTERSIGN_KEY=" + fakeKey}, "https://a.example acme 3600"},
		{"from a file", []string{write(good, 0o600)}, "http://127.0.0.1:9 file 7"},
		{"from the home", []string{"HOME=" + home}, "http://127.0.0.1:9 file 7"},
		{"the environment wins", []string{write(good, 0o600), "COUNTERSIGN_URL=https://a.example/", "COUNTERSIGN_KEY=" + fakeKey}, "https://a.example acme 7"},
		{"the key is for its own server", []string{write(good, 0o600), "COUNTERSIGN_URL=https://a.example/"}, "another server"},
		{"others can read it", []string{write(good, 0o644)}, "chmod 600"},
		{"the group can read it", []string{write(good, 0o640)}, "chmod 600"},
		{"it is not there", []string{"COUNTERSIGN_CONFIG=/nowhere/config.json"}, "/nowhere/config.json"},
		{"nothing is set", nil, "no url"},
		{"no key", []string{"COUNTERSIGN_URL=https://a.example"}, "no key"},
		{"not JSON", []string{write(good+"x", 0o600)}, "cannot be read"},
		{"a misspelt member", []string{write(`{"url": "https://a.example", "keys": "`+key+`"}`, 0o600)}, "nothing else"},
		{"a key of something else", []string{"COUNTERSIGN_URL=https://a.example", "COUNTERSIGN_KEY=sk-123"}, "csk_"},
		{"a key with a line end", []string{"COUNTERSIGN_URL=https://a.example", "COUNTERSIGN_KEY=" + fakeKey + "\nx"}, "csk_"},
		{"http to another machine", []string{"COUNTERSIGN_URL=http://a.example", "COUNTERSIGN_KEY=" + fakeKey}, "anybody on the way"},
		{"an address with a path", []string{write(good, 0o600), "COUNTERSIGN_URL=https://a.example/tools/x/", "COUNTERSIGN_KEY=" + fakeKey}, "https://a.example/tools/x acme 7"},
		{"a path that can be written in two ways", []string{"COUNTERSIGN_URL=https://a.example/x%2fy", "COUNTERSIGN_KEY=" + fakeKey}, "base URL"},
		{"an address with a user", []string{"COUNTERSIGN_URL=https://u@a.example", "COUNTERSIGN_KEY=" + fakeKey}, "base URL"},
		{"an address that is none", []string{"COUNTERSIGN_URL=a.example", "COUNTERSIGN_KEY=" + fakeKey}, "base URL"},
		{"a patience that is a text", []string{write(`{"url": "https://a.example", "key": "`+key+`", "wait_seconds": "long"}`, 0o600)}, "seconds"},
	}
	var environments []map[string]string
	for _, c := range cases {
		env := map[string]string{}
		for _, setting := range append([]string{"HOME=" + t.TempDir()}, c.env...) {
			name, value, _ := strings.Cut(setting, "=")
			env[name] = value
		}
		environments = append(environments, env)
	}
	line, err := json.Marshal(command{"n": 1, "op": "settings", "cases": environments})
	if err != nil {
		t.Fatal(err)
	}
	for language, start := range map[string]func(string, ...string) *exec.Cmd{"python": pythonCommand, "typescript": nodeCommand} {
		cmd := start(dir)
		cmd.Stdin = bytes.NewReader(append(line, '\n'))
		var got struct {
			Said []struct {
				URL, Tenant, Shown, Refused string
				Wait                        float64
			}
		}
		text := run(t, cmd)
		if err := json.Unmarshal([]byte(text), &got); err != nil || len(got.Said) != len(cases) {
			t.Fatalf("%s: %s, %v", language, text, err)
		}
		for i, c := range cases {
			said := got.Said[i]
			if settings := fmt.Sprintf("%s %s %v", said.URL, said.Tenant, said.Wait); strings.HasPrefix(c.want, "http") && settings != c.want {
				t.Errorf("%s: %s: %s, want %s (%s)", language, c.name, settings, c.want, said.Refused)
			} else if !strings.HasPrefix(c.want, "http") && (said.URL != "" || !strings.Contains(said.Refused, c.want)) {
				t.Errorf("%s: %s: %+v, want a refusal with %q", language, c.name, said, c.want)
			}
		}
		if strings.Contains(text, "AAAAAAAA") {
			t.Errorf("%s: the key is shown: %s", language, text)
		}
	}
}
