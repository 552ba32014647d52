package scan

import (
	"slices"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"delete_user":              {"delete", "user"},
		"deleteUser":               {"delete", "User"},
		"HTTPDelete":               {"HTTP", "Delete"},
		"deleteHTTP":               {"delete", "HTTP"},
		"getHTTPSResponse2Parse":   {"get", "HTTPS", "Response", "Parse"},
		"mcp__files__move2d":       {"mcp", "files", "move", "d"},
		"AdminService.delete_user": {"Admin", "Service", "delete", "user"},
		"deleted":                  {"deleted"},
		"DELETE":                   {"DELETE"},
		"Übergröße löschen":        {"Übergröße", "löschen"},
		"删除_delete":                {"删除", "delete"},
		"":                         nil,
		"12_-":                     nil,
		"\xffrm\xff":               {"rm"},
		"e\u0301a":                 {"e", "a"}, // a mark is not a letter
	} {
		var got []string
		for _, w := range Words(name) {
			got = append(got, name[w.Start:w.End])
		}
		if !slices.Equal(got, want) {
			t.Errorf("Words(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestWordsHoldEveryLetterOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		inside, end := 0, 0
		for _, w := range Words(name) {
			if w.Start < end || w.End <= w.Start {
				t.Fatalf("%q: word %v after %d", name, w, end)
			}
			end = w.End
			inside += w.End - w.Start
		}
		letters := 0
		for _, r := range name {
			if unicode.IsLetter(r) {
				letters += len(string(r))
			}
		}
		if inside != letters {
			t.Fatalf("%q: %d bytes in words, %d bytes of letters", name, inside, letters)
		}
	})
}
