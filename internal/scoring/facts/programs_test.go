package facts

import (
	"strings"
	"testing"
)

func TestProgramsInAnyCase(t *testing.T) {
	t.Parallel()
	for name, p := range programs {
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
