package facts

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A selection, which forgets commands on the way, keeps those that come first when all
// of them are sorted.
func TestSelectionKeepsTheMostDangerous(t *testing.T) {
	t.Parallel()
	programs := []string{"ls", "rm -rf", "curl", "kill", "git push", "cat", "kubectl delete", "no-such-program", "mv"}
	var b strings.Builder
	for i, n := 0, uint32(1); i < 6*maxCommands; i, n = i+1, n*1664525+1013904223 {
		fmt.Fprintf(&b, "%s x%d; ", programs[(n>>24)%uint32(len(programs))], i)
	}
	var (
		mine, others room
		s            = selection{room: &mine}
		all          []*command
	)
	split(whole(b.String(), "/code"), false, &mine, takerFunc(func(line []word) {
		cmd := &command{}
		if cmd.read(slices.Clone(line), &others) {
			all = append(all, cmd)
		}
		s.take(line)
	}))
	slices.SortStableFunc(all, func(a, b *command) int { return b.risk - a.risk })
	s.sort()
	if len(all) != 6*maxCommands || len(s.commands) >= 2*maxCommands {
		t.Fatalf("%d commands, %d of them kept", len(all), len(s.commands))
	}
	for i, want := range all[:maxCommands] {
		if got := s.commands[i]; got.start.text != want.start.text || got.operands[len(got.operands)-1].text != want.operands[len(want.operands)-1].text {
			t.Fatalf("command %d is %v, want %v", i, got.operands, want.operands)
		}
	}
}

type takerFunc func(line []word)

func (f takerFunc) take(line []word) { f(line) }
