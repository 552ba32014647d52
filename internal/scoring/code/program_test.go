package code

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/call"
)

// textOf is a text that stands alone.
func textOf(text string) *call.Text { return (&call.Call{}).Text(text) }

func TestLanguageOf(t *testing.T) {
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
		if got, _ := LanguageOf(textOf(text)); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestWhatProgramsRun(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"import subprocess as s\ns.run(['git', x, *y], env=z)":     "subprocess.run: git ? $@",
		"from os import system as f\nf('ls')":                      "os.system: 'ls'",
		"const {exec: e} = require('node:child_process'); e('ls')": "child_process.exec: 'ls'",
		"<p>don't {execSync(x)} won't</p>":                         "execSync: ?",
		"import subprocess, sys\nsubprocess.run([sys.executable])": "subprocess.run: python3",
	} {
		language := "python"
		if strings.ContainsAny(code, "{<") {
			language = "javascript"
		}
		var got []string
		for _, a := range ReadPart(language, code, true).Acts {
			if a.Verb != act.Run {
				continue
			}
			said := a.Text + ":"
			for i, w := range append(a.From, a.Target) {
				switch {
				case w.Literal && len(a.From) == 0:
					said += " '" + w.Text + "'"
				case w.Text != "":
					said += " " + w.Text
				case i < len(a.From) || len(a.From) == 0:
					said += " ?"
				}
			}
			got = append(got, said)
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%s\ngot  %s\nwant %s", code, g, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"import os\nos.remove('x')", "f'{a!r:>{w}} {b(\"c\")}'", "const {a: b} = require('fs'); b(`x${y(`z`)}`)", "class A:\n def f(self, a=1): self.x.y(a)", "(x => x)(1)", "a[b](c)?.d", "for a, b in c(): d(e=f)",
		"/[/]/.test(x) / 2", "from a import (b as c,\n d)", "x = 'a' 'b' + \"c\"\nos.system(x)",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		LanguageOf(textOf(text))
		for _, language := range []string{"python", "javascript", "ruby"} {
			for _, a := range Read(language, textOf(text)).Acts {
				if a.Start < 0 || a.End < a.Start || a.End > len(text) {
					t.Errorf("%q: %+v is nowhere", text, a)
				}
			}
		}
		for _, language := range []string{"python", "javascript"} {
			ReadPart(language, text, true).Texts()
		}
	})
}
