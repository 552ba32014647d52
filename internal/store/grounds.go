package store

import (
	"fmt"
	"slices"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
)

// What a transaction goes by, the policy and who may decide, others may change while
// it waits for a lock. They record each such change in the log, so behind the log's
// lock nothing of it moves any more: there it is compared, once, and a transaction
// that went by what is replaced runs again. Nobody waits for that, neither those who
// act for each other nor whoever makes the policy stricter for all of them.

// grounds are what a transaction that writes went by.
type grounds struct {
	policy    int64 // the version that was read first; 0: none
	decided   bool  // operators were read
	operators []string
}

// wentBy remembers the version of the policy that was read.
func (g *grounds) wentBy(version int64) {
	if g.policy == 0 {
		g.policy = version
	}
}

// wentByOperators remembers who could decide; by their ids, since a name says nothing
// of that.
func (g *grounds) wentByOperators(all []approvals.Operator) {
	if g.decided {
		return
	}
	g.decided = true
	for _, o := range all {
		g.operators = append(g.operators, o.ID)
	}
	slices.Sort(g.operators)
}

// groundsHold makes the transaction run again where something that it went by was
// replaced meanwhile. The log is held, so it is asked once.
func (t *tx) groundsHold() error {
	if t.grounds.policy != 0 {
		row, err := one[policyRow](t.of("policies").Select("version").Order("version DESC"), "no such organisation")
		if err != nil {
			return err
		}
		if row.Version != t.grounds.policy {
			return fmt.Errorf("%w: the policy was replaced", errAgain)
		}
	}
	if t.grounds.decided {
		now, err := t.operatorIDs()
		if err != nil {
			return err
		}
		if !slices.Equal(now, t.grounds.operators) {
			return fmt.Errorf("%w: others may decide now", errAgain)
		}
	}
	t.grounds = grounds{}
	return nil
}

// operatorIDs are the operators of now, in order.
func (t *tx) operatorIDs() (ids []string, err error) {
	var rows []membershipRow
	if err := t.of("memberships").Select("person_id, roles").Find(&rows).Error; err != nil {
		return nil, err
	}
	for _, r := range rows {
		if slices.Contains(splitRoles(r.Roles), auth.Operator) {
			ids = append(ids, r.PersonID)
		}
	}
	slices.Sort(ids)
	return ids, nil
}
