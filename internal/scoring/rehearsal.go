package scoring

import (
	"github.com/countersign/countersign/internal/scoring/trust"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// Rehearsal assesses calls one after another, as they would come in, with what the agent
// wrote in its workspace before. It stores nothing, and nobody decides in it: what is let
// through counts as spent and done, and of what is held or blocked only the findings count,
// as they do from its submission on. The zero Rehearsal is one in which nothing was written.
//
// On the server the memory is the agent's, whatever sessions it opens. Here a call that does
// not say whose it is (Inputs.Agent) counts as that of an agent which has this session only:
// a file of recorded sessions is one of many agents.
type Rehearsal struct{ memories map[whose]workspace.Memory }

// whose says who has a memory: an agent, or a session of nobody in particular.
type whose struct{ agent, session string }

// Next assesses the next call. A memory in the inputs stands in place of the one that the
// rehearsal has.
func (r *Rehearsal) Next(e Examination, in Inputs, record trust.Evidence, callNumber int) Assessment {
	of := whose{agent: in.Agent}
	if in.Agent == "" {
		of.session = e.action.SessionID()
	}
	memory := r.memories[of]
	if in.Memory == nil && in.Workspace != nil {
		in.Memory = &memory
	}
	a := e.Given(in).Trusting(record).Assess(callNumber)
	if a.Workspace == nil || len(a.Workspace.Writes) == 0 {
		return a
	}
	memory = memory.Adding(a.Workspace.Writes)
	if a.Response == Allow {
		memory = memory.Replacing(a.Workspace.Writes)
	}
	if r.memories == nil {
		r.memories = map[whose]workspace.Memory{}
	}
	r.memories[of] = memory
	return a
}

// asked is the part of a memory that a call asks about: a rehearsal knows no more than the
// server reads.
func asked(m workspace.Memory, asks workspace.Asks) workspace.Memory {
	known := workspace.Memory{Full: m.Full}
	for _, f := range m.Files {
		if asks.Wants(f) {
			known.Files = append(known.Files, f)
		}
	}
	return known
}
