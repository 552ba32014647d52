package reconcile

import (
	"fmt"
	"maps"
	"strings"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/requests"
)

// verifyFiles holds what is remembered of the files that agents wrote: who takes one out by
// hand, so that a program of an agent's own looks like anybody's, is found. What was
// remembered before events said anything of it is what it is.
func (t Checks) verifyFiles(size int64) (at int64, problem string, err error) {
	var agents []struct {
		AgentID    string
		MemoryFull bool
	}
	if err := t.Of("agents").Select("agent_id, memory_full").Order("agent_id").Find(&agents).Error; err != nil {
		return 0, "", err
	}
	for _, a := range agents {
		agent := a.AgentID
		logged, since, err := t.loggedFiles(agent)
		if err != nil {
			return 0, "", err
		}
		if _, full := logged[requests.FullMemory]; full != a.MemoryFull && (full || since == 0) {
			return size, fmt.Sprintf("whether all is remembered that the agent %s wrote isn't what its events say", agent), nil
		}
		delete(logged, requests.FullMemory)
		var rows []requests.FileRow
		if err := t.Of("workspace_files").Where("agent_id = ?", agent).Order("path").Find(&rows).Error; err != nil {
			return 0, "", err
		}
		for _, r := range rows {
			path, row, _ := strings.Cut(r.Logged(), " ")
			if is, ok := logged[path]; ok && is != row || !ok && since == 0 {
				return size, fmt.Sprintf("what is remembered of %.80q, a file of the agent %s, isn't what its events say", r.Path, agent), nil
			}
			delete(logged, path)
		}
		for range logged {
			return size, fmt.Sprintf("something that the agent %s wrote is no longer remembered", agent), nil
		}
	}
	return 0, "", nil
}

// loggedFiles is what the events of an agent say, by the sum of the path. since is what it had
// spent before the first event that says something.
func (t Checks) loggedFiles(agent string) (logged map[string]string, since int64, err error) {
	logged = map[string]string{}
	err = t.EachEvent(func(e audit.Event) {
		if e.Kind == audit.GrantConsumed && e.Data.Get("key_sha256").IsAbsent() {
			since++
		}
		for one := range strings.SplitSeq(e.Data.Get(requests.FilesLogged).Text(), ",") {
			switch path, row, _ := strings.Cut(one, " "); path {
			case "":
			case requests.GoneFile:
				maps.DeleteFunc(logged, func(_, row string) bool { return strings.HasSuffix(row, requests.GoneFile) })
			default:
				logged[path] = row
			}
		}
	}, "agent_id = ? AND kind IN ? AND (bytes LIKE ? OR kind = ? AND bytes NOT LIKE ?)", agent, logstate.ApprovalKinds, `%"files":"%`, audit.GrantConsumed, `%"key_sha256":"%`)
	return logged, since, err
}
