package code

import (
	"bytes"
	"cmp"
	_ "embed"
	"path"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed languages.yaml
var languagesYAML []byte

// language is what its programs and files are called; languages.yaml says what each member is.
type language struct {
	Programs, Also, Files, Endings, Names, Texts, Standard set

	Modules map[string]set
	Inline  string
}

// named are the languages by what stands for each.
type named struct {
	programs, lines, files, endings, names, inline, modules map[string]string
	all                                                     map[string]language
}

var namedLanguages = sync.OnceValue(func() (all named) {
	var file map[string]language
	decoder := yaml.NewDecoder(bytes.NewReader(languagesYAML))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil {
		panic("code: languages.yaml: " + err.Error()) // a test loads it
	}
	all = named{map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}, file}
	for name, l := range file {
		all.inline[name] = l.Inline
		for program, modules := range l.Modules {
			for module := range modules {
				all.modules[module] = program
			}
		}
		for _, to := range []struct {
			words set
			by    map[string]string
		}{{l.Programs, all.programs}, {l.Programs, all.lines}, {l.Also, all.lines}, {l.Files, all.files}, {l.Endings, all.endings}, {l.Names, all.names}} {
			for word := range to.words {
				to.by[word] = name
			}
		}
	}
	return all
})

// Interpreters are the programs that run texts of a language, with that.
func Interpreters() map[string]string { return namedLanguages().programs }

// Inline are the letters of the options behind which a text stands, by language.
func Inline(language string) string { return namedLanguages().inline[language] }

// Named is the language that a call or an argument names; "" for none.
func Named(word string) string { return namedLanguages().names[word] }

// Known is the language as which a program, or a language by another name, is read.
func Known(language string) string {
	if known, ok := namedLanguages().lines[language]; ok {
		return known
	}
	return language
}

// OfFile is the language of a text, by the name of its file and its first line; "" for
// data and prose, of which nothing is run.
func OfFile(name, text string) string {
	base := strings.ToLower(path.Base(name))
	if language, ok := namedLanguages().files[base]; ok {
		return language
	}
	if strings.HasPrefix(base, "dockerfile") || strings.HasPrefix(base, "containerfile") {
		return "docker"
	}
	if language, ok := namedLanguages().endings[path.Ext(base)]; ok {
		return language
	}
	first, _, _ := strings.Cut(text, "\n")
	if strings.HasPrefix(first, "#!") {
		return Interpreter(first)
	}
	if path.Ext(base) == "" && name != "" && (strings.Contains(text, "\nset -e") || strings.HasPrefix(text, "set -e")) {
		return "shell"
	}
	return ""
}

// Interpreter is the language that a first line names: #!/usr/bin/env python3.
func Interpreter(line string) string {
	for word := range strings.FieldsSeq(strings.TrimPrefix(line, "#!")) {
		word = strings.TrimRight(path.Base(word), "0123456789.")
		if language, ok := namedLanguages().lines[word]; ok {
			return language
		}
	}
	return "shell"
}

// IsPlain reports whether a text is written as data: what it would do if it were run nobody
// has read.
func IsPlain(name, text string) bool {
	return strings.TrimSpace(text) != "" && OfFile(name, text) == ""
}

// Module is the program as which a module of Python is read that is run by its name; "" for
// none.
func Module(name string) string {
	first, _, _ := strings.Cut(name, ".")
	return cmp.Or(namedLanguages().modules[name], namedLanguages().modules[first])
}

// IsStandard reports whether a module is one of Python itself.
func IsStandard(name string) bool { return namedLanguages().all["python"].Standard[name] }

// IsInline reports whether a text stands behind an option of a program.
func IsInline(program, option string) bool {
	l, ok := namedLanguages().all[Known(program)]
	if !ok {
		l = namedLanguages().all[Named(program)]
	}
	return l.Texts[option]
}
