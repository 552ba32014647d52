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

func TestLooksLikeCode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"import os\nos.remove('x')":                 "python",
		"print(sum(range(10)))":                     "python",
		"def f(x):\n    return x":                   "python",
		"from a import b":                           "python",
		"const fs = require('fs')":                  "javascript",
		"console.log(1)":                            "javascript",
		"document.querySelector('a').click()":       "javascript",
		"function f() { return 1; }":                "javascript",
		"#!/usr/bin/env python3\nx":                 "python",
		"":                                          "",
		"rm -rf /srv":                               "",
		"import the data from the sheet":            "",
		"Please restart the server (it is stuck).":  "",
		"class of 2026":                             "",
		"SELECT count(*) FROM a;":                   "",
		"for more information see the docs":         "",
		"kubectl get pods -o json":                  "",
		"if this then that":                         "",
		"let me know what you think":                "",
		"import into the EU":                        "",
		"The function f(x) = x is the identity; ok": "",
	} {
		if got, _ := looksLikeCode(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func FuzzCodeEffects(f *testing.F) {
	for _, text := range []string{
		"import os\nos.remove('x')", "f'{a!r:>{w}} {b(\"c\")}'", "const {a: b} = require('fs'); b(`x${y(`z`)}`)", "class A:\n def f(self, a=1): self.x.y(a)", "(x => x)(1)", "a[b](c)?.d", "for a, b in c(): d(e=f)",
		"/[/]/.test(x) / 2", "from a import (b as c,\n d)", "x = 'a' 'b' + \"c\"\nos.system(x)",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		looksLikeCode(text)
		for _, language := range []string{"python", "javascript", "ruby"} {
			checkEffects(t, text, programEffects(language, textOf(text), "/code"))
		}
	})
}
