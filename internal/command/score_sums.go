package command

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring"
)

// tally is what is said at the end about all calls in a workspace.
type tally struct {
	bound, held, blocked, refused int
	effects, causes               map[string]int
	sessions                      map[string]perSession
}

// perSession counts the calls of a session, and those of them that did not go through.
type perSession struct{ calls, stopped int }

func (t *tally) count(session string, a scoring.Assessment) {
	if a.Workspace == nil {
		return
	}
	if t.sessions == nil {
		t.effects, t.causes, t.sessions = map[string]int{}, map[string]int{}, map[string]perSession{}
	}
	t.bound++
	s := t.sessions[session]
	s.calls++
	switch a.Response {
	case scoring.Hold:
		t.held++
	case scoring.Block:
		t.blocked++
	}
	if a.Response != scoring.Allow {
		s.stopped++
		t.effects[string(a.Floor.Effect)]++
		t.causes[causeOf(a)]++
	}
	t.sessions[session] = s
}

// causeOf names what held a call as the insights do, and the workspace's rules by their
// word alone.
func causeOf(a scoring.Assessment) string {
	c := a.Cause()
	if c.Kind == scoring.CauseWorkspace {
		return c.Name
	}
	return strings.TrimSuffix(string(c.Kind)+" "+c.Name, " ")
}

// print says it in at most four lines.
func (t *tally) print(w io.Writer) {
	fmt.Fprintf(w, "%s in %s: %d approved automatically, %d held, %d blocked.\n",
		counted(t.bound, "call"), counted(len(t.sessions), "session"), t.bound-t.held-t.blocked, t.held, t.blocked)
	if t.refused > 0 {
		fmt.Fprintf(w, "%s couldn't be read: they answer with an error.\n", counted(t.refused, "line"))
	}
	if t.held+t.blocked > 0 {
		fmt.Fprintf(w, "By effect: %s.\nBy cause: %s.\n", ranked(t.effects), ranked(t.causes))
	}
	if t.bound > 0 {
		mean, median, p90 := per60(t.sessions)
		fmt.Fprintf(w, "Held per 60 calls of a session: mean %.1f, median %.1f, 90th percentile %.1f.\n", mean, median, p90)
	}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// ranked lists what is most first, and in the order of the alphabet what is as much.
func ranked(all map[string]int) string {
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(all[b], all[a]), strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, all[name])
	}
	return strings.Join(names, ", ")
}

// per60 is how often a session was stopped, for 60 of its calls: the mean over sessions, and
// the smallest figures that half and nine tenths of them do not exceed.
func per60(sessions map[string]perSession) (mean, median, p90 float64) {
	rates := make([]float64, 0, len(sessions))
	for _, s := range sessions {
		rates = append(rates, 60*float64(s.stopped)/float64(s.calls))
		mean += rates[len(rates)-1]
	}
	slices.Sort(rates)
	at := func(tenths int) float64 { return rates[(len(rates)*tenths+9)/10-1] }
	return mean / float64(len(rates)), at(5), at(9)
}
