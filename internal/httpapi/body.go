package httpapi

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// Bodies: each is parsed once, by canon, and what is not known is refused.

const maxExpiry = 30 * 86_400 // seconds; a policy's longest is less or the same

// parseSubmission takes the members that belong to the submission and leaves the
// others to the action.
func parseSubmission(body []byte) (approvals.Submission, error) {
	tree, err := canon.Parse(body)
	if err != nil {
		return approvals.Submission{}, err
	}
	action, err := scoring.NewAction(tree, "expires_in_seconds", "revises", "attach")
	if err != nil {
		return approvals.Submission{}, err
	}
	sub := approvals.Submission{Action: action}
	if sub.ExpiresIn, err = parseExpiry(tree.Get("expires_in_seconds")); err != nil {
		return approvals.Submission{}, err
	}
	if v := tree.Get("revises"); given(v) {
		if !idForm.MatchString(v.Text()) {
			return approvals.Submission{}, fault.Member(fault.InvalidMember, "/revises", "\"revises\" isn't the id of an approval; expected the id (apr_ and 32 hex digits) of the approval whose changes were requested")
		}
		sub.Revises = v.Text()
	}
	if v := tree.Get("attach"); given(v) {
		if v.Kind() != canon.KindBool {
			return approvals.Submission{}, fault.Member(fault.InvalidMember, "/attach", "\"attach\" isn't true or false; expected one of them, or no attach")
		}
		sub.Attach = v.Bool()
	}
	return sub, nil
}

// pointCanary is the lifecycle point of a call that must not run: it is no action, so nothing
// of it is scored.
const pointCanary = "canary"

// parseCanary takes a canary; ok is false for every other body.
func parseCanary(body []byte) (nonce, failed string, ok bool, err error) {
	tree, err := canon.Parse(body)
	if err != nil || tree.Get("lifecycle_point").Text() != pointCanary {
		return "", "", false, err
	}
	if tree, err = parseObject(body, "lifecycle_point", "nonce", "failed"); err != nil {
		return "", "", true, err
	}
	for _, name := range []string{"nonce", "failed"} {
		if v := tree.Get(name); given(v) && v.Kind() != canon.KindString {
			return "", "", true, fault.Member(fault.InvalidMember, "/"+name, "%q isn't a string; expected a string", name)
		}
	}
	return tree.Get("nonce").Text(), tree.Get("failed").Text(), true, nil
}

// parseTools takes a list of tools: the result of tools/list with the name of its server.
func parseTools(body []byte) (tenants.ToolImport, error) {
	var in struct {
		Server string          `json:"server"`
		Tools  json.RawMessage `json:"tools"`
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil || in.Server == "" || len(in.Tools) == 0 || in.Tools[0] != '[' {
		return tenants.ToolImport{}, fault.New(fault.InvalidMember, "the body isn't a list of tools; expected {\"server\": name, \"tools\": [...]}, with the tools as tools/list returns them")
	}
	return tenants.ToolImport{Server: in.Server, Prefix: "mcp__" + in.Server + "__", List: in.Tools}, nil
}

// parseEnrolment takes the token and the name of the machine.
func parseEnrolment(body []byte) (token, host string, err error) {
	tree, err := parseObject(body, "token", "host")
	if err != nil {
		return "", "", err
	}
	for _, name := range []string{"token", "host"} {
		if tree.Get(name).Kind() != canon.KindString {
			return "", "", fault.Member(fault.InvalidMember, "/"+name, "%q is missing or isn't a string; expected a string", name)
		}
	}
	return tree.Get("token").Text(), tree.Get("host").Text(), nil
}

// parseAction takes an action alone: what belongs to a submission is refused.
func parseAction(body []byte) (scoring.Action, error) {
	tree, err := canon.Parse(body)
	if err != nil {
		return scoring.Action{}, err
	}
	return scoring.NewAction(tree)
}

func parseExpiry(v canon.Value) (int, error) {
	if !given(v) {
		return 0, nil
	}
	seconds, err := strconv.Atoi(v.Number())
	if err != nil || seconds < 1 || seconds > maxExpiry {
		return 0, fault.Member(fault.InvalidMember, "/expires_in_seconds", "\"expires_in_seconds\" is out of range or isn't a whole number; expected an integer from 1 to %d", maxExpiry)
	}
	return seconds, nil
}

// parseCancel accepts nothing, or an object without members.
func parseCancel(body []byte) error {
	if len(body) == 0 {
		return nil
	}
	_, err := parseObject(body)
	return err
}

var digestForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

func parseConsume(body []byte) (digest string, err error) {
	tree, err := parseObject(body, "digest")
	if err != nil {
		return "", err
	}
	digest = tree.Get("digest").Text()
	if !digestForm.MatchString(digest) {
		return "", fault.Member(fault.InvalidMember, "/digest", "\"digest\" is missing or isn't a digest; expected \"sha256:\" and 64 lowercase hex digits, as in the approval")
	}
	return digest, nil
}

func parseResult(body []byte) (status, detail string, err error) {
	tree, err := parseObject(body, "status", "detail")
	if err != nil {
		return "", "", err
	}
	status = tree.Get("status").Text()
	if status != "succeeded" && status != "failed" {
		return "", "", fault.Member(fault.InvalidMember, "/status", "\"status\" is missing or isn't an outcome; expected \"succeeded\" or \"failed\"")
	}
	said := tree.Get("detail")
	if given(said) && said.Kind() != canon.KindString {
		return "", "", fault.Member(fault.InvalidMember, "/detail", "\"detail\" isn't a string; expected a string, or no detail")
	}
	return status, said.Text(), nil
}

var questionForm = regexp.MustCompile(`^qst_[0-9a-f]{32}$`)

func parseAnswer(body []byte) (question, text string, err error) {
	tree, err := parseObject(body, "question", "text")
	if err != nil {
		return "", "", err
	}
	if question = tree.Get("question").Text(); !questionForm.MatchString(question) {
		return "", "", fault.Member(fault.InvalidMember, "/question", "\"question\" is missing or isn't the ID of a question; expected one of the approval's questions (qst_ and 32 hex digits)")
	}
	if tree.Get("text").Kind() != canon.KindString {
		return "", "", fault.Member(fault.InvalidMember, "/text", "\"text\" is missing or isn't a string; expected the answer, 1 to %d bytes", approvals.MaxAnswer)
	}
	return question, tree.Get("text").Text(), nil
}

// parseObject accepts an object with no other members than these.
func parseObject(body []byte, accepted ...string) (canon.Value, error) {
	tree, err := canon.Parse(body)
	if err != nil {
		return canon.Value{}, err
	}
	list := "no members"
	if len(accepted) > 0 {
		list = strings.Join(accepted, ", ")
	}
	if tree.Kind() != canon.KindObject {
		return canon.Value{}, fault.New(fault.InvalidMember, "the body isn't a JSON object; expected an object with %s", list)
	}
	for name := range tree.Members() {
		if !slices.Contains(accepted, name) {
			return canon.Value{}, fault.Member(fault.InvalidMember, "/"+canon.PointerEscape(name), "the member %q isn't known; expected %s", cut(name), list)
		}
	}
	return tree, nil
}

// given reports whether a member is there; null counts as absent (docs/api.md).
func given(v canon.Value) bool { return !v.IsAbsent() && v.Kind() != canon.KindNull }
