package internal_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/countersign/countersign/"

// level is how high a room stands. Imports point down; rooms of one level do not
// see each other, but for the arrows in sideways.
var level = map[string]int{
	"cmd/server": 8,
	"docs":       0, "internal/handbook": 1,
	"cmd/countersign":      8,
	"internal/command":     7,
	"cmd/countersign-hook": 7,
	"examples":             4,
	"grant":                3,
	"client":               4,
	"internal/hook":        5,
	"internal/gateway":     5,
	"internal/httpapi":     6, "internal/console": 6, "internal/store": 6,
	"internal/httpserver": 5, "internal/notices": 5,
	"internal/install": 5, "internal/agents": 7, "internal/service": 1,
	"internal/approvals": 4,
	"internal/tenants":   3, "internal/quiz": 3,
	"internal/scoring": 2, "internal/audit": 2, "internal/auth": 2, "internal/live": 2, "internal/fairqueue": 2, "internal/canon": 2, "internal/outbound": 2,
	"internal/fault": 1, "internal/authority": 1, "views": 1, "web": 1, "migrations": 1,
	"views/review": 2, "views/policy": 2, "views/settings": 2, "views/trail": 2,
	"views/texts": 0, "views/scripts": 0, "internal/long": 0, "internal/near": 0, "internal/version": 0, "internal/release": 0,
}

// sideways are the arrows inside one level, each with its reason.
var sideways = map[[2]string]string{
	{"internal/scoring", "internal/canon"}: "scoring reads the one tree that canon parsed",
	{"internal/audit", "internal/canon"}:   "event bytes are canonical",
	{"views/scripts", "views/texts"}:       "what a script says is in the catalogue",
}

// narrow are rooms for other people's programs: besides the standard library
// they import the packages named, and no module of anybody else.
var narrow = map[string]struct {
	sees []string
	why  string
}{
	"grant":         {[]string{"internal/canon"}, "an executor takes in the gate and nothing else"},
	"client":        {[]string{"grant", "internal/canon"}, "a program that asks takes in what proves the answer and nothing else"},
	"internal/hook": {[]string{"client", "internal/canon"}, "it starts before every tool call"},
	"examples":      {[]string{"grant"}, "an example can be copied out of the house"},
}

// fences say which packages may be imported where only, and why.
var fences = []struct {
	imported string // a prefix
	rooms    []string
	why      string
}{
	{"gorm.io/", []string{"internal/store"}, "gorm ends at the store's doors"},
	{"modernc.org/sqlite", []string{"internal/store"}, "drivers are the store's business"},
	{"github.com/jackc/pgx", []string{"internal/store"}, "drivers are the store's business"},
	{"github.com/labstack/echo", []string{"internal/httpserver", "internal/httpapi", "internal/console", "internal/command"}, "echo v4 is near its end: it stays in the HTTP packages (and is handed on by app.go)"},
	{"github.com/danielgtaylor/huma", []string{"internal/httpapi"}, "huma describes the API for agents and nothing else"},
	{"github.com/modelcontextprotocol/", []string{"internal/gateway", "internal/command"}, "MCP is the gateway's business (the demo has a server of its own)"},
	{"github.com/gorilla/websocket", []string{"internal/console"}, "sockets are the console's business"},
	{"github.com/go-jose/", []string{"internal/approvals"}, "grants are signed in one place"},
	{"net/http", []string{"internal/httpserver", "internal/httpapi", "internal/console", "internal/command", "grant", "client", "examples", "internal/outbound", "internal/notices", "internal/gateway", "internal/install", "internal/service"}, "nobody below the edge knows about HTTP but those who call others"},
	{module + "internal/long", nil, "it is for tests"},
	{module + "internal/near", nil, "it is for tests"},
	{module + "internal/auth/authtest", nil, "its hashes are too cheap for anything but tests"},
	{module + "client/clienttest", nil, "it is for tests"},
	{module + "internal/console/untrusted/untrustedtest", nil, "it is for tests"},
	{module + "internal/console/request/requesttest", nil, "it is for tests"},
	{module + "internal/console/policyui/policytest", nil, "it is for tests"},
	{"database/sql", []string{"internal/store"}, "nobody above the store knows about SQL"},
}

// TestLayers holds every import of the project's own code against the house.
func TestLayers(t *testing.T) {
	t.Parallel()
	files := 0
	for _, top := range []string{"cmd", "client", "examples", "grant", "internal", "views", "web", "migrations"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "storetest") {
				return err
			}
			files++
			checkFile(t, path)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 50 {
		t.Errorf("looked at %d files only: the test no longer sees the tree", files)
	}
}

func checkFile(t *testing.T, path string) {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), path, source, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	here := room(filepath.ToSlash(filepath.Dir(path))[len("../"):])
	if here == "" {
		t.Errorf("%s stands in no known room; give it one in this test, or move it", path)
		return
	}
	for _, spec := range f.Imports {
		imported := strings.Trim(spec.Path.Value, `"`)
		for _, fence := range fences {
			if strings.HasPrefix(imported, fence.imported) && !contains(fence.rooms, here) {
				t.Errorf("%s imports %s: %s", path, imported, fence.why)
			}
		}
		own, ours := strings.CutPrefix(imported, module)
		if n, ok := narrow[here]; ok && !contains(n.sees, own) && strings.Contains(imported, ".") {
			t.Errorf("%s imports %s: %s", path, imported, n.why)
		}
		if !ours {
			continue
		}
		there := room(own)
		if there == here || sideways[[2]string{here, there}] != "" {
			continue
		}
		if there == "" || level[there] >= level[here] {
			t.Errorf("%s (%s) imports %s: imports point down only", path, here, own)
		}
		if strings.HasPrefix(here, "views") && !strings.HasPrefix(there, "views") {
			t.Errorf("%s imports %s: views import nothing of ours but what views share, and the texts", path, own)
		}
	}
}

// room is the room that a folder belongs to, the innermost one.
func room(dir string) string {
	found := ""
	for r := range level {
		if (dir == r || strings.HasPrefix(dir, r+"/")) && len(r) > len(found) {
			found = r
		}
	}
	return found
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

// programs are the files that end a process, once each.
var programs = []string{"../cmd/countersign/main.go", "../cmd/server/main.go", "../cmd/countersign-hook/main.go", "../internal/release/main.go", "../examples/executor/main.go"}

// TestOnlyMainExits: a program is a value; one place ends the process.
func TestOnlyMainExits(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if n := strings.Count(string(source), "os.Exit("); n > 0 && !contains(programs, filepath.ToSlash(path)) || n > 1 {
			t.Errorf("%s calls os.Exit %d times", path, n)
		}
		for _, raw := range []string{"templ.Raw(", "templ.SafeURL(", "AutoMigrate(", "gorm.Model"} {
			if strings.Contains(string(source), raw) && !strings.HasSuffix(path, "_templ.go") {
				t.Errorf("%s contains %s, which is not used here", path, raw)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// scoringLevel is how high a room inside of scoring stands: syntax, acts, readers, folds.
var scoringLevel = map[string]int{
	"level": 0, "scan": 0, "shell": 0, "sql": 0, "trust": 0, "usage": 0, "worktime": 0,
	"wordlist": -1, // lists of words
	"call":     1, "act": 1, "path": 1,
	"program": 2, "edits": 2, "code": 2,
	"effects": 3,
	"facts":   4, "workspace": 4, "toollist": 4, // they speak of the kinds of effects
	"headline": 5,
	"patterns": 1, "rules": 1, "fivefactor": 1, // the published models
	"deciders": 1, // who has to approve, by the level
}

// sidewaysInScoring are the arrows that point up there, each with its reason.
var sidewaysInScoring = map[[2]string]string{
	{"facts", "rules"}: "facts take over the resources that the published rules find in code",
}

// inside is how high a room inside of a package stands; the package itself and the rooms for tests
// may import all of them.
var inside = map[string]map[string]int{
	"store": {
		"drivers": 0, "logstate": 0, // what differs between databases; what the log says
		"tables":       1, // one transaction on the tables of one organisation
		"requests":     2, // what agents asked for
		"organisation": 3, "pages": 3,
		"reconcile": 4, // the tables against the log
	},
	"console": {
		"urls": 0, "untrusted": 0, // where pages are; texts of agents made safe to look at
		"present":  1,               // words, times, figures
		"filter":   2,               // how a list is narrowed
		"request":  3,               // the queue and a request, drawn
		"edge":     4,               // what every page has
		"policyui": 5, "trailui": 5, // pages
		"settingsui": 6, // pages, of which some review a change of the policy
	},
}

// TestRoomsInside: what the log says knows no table, and no table how a transaction is made; what
// draws knows no request of a browser.
func TestRoomsInside(t *testing.T) {
	t.Parallel()
	for top, levels := range inside {
		for here, level := range levels {
			files, err := filepath.Glob(top + "/" + here + "/*.go")
			if err != nil || len(files) == 0 {
				t.Fatal(here, err)
			}
			for _, path := range files {
				if strings.HasSuffix(path, "_test.go") {
					continue
				}
				f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
				if err != nil {
					t.Fatal(err)
				}
				for _, spec := range f.Imports {
					imported := strings.Trim(spec.Path.Value, `"`)
					there, within := strings.CutPrefix(imported, module+"internal/"+top+"/")
					there, _, _ = strings.Cut(there, "/")
					if to, known := levels[there]; imported == module+"internal/"+top || within && there != here && (!known || to >= level) {
						t.Errorf("%s imports %s: rooms import only those below them", path, imported)
					}
					if here == "logstate" && strings.HasPrefix(imported, "gorm.io/") {
						t.Errorf("%s imports %s: what the log says follows from its events alone", path, imported)
					}
					if drawn := top == "console" && here != "filter" && level < levels["edge"]; drawn && strings.HasPrefix(imported, "github.com/labstack/echo") {
						t.Errorf("%s imports %s: what draws knows no request of a browser", path, imported)
					}
				}
			}
		}
	}
}

// TestRoomsInsideScoring: a reader knows nothing of what is folded from its acts.
func TestRoomsInsideScoring(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob("scoring/*/*.go")
	if err != nil || len(folders) < 100 {
		t.Fatal(len(folders), err)
	}
	for _, path := range folders {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		here := strings.Split(filepath.ToSlash(path), "/")[1]
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		if _, known := scoringLevel[here]; !known {
			t.Errorf("%s stands in no known room; give it one in this test, or move it", path)
		}
		for _, spec := range f.Imports {
			there, inside := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module+"internal/scoring/")
			if inside && scoringLevel[there] >= scoringLevel[here] && sidewaysInScoring[[2]string{here, there}] == "" {
				t.Errorf("%s imports %s: inside of scoring imports point from folds to readers to acts to syntax", path, there)
			}
		}
	}
}
