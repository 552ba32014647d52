package store

import (
	"fmt"
	"maps"
	"slices"
)

// What a transaction goes by, the policy, who may decide and what somebody may do,
// others may change while it waits for a lock. They record each such change in the log,
// so behind the log's lock nothing of it moves any more: there it is compared, once, and
// a transaction that went by what is replaced runs again. Nobody waits for that, neither
// those who act for each other nor whoever makes the policy stricter for all of them.

// grounds are what a transaction that writes went by.
type grounds struct {
	policy    int64             // the version that was read first; 0: none
	roles     map[string]string // of the people whose membership was read; "": they were no members
	authority string            // the fingerprint of what authority was decided by; "": none
}

// wentBy remembers the version of the policy that was read.
func (g *grounds) wentBy(version int64) {
	if g.policy == 0 {
		g.policy = version
	}
}

// wentByRoles remembers what somebody could do. What the transaction itself changes
// of it is forgotten there.
func (g *grounds) wentByRoles(person, roles string) {
	if g.roles == nil {
		g.roles = map[string]string{}
	}
	if _, before := g.roles[person]; !before {
		g.roles[person] = roles
	}
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
	if err := t.rolesHold(); err != nil {
		return err
	}
	if went := t.grounds.authority; went != "" {
		now, err := t.authority()
		if err != nil {
			return err
		}
		if fingerprint(now) != went {
			return fmt.Errorf("%w: someone's authority has changed", errAgain)
		}
	}
	t.grounds = grounds{}
	return nil
}

// rolesHold is groundsHold for roles alone: where memberships are held, nothing of
// them moves any more either.
func (t *tx) rolesHold() error {
	if len(t.grounds.roles) == 0 {
		return nil
	}
	var rows []membershipRow
	err := t.of("memberships").Select("person_id, roles, suspended_at").Where("person_id IN ?", slices.Collect(maps.Keys(t.grounds.roles))).Find(&rows).Error
	if err != nil {
		return err
	}
	now := map[string]string{}
	for _, r := range rows {
		now[r.PersonID] = effectiveRoles(r.Roles, r.SuspendedAt)
	}
	for person, roles := range t.grounds.roles {
		if now[person] != roles {
			return fmt.Errorf("%w: someone's roles have changed", errAgain)
		}
	}
	return nil
}
