package approvals

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/fault"
)

// maxChain bounds how many requests of a chain of revisions are read, this one
// included; maxEarlier how many of them stand before it.
const (
	maxChain   = 20
	maxEarlier = 10
)

// revisions is what a answers and what answers it, oldest first and a among them: nil
// where there is neither. An agent may answer one request for changes several times.
func revisions(r Reader, a Approval) (all []Approval, err error) {
	all = []Approval{a}
	for first := a; first.Revises != "" && len(all) <= maxEarlier; {
		first, err = r.Approval(first.Revises)
		if fault.Is(err, fault.Missing) { // verify tells of one that is gone
			break
		}
		if err != nil {
			return nil, err
		}
		all = append(all, first)
	}
	for next := []Approval{a}; len(next) > 0 && len(all) < maxChain; next = next[1:] {
		if next[0].Status != ChangesRequested {
			continue
		}
		answers, err := r.Approvals(Filter{Agent: a.Agent.ID, Revises: next[0].ID, Limit: maxChain - len(all)})
		if err != nil {
			return nil, err
		}
		all, next = append(all, answers...), append(next, answers...)
	}
	if len(all) == 1 {
		return nil, nil
	}
	slices.SortFunc(all, func(a, b Approval) int { return strings.Compare(a.ID, b.ID) }) // by time of creation
	return all, nil
}

// Answers is the request that v answers, where it is in the chain; else nil.
func (v Review) Answers() *Approval { return v.inChain(v.Revises) }

func (v Review) inChain(id string) *Approval {
	i := slices.IndexFunc(v.Chain, func(a Approval) bool { return a.ID == id })
	if i < 0 {
		return nil
	}
	return &v.Chain[i]
}

// SupersededBy is the newest request of the chain that answers v, directly or by
// way of others; nil where nothing does.
func (v Review) SupersededBy() *Approval {
	for i := len(v.Chain) - 1; i >= 0; i-- {
		for one := &v.Chain[i]; one != nil; one = v.inChain(one.Revises) {
			if one.Revises == v.ID {
				return &v.Chain[i]
			}
		}
	}
	return nil
}
