package facts

import (
	"strings"
	"testing"
)

func TestProgramsInAnyCase(t *testing.T) {
	t.Parallel()
	for name, p := range table() {
		for _, text := range []string{name, strings.ToUpper(name), "/usr/bin/" + name, `C:\x\` + name + ".EXE", strings.ReplaceAll(name, "k", "\u212a")} {
			if got, found, known := findProgram(text); !known || got != name || found != p {
				t.Errorf("%q is %q, want %q", text, got, name)
			}
		}
		if _, _, known := findProgram(name + "_"); known {
			t.Errorf("%q_ is known", name)
		}
	}
}

func TestProgramsAreReadInAKnownWay(t *testing.T) {
	t.Parallel()
	ways := listOf("looks paths owned things disk printed code script finding versions cluster release images plans cloud services service packages database login copying web hosts schedule")
	for name, p := range table() {
		if !ways.has(string(p.class)) || p.risk < leastRisk || p.risk > mostRisk || (p.class == things) != (p.label != "") {
			t.Errorf("%s: %+v", name, p)
		}
	}
}
