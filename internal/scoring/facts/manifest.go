package facts

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
)

// What a Kubernetes manifest among the arguments says of what is applied.

const (
	maxManifestBytes = 64 << 10 // as the effects read them
	maxManifests     = 32
)

// applied is one manifest.
type applied struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Metadata   struct {
		Name string `yaml:"name"`
	} `yaml:"metadata"`
	RoleRef struct {
		Name string `yaml:"name"`
	} `yaml:"roleRef"`
	Subjects []struct {
		Name string `yaml:"name"`
	} `yaml:"subjects"`
}

// manifests are those of a text.
func manifests(text string) (all []applied) {
	if !strings.Contains(text, "apiVersion") || len(text) > maxManifestBytes {
		return nil
	}
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for len(all) < maxManifests {
		var one applied
		if err := decoder.Decode(&one); err != nil {
			break
		}
		if one.APIVersion != "" && one.Kind != "" {
			all = append(all, one)
		}
	}
	return all
}

// manifest is what the Kubernetes manifest of the arguments is about that decides, or the first
// one, and how many there are.
func manifest(in *call.Call, object string) (f Fact, n int, grants string, ok bool) {
	object = strings.ReplaceAll(object, " ", "")
	for leaf := range in.Tree().Leaves() {
		all := manifests(leaf.Text())
		if len(all) == 0 {
			continue
		}
		one, decides := all[0], false
		for _, m := range all {
			if decides = strings.EqualFold(m.Kind, object); decides {
				one = m
				break
			}
		}
		if ok && !decides {
			continue
		}
		kind, name := manifestKind(one.Kind), one.Metadata.Name
		start := strings.Index(leaf.Text(), name)
		if kind == "" || name == "" || start < 0 || !nameableValue(name) {
			continue
		}
		grants = ""
		if len(one.Subjects) > 0 && nameableValue(one.RoleRef.Name) && nameableValue(one.Subjects[0].Name) {
			grants = ": " + quoted(one.RoleRef.Name) + " to " + quoted(one.Subjects[0].Name)
			if more := len(one.Subjects) - 1; more > 0 {
				grants += " and " + strconv.Itoa(more) + " more"
			}
		}
		f, n, ok = Fact{Kind: Target, Value: name, Label: kind, Pointer: leaf.Pointer, Start: start, End: start + len(name), Source: FromKey}, len(all), true
		if decides {
			break
		}
	}
	return f, n, grants, ok
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
