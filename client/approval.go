package client

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
)

// What an approval's status can be. All but Pending are final.
const (
	Pending          = "pending"
	Approved         = "approved"
	Blocked          = "blocked"
	Denied           = "denied"
	ChangesRequested = "changes_requested"
	Expired          = "expired"
	Cancelled        = "cancelled"
)

// Approval is what this package needs of one.
type Approval struct {
	ID         string     `json:"id"`
	Status     string     `json:"status"`
	Level      string     `json:"level"`
	Digest     string     `json:"digest"`
	ConsoleURL string     `json:"console_url"`
	Decision   *Decision  `json:"decision"`
	Execution  *Execution `json:"execution"`
	Questions  []Question `json:"questions"` // what people ask about it; see Client.Answer
	Assessment struct {
		Rewrites bool `json:"rewrites"`
	} `json:"assessment"`
}

// Question is what somebody who decides asks, and what was answered.
type Question struct {
	ID     string  `json:"id"`
	Text   string  `json:"text"`
	Answer *string `json:"answer"` // nil until it is answered
}

// Decision is what was decided, and by whom.
type Decision struct {
	Reason    string          `json:"reason"`
	Digest    string          `json:"digest"` // what to consume; "" unless approved
	Grant     string          `json:"grant"`
	Effective json.RawMessage `json:"effective"` // the whole action where it was edited or redacted, else null
	Voided    *Voided         `json:"voided"`    // nil unless the grant became void before it was used
	DecidedBy []struct {
		Kind string `json:"kind"`
	} `json:"decided_by"`
}

// Voided is that somebody withdrew the approval, or that it needs stricter review now.
type Voided struct {
	Reason string `json:"reason"`
}

// Execution is what is known of the run.
type Execution struct {
	State  string `json:"state"` // consumed or reported
	Status string `json:"status"`
	Detail string `json:"detail"`
}

var (
	idForm     = regexp.MustCompile(`^apr_[0-9a-f]{32}$`)
	digestForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	levels     = []string{"LOW", "MEDIUM", "HIGH", "CRITICAL"}
	statuses   = []string{Pending, Approved, Blocked, Denied, ChangesRequested, Expired, Cancelled}
)

// check refuses an answer with something missing or unknown in what decides.
func (a *Approval) check() error {
	switch {
	case !idForm.MatchString(a.ID):
		return errors.New("it names no approval")
	case !slices.Contains(statuses, a.Status):
		return errors.New("its status is not known here")
	case !slices.Contains(levels, a.Level):
		return errors.New("its level is not known here")
	case !digestForm.MatchString(a.Digest):
		return errors.New("it has no digest")
	case a.Status != Pending && a.Decision == nil:
		return errors.New("it is final without a decision")
	case a.Status == Approved && (!digestForm.MatchString(a.Decision.Digest) || a.Decision.Grant == ""):
		return errors.New("it is approved without a grant or the digest of it")
	}
	if !strings.HasPrefix(a.ConsoleURL, "http://") && !strings.HasPrefix(a.ConsoleURL, "https://") || OneLine(a.ConsoleURL, 2000) != a.ConsoleURL {
		a.ConsoleURL = ""
	}
	return nil
}

// ByPolicy reports whether the policy decided, and not a person.
func (a *Approval) ByPolicy() bool {
	return a.Decision != nil && len(a.Decision.DecidedBy) > 0 && a.Decision.DecidedBy[0].Kind == "policy"
}

// Void reports whether it was approved and may not run all the same.
func (a *Approval) Void() bool { return a.Decision != nil && a.Decision.Voided != nil }

// spent reports whether the answer says that the grant is spent.
func (a *Approval) spent() bool { return a.Execution != nil && a.Execution.State == "consumed" }

// Why says in one line why an approval that is no yes is none.
func (a *Approval) Why() string {
	if a.Void() {
		return strings.TrimSuffix("the approval was withdrawn. "+OneLine(a.Decision.Voided.Reason, 1000), ". ")
	}
	reason := ""
	if a.Decision != nil {
		reason = OneLine(a.Decision.Reason, 1000)
	}
	said := map[string]string{
		Blocked: "blocked by the policy", Denied: "denied", ChangesRequested: "changes were requested: change the call and try again",
		Expired: "nobody decided in time, which is a no", Cancelled: "the request was taken back",
	}[a.Status]
	if a.Status == Expired || reason == "" {
		return said
	}
	return said + ". " + reason
}
