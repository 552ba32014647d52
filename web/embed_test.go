package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func mustNew(t *testing.T) *Assets {
	t.Helper()
	assets, err := New()
	if err != nil {
		t.Fatalf("New: %v", err)
	}

	return assets
}

func TestEveryFileHasATypeAndAVersion(t *testing.T) {
	t.Parallel()
	assets := mustNew(t)
	err := fs.WalkDir(FS, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file, ok := assets.Get(name)
		if !ok {
			t.Errorf("Get(%q) found nothing", name)

			return nil
		}
		sum := sha256.Sum256(file.Body)
		if want := hex.EncodeToString(sum[:])[:12]; file.Version != want {
			t.Errorf("%s has version %s, its body says %s", name, file.Version, want)
		}
		if want := Prefix + name + "?v=" + file.Version; assets.URL(name) != want {
			t.Errorf("URL(%q) = %s, want %s", name, assets.URL(name), want)
		}

		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestUnknownNames(t *testing.T) {
	t.Parallel()
	assets := mustNew(t)
	for _, name := range []string{"", "css", "css/none.css", "../embed.go", "embed.go", "/css/base.css", "css/base.css?v=1"} {
		if _, ok := assets.Get(name); ok {
			t.Errorf("Get(%q) found a file", name)
		}
	}
	if got := assets.URL("css/none.css"); got != "/static/css/none.css" {
		t.Errorf("URL of an unknown name = %s", got)
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	if got := styles()[0]; got != "css/tokens.css" {
		t.Errorf("the first style sheet is %s; tokens.css declares the layers and must lead", got)
	}
	if got := htmx()[0]; got != "vendor/htmx.min.js" {
		t.Errorf("the first file of htmx is %s; the extensions need htmx before them", got)
	}
	if got := scripts()[:2]; !slices.Equal(got, []string{"js/dom.js", "js/texts.js"}) {
		t.Errorf("the first scripts are %s; the others call what dom.js and texts.js define", got)
	}
}

// The style sheet of every page holds all of them whole, in order, and names the fonts
// as the page does that asks for them early: another address would load each font twice.
func TestOneStyleSheet(t *testing.T) {
	t.Parallel()
	assets := mustNew(t)
	all, _ := assets.Get(allStyles)
	if all.URL() != assets.Style() {
		t.Errorf("pages load %s, not %s", assets.Style(), all.URL())
	}
	for _, name := range fonts() {
		if url := strings.Replace(assets.URL(name), Prefix, "../", 1); !bytes.Contains(all.Body, []byte(`url("`+url+`")`)) {
			t.Errorf("it does not load %s", url)
		}
	}
	if len(fonts()) != bytes.Count(all.Body, []byte("@font-face")) {
		t.Error("it has other fonts")
	}
	rest := regexp.MustCompile(`url\("\.\./(fonts/[a-z0-9.-]+)\?v=[0-9a-f]{12}"\)`).ReplaceAll(all.Body, []byte(`url("../$1")`))
	for _, name := range styles() {
		file, _ := assets.Get(name)
		var ok bool
		if rest, ok = bytes.CutPrefix(rest, append(bytes.Clone(file.Body), '\n')); !ok {
			t.Fatalf("%s does not stand whole and in order in it", name)
		}
	}
	if len(rest) > 0 {
		t.Errorf("it ends with %.80q", rest)
	}
}

// Every script of our own is in the file of every page, ended there with a semicolon, or in that of
// the pages that name it.
func TestEveryScriptIsLoaded(t *testing.T) {
	t.Parallel()
	assets := mustNew(t)
	whole, _ := assets.Get(allScripts)
	if whole.URL() != assets.Script() {
		t.Errorf("pages load %s, not %s", assets.Script(), whole.URL())
	}
	some := append(chartScripts(), early, last, policy, Worker, "js/push.js", "js/verify.js")
	for name, file := range assets.files {
		if strings.HasPrefix(name, "js/") && name != allScripts && bytes.Contains(whole.Body, append(bytes.Clone(file.Body), ";\n"...)) == slices.Contains(some, name) {
			t.Errorf("%s stands in %s, with a semicolon after it: want %t", name, allScripts, !slices.Contains(some, name))
		}
	}
}

// The table in vendor/README.md is what a reviewer reads: it must be true.
func TestVendoredFilesAreTheOnesWrittenDown(t *testing.T) {
	t.Parallel()
	assets := mustNew(t)
	readme, _ := assets.Get("vendor/README.md")
	rows := regexp.MustCompile(`(?m)^\| (\S+\.(?:js|css)) \|.*\| ([0-9a-f]{64}) \|$`).FindAllStringSubmatch(string(readme.Body), -1)
	written := make(map[string]string)
	for _, row := range rows {
		written[row[1]] = row[2]
	}
	entries, err := FS.ReadDir("vendor")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".js") && !strings.HasSuffix(entry.Name(), ".css") {
			continue
		}
		file, _ := assets.Get("vendor/" + entry.Name())
		sum := sha256.Sum256(file.Body)
		if got := hex.EncodeToString(sum[:]); written[entry.Name()] != got {
			t.Errorf("vendor/%s has SHA-256 %s, the README says %q", entry.Name(), got, written[entry.Name()])
		}
	}
}

// The policy of the pages forbids what these look for; a browser would only
// say so at run time.
func TestFilesHoldToThePolicy(t *testing.T) {
	t.Parallel()
	assets := mustNew(t)
	forbidden := regexp.MustCompile(`\.innerHTML|\.outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|https?://`)
	for name, file := range assets.files {
		if !strings.HasPrefix(name, "js/") && !strings.HasPrefix(name, "css/") {
			continue
		}
		if found := forbidden.Find(file.Body); found != nil {
			t.Errorf("%s uses %q", name, found)
		}
	}
	icons, _ := assets.Get("icons.svg")
	if regexp.MustCompile(`(?i)<script|\son\w+=|<style|style=|href=`).Match(icons.Body) {
		t.Error("icons.svg holds more than shapes")
	}
}

// Symbols and fonts that pages and styles refer to without a version.
func TestStylesReferToFilesThatExist(t *testing.T) {
	t.Parallel()
	assets := mustNew(t)
	for name, file := range assets.files {
		if !strings.HasPrefix(name, "css/") || name == allStyles {
			continue
		}
		for _, found := range regexp.MustCompile(`url\("?([^")]+)"?\)`).FindAllStringSubmatch(string(file.Body), -1) {
			if _, ok := assets.Get(strings.TrimPrefix(found[1], "../")); !ok {
				t.Errorf("%s refers to %s, which is not there", name, found[1])
			}
		}
	}
}
