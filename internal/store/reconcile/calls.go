package reconcile

import "fmt"

// verifyCalls holds the counts of calls against the grants that were spent, which were
// held against their events before: who makes an agent's calls look familiar by hand is
// found.
func (t Checks) verifyCalls(size int64) (at int64, problem string, err error) {
	const spent = "SELECT approvals.agent_id, approvals.session_id, approvals.function, 1 AS n FROM approvals" +
		" JOIN grants ON grants.tenant_id = approvals.tenant_id AND grants.approval_id = approvals.approval_id" +
		" LEFT JOIN executions ON executions.tenant_id = approvals.tenant_id AND executions.approval_id = approvals.approval_id" +
		" WHERE approvals.tenant_id = ? AND approvals.session_id <> '' AND grants.consumed_at IS NOT NULL AND coalesce(executions.status, '') <> 'failed'"
	const counted = "SELECT agent_id, session_id, function, -calls AS n FROM call_counts WHERE tenant_id = ?"
	var wrong []struct {
		AgentID, SessionID, Function string
		N                            int64
	}
	err = t.DB.Raw("SELECT agent_id, session_id, function, CAST(sum(n) AS BIGINT) AS n FROM ("+spent+" UNION ALL "+counted+") AS calls"+
		" GROUP BY agent_id, session_id, function HAVING sum(n) <> 0 ORDER BY agent_id, session_id, function LIMIT 1", t.Tenant, t.Tenant).Scan(&wrong).Error
	if err != nil || len(wrong) == 0 {
		return 0, "", err
	}
	w := wrong[0]
	n, err := t.requests.Calls(w.AgentID, w.SessionID, w.Function)
	return size, fmt.Sprintf("agent %s: the database counts %d calls of %.80q in session %.80q, but %d were spent", w.AgentID, n, w.Function, w.SessionID, int64(n)+w.N), err
}

// verifyNameless finds rows without an id: what is read in batches begins behind it.
func (t Checks) verifyNameless(size int64) (at int64, problem string, err error) {
	for table, id := range map[string]string{"approvals": "approval_id", "policy_proposals": "proposal_id", "standing_grants": "standing_id", "agents": "agent_id"} {
		var n int64
		if err := t.Of(table).Where(id + " = ''").Count(&n).Error; err != nil {
			return 0, "", err
		}
		if n > 0 {
			return size, fmt.Sprintf("%s has a row without an id, of which no event says anything", table), nil
		}
	}
	return 0, "", nil
}
