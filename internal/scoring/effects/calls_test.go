package effects

import (
	"encoding/json"
	"os"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/canon"
)

// TestCalls holds the reader of whole calls against calls_examples.yaml.
func TestCalls(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("calls_examples.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var examples []struct {
		Function, Code, Docstring string
		Arguments, Hints          map[string]any
		Want                      Kind
		Sensitive                 bool
	}
	if err := yaml.Unmarshal(text, &examples); err != nil {
		t.Fatal(err)
	}
	value := func(v map[string]any) canon.Value {
		if v == nil {
			return canon.Value{}
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := canon.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for _, x := range examples {
		all := Examine(Input{Function: x.Function, Arguments: value(x.Arguments), Code: x.Code, Docstring: x.Docstring, Hints: value(x.Hints)}).Effects(Given{})
		Default().Floor(all, false)
		if all[0].Kind != x.Want || all[0].Sensitive != x.Sensitive {
			t.Errorf("%s %v is %s, sensitive %v, want %s, %v: %+v", x.Function, x.Arguments, all[0].Kind, all[0].Sensitive, x.Want, x.Sensitive, all)
		}
	}
}
