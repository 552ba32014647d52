package notices

import "github.com/countersign/countersign/internal/fault"

// toAgent is the kind of an agent in here; no rule calls one.
const toAgent = "agent"

// here are the people, channels and agents that the organisation has now.
type here map[Target]bool

// whoIsHere reads them. Who is suspended is still a member.
func whoIsHere(r Reader) (here, error) {
	all := here{}
	members, err := r.Members()
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		all[To(ToPerson, m.Person.ID)] = true
	}
	channels, err := r.NoticeChannels()
	if err != nil {
		return nil, err
	}
	for _, c := range channels {
		all[To(ToChannel, c.ID)] = c.Person == ""
	}
	agents, err := r.Agents()
	for _, a := range agents {
		all[To(toAgent, a.ID)] = true
	}
	return all, err
}

// check refuses a rule that names what is not here. Teams are part of the plan, which checks
// them itself.
func (h here) check(r Rule) error {
	for _, id := range r.When.Agents {
		if !h[To(toAgent, id)] {
			return fault.Member(fault.InvalidForm, "agents", "an agent of this rule is no longer there; choose from the list")
		}
	}
	for i, s := range r.Steps {
		for _, t := range s.Targets {
			field := "step" + string(rune('1'+i))
			switch kind, _ := t.Split(); {
			case h[t]:
			case kind == ToPerson:
				return fault.Member(fault.InvalidForm, field, "someone called in this step is no longer a member of the organisation; choose from the list")
			case kind == ToChannel:
				return fault.Member(fault.InvalidForm, field, "a channel called in this step is no longer there; choose from the list")
			}
		}
	}
	return nil
}
