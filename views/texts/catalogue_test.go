package texts

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

var update = flag.Bool("update", false, "write en.json")

// TestCatalogueIsComplete: each text that is used stands in en.json, and nothing else.
func TestCatalogueIsComplete(t *testing.T) {
	t.Parallel()
	used := used(t)
	if *update {
		write(t, used)

		return
	}
	entries := read(t, "en.json")
	for key, where := range used {
		if _, ok := entries[key]; !ok {
			t.Errorf("%s says %q, which is not in en.json (go test ./views/texts -update writes it)", where, key)
		}
	}
	for key, e := range entries {
		if _, ok := used[key]; !ok {
			t.Errorf("en.json: nothing says %q (go test ./views/texts -update removes it)", key)
		}
		if e.forms == nil && e.text != key {
			t.Errorf("en.json: %q reads %q: the key is the English text", key, e.text)
		}
		if n := numbered.FindString(key); n != "" {
			t.Errorf("en.json: %q in %q is no count, and %%d groups digits: give a string", n, key)
		}
		sound(t, "en.json", key, e)
	}
	if loaded, err := load(); err != nil || len(loaded) == 0 || loaded[0].language != "en" {
		t.Errorf("%d catalogues, %v", len(loaded), err)
	}
}

// numbered is a number that names one of many, and counts nothing: "version 1,234" is
// none.
var numbered = regexp.MustCompile(`(?i)\b(version|event|entry|line|column|byte|rule|port|year) %d`)

// TestLanguagesAreComplete: each other language has every text, in the categories of
// its own, with the same verbs and places.
func TestLanguagesAreComplete(t *testing.T) {
	t.Parallel()
	names, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	english := read(t, "en.json")
	for _, f := range names {
		if f.Name() == "en.json" {
			continue
		}
		compare(t, f.Name(), english, read(t, f.Name()))
	}
}

// complaints is the part of a test that these checks need.
type complaints interface {
	Helper()
	Errorf(format string, args ...any)
}

func compare(t complaints, name string, english, other map[string]entry) {
	t.Helper()
	for key, e := range english {
		o, ok := other[key]
		if !ok {
			t.Errorf("%s has no %q", name, key)

			continue
		}
		if e.forms != nil && o.forms == nil && len(formsOf(name)) > 1 {
			t.Errorf("%s: %q is decided by a number in English and not here", name, key)
		}
		sound(t, name, key, o)
	}
	for key := range other {
		if _, ok := english[key]; !ok {
			t.Errorf("%s: English has no %q", name, key)
		}
	}
}

// sound holds every form of an entry against its key.
func sound(t complaints, name, key string, e entry) {
	t.Helper()
	texts := []string{e.text}
	if e.forms != nil {
		texts = slices.Collect(maps.Values(e.forms))
		for form, n := range formsOf(name) {
			if _, ok := e.forms[form]; !ok {
				t.Errorf("%s: %q has no form for %d", name, key, n)
			}
		}
	}
	for _, text := range texts {
		if got, want := marks(text), marks(key); !slices.Equal(got, want) {
			t.Errorf("%s: %q has the verbs and places %q, its key %q has %q", name, text, got, key, want)
		}
		if strings.HasPrefix(text, " ") != strings.HasPrefix(key, " ") || strings.HasSuffix(text, " ") != strings.HasSuffix(key, " ") {
			t.Errorf("%s: %q begins or ends with a space where its key %q does not, or the other way round", name, text, key)
		}
		if strings.TrimSpace(text) == "" {
			t.Errorf("%s: %q is empty", name, key)
		}
	}
}

// formsOf are the plural categories of a file's language, each with a number in it.
func formsOf(name string) map[plural.Form]int {
	tag, _ := language.Parse(strings.TrimSuffix(name, ".json"))
	forms := map[plural.Form]int{}
	for n := 1000; n >= 0; n-- {
		forms[plural.Cardinal.MatchPlural(tag, n, 0, 0, 0, 0)] = n
	}

	return forms
}

// marks are the verbs and places of a text, sorted: a language may move them. A verb
// that moved among others has an index, which is taken off.
func marks(text string) []string {
	var all []string
	for _, v := range verbs(text) {
		if i := strings.IndexByte(v, ']'); strings.HasPrefix(v, "%[") && i > 0 {
			v = "%" + v[i+1:]
		}
		all = append(all, v)
	}
	for rest := text; rest != ""; {
		var place int
		if _, place, rest = cutPlace(rest); place > 0 {
			all = append(all, "{"+string(rune('0'+place))+"}")
		}
	}
	slices.Sort(all)

	return all
}

func read(t *testing.T, name string) map[string]entry {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var entries map[string]entry
	if err := json.Unmarshal(data, &entries); err != nil {
		t.Fatalf("%s: %v", name, err)
	}

	return entries
}

// write writes en.json: the texts that are used, one a line and sorted. Those that a
// number decides are kept; a file in which two branches met is read line by line.
func write(t *testing.T, used map[string]string) {
	t.Helper()
	old, err := os.ReadFile("en.json")
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]string{}
	for line := range strings.Lines(string(old)) {
		line = strings.TrimSuffix(strings.TrimSpace(line), ",")
		var one map[string]json.RawMessage
		if json.Unmarshal([]byte("{"+line+"}"), &one) != nil {
			continue
		}
		for key, value := range one {
			if value[0] == '{' {
				kept[key] = string(value)
			}
		}
	}
	var b bytes.Buffer
	b.WriteString("{")
	for i, key := range slices.Sorted(maps.Keys(used)) {
		if i > 0 {
			b.WriteString(",")
		}
		value, ok := kept[key]
		if !ok {
			value = quote(t, key)
		}
		b.WriteString("\n  " + quote(t, key) + ": " + value)
	}
	b.WriteString("\n}\n")
	if err := os.WriteFile("en.json", b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func quote(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		t.Fatal(err)
	}

	return strings.TrimSpace(b.String())
}
