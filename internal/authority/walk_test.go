package authority_test

import (
	"strings"
	"testing"
)

// walk goes through every world within steps acts, the shortest way first, and returns
// the way to the first bad one. Worlds that are over lead nowhere.
func walk(from world, steps int, over, bad func(world) bool) (way []string, seen int) {
	type step struct {
		before int
		act    act
	}
	from.settle()
	known := map[world]bool{from: true}
	worlds, came := []world{from}, []step{{before: -1}}
	for first, n := 0, 0; n < steps; n++ {
		last := len(worlds)
		for ; first < last; first++ {
			next, acts := worlds[first].next()
			for i, w := range next {
				if known[w] || over(w) {
					continue
				}
				known[w] = true
				worlds, came = append(worlds, w), append(came, step{first, acts[i]})
				if bad(w) {
					for at := len(worlds) - 1; at > 0; at = came[at].before {
						way = append([]string{came[at].act.String()}, way...)
					}
					return way, len(worlds)
				}
			}
		}
	}
	return nil, len(worlds)
}

// start are worlds to begin with: the roles that each account has (−1: nobody), who
// invited whom today, which accounts one person holds, and whose agent asks.
func start(has [accounts]int8, by [accounts]int8, held [accounts]bool, own, required int8) world {
	w := world{required: required}
	for i, r := range has {
		a := &w.people[i]
		if r < 0 {
			continue
		}
		a.member, a.signedIn, a.held, a.rights = true, true, held[i], rights(r)
		if by[i] > 0 {
			a.tied[by[i]-1] = 1
		}
	}
	if own >= 0 {
		w.own[own] = true
	}
	return w
}

// TestOnePersonNeverApprovesForTwo is the model. In every world that begins with another
// person who may decide or manage, and whom none of the others invited, one person never
// gets a request approved that needs two, nor their own agent's; however long it takes
// where they hold one account, and as long as ties last where they hold two.
func TestOnePersonNeverApprovesForTwo(t *testing.T) {
	t.Parallel()
	worlds := 0
	for _, three := range []rights{decides, manages, decides | manages} {
		for _, two := range []int8{-1, int8(none), int8(decides | manages)} {
			for _, own := range []int8{-1, 0} {
				holdsTwo := two > 0
				if own >= 0 && holdsTwo && three == manages {
					continue // nobody but those who are tied could decide: they may
				}
				if holdsTwo && three == decides|manages {
					continue // who may more stands in the way of more, and the other two begin with less
				}
				required := int8(2)
				if own >= 0 { // the owner is one of two
					required = 1
				}
				w := start([accounts]int8{int8(decides | manages), two, int8(three)}, [accounts]int8{1: 1}, [accounts]bool{true, holdsTwo, false}, own, required)
				way, n := walk(w, stepsOfModel(),
					func(w world) bool { return holdsTwo && w.people[1].tied[0] > kinDays },
					func(w world) bool { return w.approved })
				worlds += n
				if way != nil {
					t.Errorf("three may %d, two %d, own %d: %s", three, two, own, strings.Join(way, "; "))
				}
			}
		}
	}
	t.Logf("%d worlds", worlds)
}

// TestOnePersonNeverApprovesForTwoAfterSinglePersonMode begins with one person alone, or
// with another who was made for them and has not come yet. What that person approves in
// this mode is marked, as a weaker policy is, and where everybody is tied to them the
// waiting time is their way to one; nothing else that they prepare in it approves anything
// that needs two, as long as ties last.
func TestOnePersonNeverApprovesForTwoAfterSinglePersonMode(t *testing.T) {
	t.Parallel()
	const required = 2
	worlds, ended, marked := 0, false, false
	for _, three := range []int8{-1, int8(decides), int8(manages), int8(decides | manages)} {
		for _, own := range []int8{-1, 0} {
			if own >= 0 && three != int8(decides) {
				continue // who may not sign for their own agent may less than otherwise
			}
			w := start([accounts]int8{int8(decides | manages), -1, three}, [accounts]int8{}, [accounts]bool{true}, own, required)
			w.single, w.people[2].signedIn = true, false
			way, n := walk(w, stepsOfModel(),
				func(w world) bool {
					ended, marked = ended || !w.single, marked || w.marked
					independent := w.people[2].signedIn && w.people[2].tied == [accounts]int8{}
					return w.marked || w.required < required && (w.single || !independent) || w.people[1].tied[0] > kinDays || w.people[2].tied[0] > kinDays
				},
				func(w world) bool { return w.approved })
			worlds += n
			if way != nil {
				t.Errorf("three may %d, own %d: %s", three, own, strings.Join(way, "; "))
			}
		}
	}
	if !ended || !marked {
		t.Errorf("the mode ended: %t, somebody approved alone in it: %t", ended, marked)
	}
	t.Logf("%d worlds", worlds)
}

// shortSteps is how far what is beside a request is walked: asking, a look, a day and the
// end are four, and two more make or take away whoever looks.
const shortSteps = 6

// TestOnePersonWeakensNothingElse: nor do notices say more, nor is what an imported tool does
// judged as less, by one person's acts.
func TestOnePersonWeakensNothingElse(t *testing.T) {
	t.Parallel()
	for _, asks := range []kind{noticesDetail, acceptedTool} {
		for _, three := range []rights{decides, manages, decides | manages} {
			w := start([accounts]int8{int8(decides | manages), int8(decides | manages), int8(three)}, [accounts]int8{1: 1}, [accounts]bool{true, true, false}, -1, 1)
			w.asks = asks
			tied := func(w world) bool { return w.approved || w.people[1].tied[0] > kinDays }
			if way, _ := walk(w, shortSteps, tied, func(w world) bool { return w.weaker }); way != nil {
				t.Errorf("%d, three may %d: %s", asks, three, strings.Join(way, "; "))
			}
			w.people[2].held = true // the other person looks, or accepts
			if way, _ := walk(w, shortSteps, tied, func(w world) bool { return w.weaker }); way == nil {
				t.Errorf("control: %d, three may %d: two people never weaken it", asks, three)
			}
		}
	}
}

// TestOnePersonAllowsNothingAheadForTheirOwn: a standing approval lets through nothing of its
// maker's own agent while there is somebody else who could decide, also where the maker made
// another account in between; and nothing that was allowed before the maker owned it.
func TestOnePersonAllowsNothingAheadForTheirOwn(t *testing.T) {
	t.Parallel()
	for _, two := range []int8{-1, int8(decides), int8(decides | manages)} {
		w := start([accounts]int8{int8(decides | manages), two, int8(decides)}, [accounts]int8{1: 1}, [accounts]bool{true, two > 0, false}, 0, 2)
		w.ahead = true
		tied := func(w world) bool { return w.people[1].tied[0] > kinDays }
		if way, _ := walk(w, shortSteps, tied, func(w world) bool { return w.approved }); way != nil {
			t.Errorf("two may %d: %s", two, strings.Join(way, "; "))
		}
		w.people[2].held = true
		if way, _ := walk(w, shortSteps, tied, func(w world) bool { return w.approved }); way == nil {
			t.Errorf("control: two may %d: somebody else allows nothing either", two)
		}
		w = start([accounts]int8{int8(decides | manages), two, int8(decides)}, [accounts]int8{1: 1}, [accounts]bool{true, two > 0, false}, -1, 2)
		w.ahead, w.allowed = true, 1
		w.own[0] = true // since
		if way, _ := walk(w, shortSteps, tied, func(w world) bool { return w.approved }); way != nil {
			t.Errorf("allowed before, two may %d: %s", two, strings.Join(way, "; "))
		}
	}
}
