package effects

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// Kubernetes manifests: what kind of thing is applied, and what it may do.

// manifest reads an object of arguments that is one.
func (r *reader) manifest(v canon.Value, pointer string) {
	if v.Get("apiVersion").Text() == "" || v.Get("kind").Text() == "" {
		return
	}
	r.applied(v.Get("kind").Text(), string(v.Canonical()), pointer)
}

// manifestText reads a text that holds manifests in YAML.
func (r *reader) manifestText(text, pointer string) {
	if !strings.Contains(text, "apiVersion") || !strings.Contains(text, "kind") || len(text) > 64<<10 {
		return
	}
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for range 32 {
		var one struct {
			APIVersion string `yaml:"apiVersion"`
			Kind       string `yaml:"kind"`
		}
		if err := decoder.Decode(&one); err != nil {
			return
		}
		if one.APIVersion != "" && one.Kind != "" {
			r.applied(one.Kind, text, pointer)
		}
	}
}

// applied says what applying a manifest of this kind does. What is read by name stays so.
func (r *reader) applied(kind, text, pointer string) {
	if r.named.Kind == Read && !r.name.executor || r.named.Kind == Delete {
		return
	}
	n := named{kind: Write, verb: "apply", object: strings.ToLower(kind)}
	switch kind {
	case wordlist.OneOf("effects.guardedKinds", kind):
		n.kind = Permission
	}
	for _, dangerous := range wordlist.List("effects.riskyFields") {
		if strings.Contains(text, dangerous) {
			n.kind = Permission
		}
	}
	r.tell(r.effect(n, Evidence{Pointer: pointer, Why: "a manifest of a " + kind}, true))
}

// kubernetes reports whether a function's name says that it is about a cluster.
func (l *lexicon) kubernetes(function string) bool {
	return slices.ContainsFunc(split(function), func(w word) bool {
		return says("kubernetes", w.text)
	})
}
