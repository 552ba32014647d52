package approvals

import (
	"testing"

	"github.com/countersign/countersign/internal/scoring"
)

func TestACauseComesBackFromTheRollups(t *testing.T) {
	t.Parallel()
	for _, c := range []scoring.Cause{{Kind: scoring.CauseRule, Name: "own"}, {Kind: scoring.CauseEntry, Name: "a:* for bot"}, {Kind: scoring.CauseScore}} {
		if agent, back := ofHeldValue(heldValue("agt_1", c)); agent != "agt_1" || back != c {
			t.Errorf("%v comes back as %q, %+v", c, agent, back)
		}
	}
}
