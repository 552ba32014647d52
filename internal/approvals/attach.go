package approvals

// How a retry finds the question that was asked before, so that people are asked once.

// attachMost bounds how many earlier approvals of one act are looked at.
const attachMost = 20

// attachable is the newest earlier approval that answers a submission: of the same agent,
// session and digest, pending, or approved with a grant that can be spent; nil where there is
// none. a is what the submission was assessed as just now: one that is treated more strictly
// gets an approval of its own.
//
// The same tool call attaches by itself. Another one attaches if it asks for it and nobody
// waits on the first: two that wait at once are two acts.
func (s *Service) attachable(r Reader, a Approval, sub Submission) (*Approval, error) {
	call := sub.Action.ToolCallID()
	if a.Session == "" || (call == "" && !sub.Attach) {
		return nil, nil
	}
	ids, err := r.IDs(Filter{Agent: a.Agent.ID, Session: a.Session, Digest: a.Digest, Statuses: []Status{Pending, Approved}, Limit: attachMost})
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	waits, err := r.Waits(ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		earlier, err := r.Approval(id)
		if err != nil {
			return nil, err
		}
		sent, err := earlier.Parsed()
		if err != nil {
			return nil, err
		}
		same := call != "" && sent.ToolCallID() == call
		alone := sub.Attach && !waits[id].After(r.Now())
		if (same || alone) && earlier.usable(r) && !a.Treatment.StricterThan(earlier.Treatment) {
			return &earlier, nil
		}
	}
	return nil, nil
}

// usable reports whether an approval can still let its act run.
func (a Approval) usable(r Reader) bool {
	if a.Status == Pending {
		return a.open(r.Now()) == nil
	}
	return a.spendable(a.Digest, r.Now()) == nil && a.Grant.ConsumedAt == nil
}
