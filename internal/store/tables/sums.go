package tables

import (
	"strconv"
	"strings"
)

// What rows hold besides what the services tell of an act: sums of it are in the first event
// about the same approval, agent or person, so that an edit of a row shows. An event from
// before it had one says nothing of the row.

// Sums are members for the next event about an approval or an agent, by name.
type Sums map[string]map[string][]string

// Set sets the sum of what is stored of an approval.
func (b Sums) Set(approval, name string, parts ...string) {
	b.Add(approval, name, "")
	b[approval][name] = []string{SumOf(parts...)}
}

// Add adds to the list of an agent.
func (b Sums) Add(agent, name, value string) {
	if b[agent] == nil {
		b[agent] = map[string][]string{}
	}
	b[agent][name] = append(b[agent][name], value)
}

// SumOf is the sum of parts, each with where it ends.
func SumOf(parts ...string) string {
	var all strings.Builder
	for _, p := range parts {
		all.WriteString(strconv.Itoa(len(p)) + ":" + p)
	}
	return SHA256(all.String())
}
