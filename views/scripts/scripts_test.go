package scripts

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/views/texts"
)

// scripts are our own scripts, without their comments.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../web/js/*.js")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	all := map[string]string{}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)] = comments.ReplaceAllString(string(source), "$1")
	}

	return all
}

var (
	comments = regexp.MustCompile(`(?s)/\*.*?\*/|(^|[\s;,])//[^\n]*`)
	asked    = regexp.MustCompile(`\bsay\(([^;]*)`)
	named    = regexp.MustCompile("[\"`]([a-z]+(?:-[a-z]+)*-?)(?:\\$\\{[^}]*\\})?[\"`]")
	literal  = regexp.MustCompile("\"(?:[^\"\\\\\\n]|\\\\.)*\"|`(?:[^`\\\\]|\\\\.)*`")
	hole     = regexp.MustCompile(`\$\{[^}]*\}`)
	words    = regexp.MustCompile(`^[^#.\[]*(\pL{2,}[,;:]?|9) \pL{2,}|^\p{Lu}\p{Ll}+[^\pL]*$|\pL{2,}[.…?!]$`)
)

// TestScriptsAskForWhatThePageBrings: no name without a text, no text without use.
func TestScriptsAskForWhatThePageBrings(t *testing.T) {
	t.Parallel()
	all := scripts(t)
	joined := ""
	for _, source := range all {
		joined += source + "\n"
	}
	for script, said := range scriptTexts {
		source := joined
		if script != everyPage {
			source = all[filepath.Base(script)]
		}
		for name, key := range said {
			// A name may be the end of one that is put together: highest-low.
			quoted := `"` + name + `"`
			if front, _, ok := strings.Cut(name, "-"); !strings.Contains(source, quoted) && (!ok || !strings.Contains(source, "`"+front+"-${")) {
				t.Errorf("no script asks for %q", name)
			}
			if _, places, _ := strings.Cut(string(key), "{1}"); places != "" {
				t.Errorf("%s has places, which scripts do not fill", name)
			}
			if forms := (texts.Printer{}).Forms(key); len(forms) == 0 {
				t.Errorf("%s has no text", name)
			}
		}
	}
	calls := 0
	for file, source := range all {
		for _, call := range asked.FindAllStringSubmatch(source, -1) {
			// Up to the first comma stands the name, or a choice between names.
			expression, _, _ := strings.Cut(call[1], ",")
			for _, name := range named.FindAllStringSubmatch(expression, -1) {
				calls++
				known := false
				for _, script := range []string{everyPage, "js/" + file} {
					for full := range scriptTexts[script] {
						known = known || full == name[1] || strings.HasSuffix(name[1], "-") && strings.HasPrefix(full, name[1])
					}
				}
				if !known {
					t.Errorf("%s asks for %q, which the page does not bring", file, name[1])
				}
			}
		}
	}
	if calls < 40 {
		t.Errorf("found %d calls only: the test no longer sees the scripts", calls)
	}
}

// known are literals of scripts that look like words and are none that people read.
var known = []string{
	"SHA-256", "NFC", "Enter", "Escape", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End", // names of the platform
	"color-mix(in srgb, ${drawn[edges[0] - 1].color} 14%, transparent)", // CSS
	"Notification", // asked whether the browser has it
}

// TestScriptsHoldNoText: what people read stands in the catalogue.
func TestScriptsHoldNoText(t *testing.T) {
	t.Parallel()
	for file, source := range scripts(t) {
		for _, text := range sentences(source) {
			t.Errorf("%s: %q stands in the script: put it into scriptTexts, and ask for it with say", file, text)
		}
	}
	for source, want := range map[string]int{
		`announce("Copied.")`: 1, "write(x, `in ${n} seconds`)": 1, "`${n} new`": 1, `say("copied")`: 0,
		`"Dark"`: 1, `x.querySelector("#rows .q-row a")`: 0, "`No: ${n} steps lead to ${x}, not to the root.`": 1, `kind: "On this page"`: 1,
		`"Hashing…"`: 1, `event.key === "ArrowDown"`: 0,
	} {
		if got := sentences(source); len(got) != want {
			t.Errorf("%s: found %q", source, got)
		}
	}
}

// TestStylesHoldNoText: a style sheet shows what an attribute says.
func TestStylesHoldNoText(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../web/css/*.css")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d style sheets, %v", len(files), err)
	}
	shown := regexp.MustCompile(`content:\s*"[^"\n]*\pL[^"\n]*"`)
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range shown.FindAllString(string(source), -1) {
			t.Errorf("%s: %s is a text: show an attribute", filepath.Base(name), text)
		}
	}
}

// selecting are the calls that take selectors, media queries and paths of CSS.
var selecting = regexp.MustCompile(`(querySelector|querySelectorAll|closest|all|matches|matchMedia|get)(\?\.)?\($`)

func sentences(source string) []string {
	var found []string
	for _, at := range literal.FindAllStringIndex(source, -1) {
		text := source[at[0]+1 : at[1]-1]
		if selecting.MatchString(source[:at[0]]) || slices.Contains(known, text) {
			continue
		}
		if words.MatchString(hole.ReplaceAllString(text, "9")) {
			found = append(found, text)
		}
	}

	return found
}
