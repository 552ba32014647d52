package effects

import (
	"slices"
	"strings"
	"testing"
)

func TestCodeExamples(t *testing.T) {
	t.Parallel()
	var examples map[string][]struct{ Code, Want string }
	examplesOf(t, "code_examples.yaml", &examples)
	n := 0
	for language, list := range examples {
		for _, example := range list {
			n++
			all := programEffects(language, textOf(example.Code), "/code")
			checkEffects(t, example.Code, all)
			got := strings.Join(slices.Compact(strings.Split(shorthand(all), ", ")), ", ")
			want, more := strings.CutSuffix(example.Want, "+")
			if got != want && !(more && strings.HasPrefix(got, want)) {
				t.Errorf("%s: %s\ngot  %s %s\nwant %s", language, example.Code, got, all[0].Evidence[0].Why, example.Want)
			}
		}
	}
	if n < 100 {
		t.Errorf("%d examples, want at least 100", n)
	}
}

func FuzzCodeEffects(f *testing.F) {
	for _, text := range []string{
		"import os\nos.remove('x')", "f'{a!r:>{w}} {b(\"c\")}'", "const {a: b} = require('fs'); b(`x${y(`z`)}`)", "a[b](c)?.d", "x = 'a' 'b' + \"c\"\nos.system(x)",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, language := range []string{"python", "javascript", "ruby"} {
			checkEffects(t, text, programEffects(language, textOf(text), "/code"))
		}
	})
}
