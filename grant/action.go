package grant

import (
	"fmt"
	"slices"

	"github.com/countersign/countersign/internal/canon"
)

// MaxActionBytes is the largest action that can have been submitted.
const MaxActionBytes = canon.MaxBytes

// covered are the members that a digest covers.
func covered() []string {
	return []string{"function", "arguments", "code", "action_type", "environment", "content"}
}

// Digest is what a grant binds and what consume must name: "sha256:" and 64 hex
// digits over the RFC 8785 form of action, the JSON object {function, arguments,
// code, action_type, environment, content}. A member that is null counts as
// absent; {}, [] and "" stay.
//
// Every other member is refused, also those that a submission may have
// (docstring, justification, hints, metadata, …): the digest does not cover
// them, and a digest that seems to cover what it does not is worse than none.
// Refused is, too, whatever the server would refuse to read (a name twice, a
// number that no double holds, more than MaxActionBytes). The error is ErrAction.
func Digest(action []byte) (string, error) {
	tree, err := parse(action)
	if err != nil {
		return "", err
	}
	names := covered()
	var act []canon.Member
	for name, value := range tree.Members() {
		if !slices.Contains(names, name) {
			return "", fmt.Errorf("%w: the digest does not cover %.60q; pass only %v", ErrAction, name, names)
		}
		if value.Kind() != canon.KindNull {
			act = append(act, canon.Member{Name: name, Value: value})
		}
	}
	if len(act) == 0 {
		return "", fmt.Errorf("%w: it has no members, so there is nothing to run", ErrAction)
	}
	return canon.Digest(canon.Object(act...)), nil
}

// Act is the part of a whole action that a digest covers, in RFC 8785 form: what
// to run of decision.effective, which the server answers where an operator edited
// the arguments before approving. Its other members (docstring, session_id, …) are
// left out, as they are not approved. The error is ErrAction.
//
// Where effective is null there is nothing to do: run what was submitted.
func Act(effective []byte) ([]byte, error) {
	tree, err := parse(effective)
	if err != nil {
		return nil, err
	}
	var act []canon.Member
	for _, name := range covered() {
		if v := tree.Get(name); !v.IsAbsent() && v.Kind() != canon.KindNull {
			act = append(act, canon.Member{Name: name, Value: v})
		}
	}
	if len(act) == 0 {
		return nil, fmt.Errorf("%w: it has none of %v, so there is nothing to run", ErrAction, covered())
	}
	return canon.Object(act...).Canonical(), nil
}

// parse reads an object through the gate.
func parse(action []byte) (canon.Value, error) {
	tree, err := canon.Parse(action)
	if err != nil {
		return tree, fmt.Errorf("%w: %w", ErrAction, err)
	}
	if tree.Kind() != canon.KindObject {
		return tree, fmt.Errorf("%w: it must be an object, is %s", ErrAction, tree.Kind())
	}
	return tree, nil
}
