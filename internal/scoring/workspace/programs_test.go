package workspace

import (
	_ "embed"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/program"
)

//go:embed programs_examples.yaml
var examplesYAML []byte

// bash is a call of a shell tool.
func bash(command string) Input {
	return Input{Function: "Bash", Arguments: canon.Object(canon.Member{Name: "command", Value: canon.String(command)})}
}

var sandboxed = Binding{Folder: "/home/ana/shop", Sandboxed: true}

func TestPrograms(t *testing.T) {
	t.Parallel()
	if _, err := loadPrograms(program.Of()); err != nil {
		t.Fatal(err)
	}
	var examples struct{ Low, Held, High []string }
	if err := yaml.Unmarshal(examplesYAML, &examples); err != nil {
		t.Fatal(err)
	}
	judge := func(command string) Judgement {
		return Examine(sandboxed, bash(command)).Judge(Memory{})
	}
	for _, c := range examples.Low {
		if j := judge(c); j.Level > level.Low {
			t.Errorf("%s is held, %s: %s: %s", c, j.Level, j.Cause, j.Because)
		}
	}
	for _, c := range examples.Held {
		if j := judge(c); j.Level <= level.Low && c != "" {
			t.Errorf("%s is let through: %s", c, j.Because)
		}
	}
	for _, c := range examples.High {
		if j := judge(c); j.Level < level.High {
			t.Errorf("%s is %s: %s: %s", c, j.Level, j.Cause, j.Because)
		}
	}
	if len(examples.Low) < 200 || len(examples.Held) < 200 || len(examples.High) < 60 {
		t.Errorf("%d, %d and %d examples", len(examples.Low), len(examples.Held), len(examples.High))
	}
}
