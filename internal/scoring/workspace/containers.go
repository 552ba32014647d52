package workspace

import (
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// Docker and what works alike: what is only shown may hold the secrets of an environment.

func containers(w *walk, name string, args []shell.Word) {
	composes := strings.HasSuffix(name, "compose")
	list := "docker"
	if composes {
		list = "docker-compose"
	}
	p := tools().programs[list]
	c := p.take(args)
	subs := c.Operands
	if !composes && len(subs) > 1 && subs[0].Text == "compose" {
		subs, composes = subs[1:], true
	}
	switch {
	case len(subs) == 0:
	case composes && (subs[0].Text == "config" || subs[0].Text == "convert"):
		if w.composesElsewhere(name, c) {
			return
		}
	case subs[0].Text == "inspect", subs[0].Text == "container" && len(subs) > 1 && subs[1].Text == "inspect":
		if w.showsContainer(c) {
			w.found(verdict{level: level.Medium, cause: "secret", because: name + " inspect shows the environment of a container, with the secrets in it", kind: effects.Read, sensitive: true, verb: "read", object: "environment", finding: Outside})
			return
		}
	}
	w.listed(p, name, args)
}

// composesElsewhere judges that compose shows what a file says that is not of the
// workspace, with all that this names: files of variables, and their values.
func (w *walk) composesElsewhere(name string, c cut) bool {
	files := []shell.Word{{Text: ".", Literal: true}}
	for _, o := range c.Options {
		if slices.Contains([]string{"-f", "--file", "--project-directory", "--env-file"}, o.Name) {
			files = append(files, o.Value)
		}
	}
	for _, f := range files {
		if s := w.word(f); s.zone != inside && f.Text != "-" {
			w.found(verdict{
				level: level.Medium, cause: "outside", because: name + " shows what " + brief(f.Text) + " says, which isn't of the workspace, with the variables that this names", kind: effects.Read, sensitive: true,
				verb: "read", object: "file", finding: Outside,
			})
			return true
		}
	}
	return false
}

// showsContainer reports whether inspect shows the environment: all there is, or what a
// format says of it.
func (w *walk) showsContainer(c cut) bool {
	if of, ok := c.Value("--type"); ok && of.Literal && slices.Contains([]string{"image", "network", "volume"}, of.Text) {
		return false
	}
	format, ok := c.Value("--format", "-f")
	if !ok {
		return !w.narrowed() && !w.queriedNarrowly()
	}
	if !format.Literal || !strings.Contains(format.Text, "{{") {
		return true
	}
	return showsConfig(format.Text)
}

// queriedNarrowly reports whether jq takes a part of what the command prints that is not its
// environment.
func (w *walk) queriedNarrowly() bool {
	for _, c := range w.script.Commands[w.at+1:] {
		if c.From != w.at {
			continue
		}
		if c.Program() != "jq" {
			return false
		}
		all, _ := operands("jq", c.Words[1:])
		return len(all) == 1 && all[0].Literal && strings.HasPrefix(all[0].Text, ".[") && !showsConfig(strings.Replace(all[0].Text, ".[", "[", 1))
	}
	return false
}

// memberPath is how templates and jq name a part of what they are given.
var memberPath = regexp.MustCompile(`\.[A-Za-z0-9_.]*`)

// showsConfig reports whether a template of docker, or a filter of jq, shows a container's
// environment: by name, or with all that it stands in.
func showsConfig(text string) bool {
	if !memberPath.MatchString(text) {
		return true
	}
	return strings.Contains(text, "Env") || slices.ContainsFunc(memberPath.FindAllString(text, -1), func(p string) bool {
		p = strings.Trim(p, ".")
		return p == "" || p == "Config" || p == "Spec"
	})
}
