package patterns

import "github.com/countersign/countersign/internal/scoring/level"

// Severity is how bad a match is. The empty Severity means that nothing matched.
type Severity string

// The four severities, worst first, as the published model names them.
const (
	Critical Severity = "critical"
	High     Severity = "high"
	Medium   Severity = "medium"
	Low      Severity = "low"
)

// Severities lists the four, worst first: the order in which a score is summed.
func Severities() []Severity { return []Severity{Critical, High, Medium, Low} }

// Valid reports whether s is one of the four.
func (s Severity) Valid() bool { return s.rank() > 0 }

// Level puts the severity on the scale on which all models are compared; no
// match counts as Low.
func (s Severity) Level() level.Level {
	switch s {
	case Critical:
		return level.Critical
	case High:
		return level.High
	case Medium:
		return level.Medium
	default:
		return level.Low
	}
}

// MarshalJSON writes null where nothing matched.
func (s Severity) MarshalJSON() ([]byte, error) {
	if s == "" {
		return []byte("null"), nil
	}
	return quoteJSON(string(s)), nil
}

// DefaultAction is what a pattern does that names no action (docs/models.md).
func (s Severity) DefaultAction() Action {
	switch s {
	case Critical:
		return Block
	case High:
		return Redact
	case Medium:
		return Confirm
	default:
		return Warn
	}
}

// SofterThan reports whether s is less bad than t.
func (s Severity) SofterThan(t Severity) bool { return s.rank() < t.rank() }

func (s Severity) rank() int {
	switch s {
	case Critical:
		return 4
	case High:
		return 3
	case Medium:
		return 2
	case Low:
		return 1
	}
	return 0
}

// Action is what a pattern asks for.
type Action string

// The actions, most restrictive first. Allow is never a pattern's action: it is
// the answer when nothing matched.
const (
	Block   Action = "block"
	Redact  Action = "redact"
	Confirm Action = "confirm"
	Warn    Action = "warn"
	Log     Action = "log"
	Allow   Action = "allow"
)

// Actions lists what a pattern may ask for, most restrictive first.
func Actions() []Action { return []Action{Block, Redact, Confirm, Warn, Log} }

// Valid reports whether a pattern may carry a.
func (a Action) Valid() bool { return a.rank() > 0 }

// SofterThan reports whether a restricts less than b.
func (a Action) SofterThan(b Action) bool { return a.rank() < b.rank() }

func (a Action) rank() int {
	switch a {
	case Block:
		return 5
	case Redact:
		return 4
	case Confirm:
		return 3
	case Warn:
		return 2
	case Log:
		return 1
	}
	return 0
}

// Where in an agent's life a pattern looks.
const (
	PreAgentStart  = "pre-agent-start"
	PreToolCall    = "pre-tool-call"
	PostToolResult = "post-tool-result"
)

// Points lists the lifecycle points.
func Points() []string { return []string{PreAgentStart, PreToolCall, PostToolResult} }

// What a pattern can be about. Secrets is the one with a meaning of its own: a
// match in it is masked when it blocks, too.
const (
	Secrets      = "secrets"
	PersonalData = "personal-data"
	Injection    = "injection"
	Exfiltration = "exfiltration"
	Shell        = "shell"
	SQL          = "sql"
	Cloud        = "cloud"
	Kubernetes   = "kubernetes"
	Persistence  = "persistence"
	Privilege    = "privilege"
	Paths        = "paths"
	Custom       = "custom"
)

// Categories lists what a pattern can be about.
func Categories() []string {
	return []string{
		Secrets, PersonalData, Injection, Exfiltration, Shell, SQL, Cloud, Kubernetes, Persistence, Privilege, Paths, Custom,
	}
}
