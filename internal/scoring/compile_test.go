package scoring

import "testing"

// The literals of all models of a default policy find room in one Prefilter.
func TestModelsShareOnePass(t *testing.T) {
	t.Parallel()
	if compiled(t, nil).joint() == nil {
		t.Error("each model of the default policy looks for its literals by itself")
	}
}
