package approvals

import (
	"slices"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/deciders"
)

// Signature is one operator's yes to one version of an approval that needs
// several. The last one approves it.
type Signature struct {
	Person, Name string // the id, and the name as it was then
	Version      int64
	SignedAt     time.Time
	Evidence     Evidence
	// Void is why it doesn't count any more, where somebody looks; empty where it counts.
	Void fault.Text
}

// Given is how many of the signatures count.
func (a Approval) Given() (n int) {
	for _, s := range a.Signatures {
		if s.Void.Empty() {
			n++
		}
	}
	return n
}

// judged is a with what the rule of who may sign says of its signatures now, and who is missing.
func (a Approval) judged(c circle) Approval {
	if a.Status.Final() || len(a.Signatures)+len(a.Treatment.Needs) == 0 {
		return a
	}
	a.Needed, a.NoOne = a.needed(c)
	r := a.request(c)
	a.Signatures = slices.Clone(a.Signatures)
	for i := range a.Signatures {
		by := &a.Signatures[i]
		switch why, with := c.state.Discounts(r, by.Person); {
		case why == authority.NoOperator && with.Suspended:
			by.Void = fault.Textf("suspended")
		case why == authority.NoOperator:
			by.Void = fault.Textf("no longer an operator")
		case why == authority.OwnAgent:
			by.Void = fault.Textf("it is their agent that asks")
		case why == authority.TiedToSigner:
			by.Void = fault.Textf("counts as one person with %s", with.Name)
		case why == authority.TiedToOwner:
			by.Void = fault.Textf("tied to the owner of the agent")
		case why == authority.NotNeeded:
			by.Void = fault.Textf("not in a team that has to approve, or others of it did")
		}
	}
	return a
}

// Judged is judged with who may do what now.
func (a Approval) Judged(r Deciding) (Approval, error) {
	if a.Status.Final() || len(a.Signatures)+len(a.Treatment.Needs) == 0 {
		return a, nil
	}
	c, err := a.circle(r)
	return a.judged(c), err
}

// needed is who has to approve a, where the policy says, and why no one can; empty where they can.
func (a Approval) needed(c circle) ([]deciders.Needed, fault.Text) {
	if len(a.Treatment.Needs) == 0 {
		return nil, fault.Text{}
	}
	return c.teams.Look(c.state, a.request(c), a.Treatment.Needs)
}

// recount counts under lines that wait for several people the signatures that count.
func recount(r Reader, lines []Line) error {
	return judgeLines(r, lines, func(l Line) bool { return l.Signed > 0 })
}

// tellNeeded says of lines who has to approve them, where the policy does.
func tellNeeded(r Reader, lines []Line) error {
	return judgeLines(r, lines, func(l Line) bool { return l.Words.Needs && l.Needed == nil })
}

func judgeLines(r Reader, lines []Line, which func(Line) bool) error {
	for i, l := range lines {
		if l.Status.Final() || !which(l) {
			continue
		}
		a, err := r.Approval(l.ID)
		if err == nil {
			a, err = a.Judged(r)
		}
		if err != nil {
			return err
		}
		lines[i].Signed, lines[i].Needed, lines[i].NoOne = a.Given(), a.Needed, a.NoOne
	}
	return nil
}

// signedBy is this person's signature under the current version, or nil.
func (a Approval) signedBy(person string) *Signature {
	i := slices.IndexFunc(a.Signatures, func(s Signature) bool { return s.Person == person })
	if i < 0 {
		return nil
	}
	return &a.Signatures[i]
}

// signers are those who signed, in order, each once.
func (a Approval) signers() []Decider {
	all := make([]Decider, 0, len(a.Signatures)+1)
	for _, s := range a.Signatures {
		all = append(all, Decider{Kind: ByPerson, ID: s.Person, Name: s.Name, For: s.Evidence.For})
	}
	return all
}

// countedOnly is a with those of its signatures that count: of people who may decide at
// the moment of the last one, no two of whom may be one person.
func (a Approval) countedOnly(who eligibility) Approval {
	counted := who.counted(a)
	a.Signatures = slices.DeleteFunc(slices.Clone(a.Signatures), func(s Signature) bool { return !slices.Contains(counted, s.Person) })
	return a
}

// sign adds this operator's signature where more than one is needed, and returns
// a with all of them. complete says that there are enough: whoever completes as a
// single person, for want of others, stands for those who are missing.
func (s *Service) sign(w Writer, m auth.Member, a Approval, who eligibility, e Evidence, note string) (_ Approval, complete bool, err error) {
	if a.Treatment.ApprovalsRequired <= 1 {
		return a, true, nil
	}
	if a.signedBy(m.Person.ID) == nil {
		a.Signatures, err = w.Sign(a.ID, Signature{Person: m.Person.ID, Name: m.Person.Name, Version: a.Version, SignedAt: w.Now(), Evidence: e})
		if err != nil {
			return a, false, err
		}
		if err := w.Append(a.event(audit.Signed, personActor(m), append(a.signedData(e), member("reason", text(note)))...)); err != nil {
			return a, false, err
		}
	}
	return a, who.singlePerson || len(who.counted(a)) >= a.Treatment.ApprovalsRequired, nil
}

// signedData says which of how many signatures this is, to what, and how it came about.
func (a Approval) signedData(e Evidence) []canon.Member {
	return []canon.Member{
		member("version", canon.Int(a.Version)),
		member("shown_digest", canon.String(a.ShownDigest)),
		member("given", canon.Int(int64(len(a.Signatures)))),
		member("required", canon.Int(int64(a.Treatment.ApprovalsRequired))),
		e.forMember(),
		member("evidence", e.data()),
		member("evidence_sha256", kept(e)),
	}
}
