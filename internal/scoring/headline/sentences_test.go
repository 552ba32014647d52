package headline

import (
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
)

// Every sentence of the catalogue reads as its example says, by each of its tools, and no tool has two.
func TestSentences(t *testing.T) {
	t.Parallel()
	var list []phrase
	if err := yaml.Unmarshal(sentencesYAML, &list); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, p := range list {
		for _, tool := range p.Tools {
			arguments, err := canon.Parse([]byte(p.Example))
			if err != nil {
				t.Fatal(err)
			}
			if seen[tool] {
				t.Errorf("%s is there twice", tool)
			}
			seen[tool] = true
			if got := Of(&call.Call{Function: tool, Arguments: arguments}, Reading{}).Text; got != p.Reads {
				t.Errorf("%s reads %s, want %s", tool, got, p.Reads)
			}
		}
	}
	if len(seen) > 150 {
		t.Errorf("%d tools: which of them do people use?", len(seen))
	}
}
