package facts

import (
	"iter"
	"strings"

	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
)

// What a Kubernetes manifest among the arguments says of what is applied.

// manifest is what the first Kubernetes manifest of the arguments is about, and how many
// there are.
func manifest(in *call.Call) (f Fact, n int, ok bool) {
	for leaf := range in.Tree().Leaves() {
		text := leaf.Text()
		if !strings.Contains(text, "apiVersion:") {
			continue
		}
		kind, metadata := "", -1
		for at, line := range lines(text) {
			value, isKind := strings.CutPrefix(line, "kind:")
			if isKind {
				n++
				if kind == "" {
					kind = manifestKind(strings.TrimSpace(value))
				}
			}
			if strings.HasPrefix(line, "metadata:") && metadata < 0 {
				metadata = at
			}
			name, isName := strings.CutPrefix(strings.TrimLeft(line, " "), "name:")
			if name = strings.Trim(strings.TrimSpace(name), "\"'"); isName && f.Value == "" && metadata >= 0 && nameableValue(name) && name != "" {
				start := at + strings.Index(line, name)
				f = Fact{Kind: Target, Value: name, Pointer: leaf.Pointer, Start: start, End: start + len(name), Source: FromKey}
			}
		}
		if f.Value != "" && kind != "" {
			f.Label = kind
			return f, n, true
		}
	}
	return Fact{}, 0, false
}

// binding is who gets which role by a manifest: " : cluster-admin to gitlab-runner".
func (d deed) binding(in *call.Call) string {
	if d.brief || d.manifests == 0 || !strings.HasSuffix(d.target.Label, "binding") {
		return ""
	}
	var role, subject string
	part := ""
	for _, line := range lines(in.At(d.target.Pointer)) {
		if name, _, ok := strings.Cut(line, ":"); ok && line == strings.TrimLeft(line, " -") {
			part = name
		}
		name, ok := strings.CutPrefix(strings.TrimLeft(line, " -"), "name:")
		if name = strings.Trim(strings.TrimSpace(name), "\"'"); !ok || !nameableValue(name) {
			continue
		}
		switch {
		case part == "roleRef" && role == "":
			role = name
		case part == "subjects" && subject == "":
			subject = name
		}
	}
	if role == "" || subject == "" {
		return ""
	}
	return ": " + quoted(role) + " to " + quoted(subject)
}

// manifestKind is a kind of Kubernetes as people call it: "cluster role binding", "deployment";
// "" for one that somebody defined.
func manifestKind(kind string) string {
	if !consistsOf(kind, "") || len(kind) > maxShort {
		return ""
	}
	if plain := strings.Join(call.Words(kind), " "); effects.PlainWords(plain) {
		return plain
	}
	return kinds[strings.ToLower(kind)]
}

// lines are the lines of a text, with where each begins.
func lines(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for at := 0; at < len(text); {
			line := text[at:]
			if end := strings.IndexByte(line, '\n'); end >= 0 {
				line = line[:end]
			}
			if !yield(at, line) {
				return
			}
			at += len(line) + 1
		}
	}
}
