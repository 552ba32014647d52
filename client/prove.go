package client

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/countersign/countersign/grant"
	"github.com/countersign/countersign/internal/canon"
)

// errProof is why an approval is not believed.
var errProof = errors.New("the approval can't be proven")

func isProof(err error) bool { return errors.Is(err, errProof) }

// prove returns the act that an approval allows. It is the own one; or one with other
// arguments, and then the grant is for that; or the own one without its secrets, and
// then the grant is for the own one and the difference is nothing but secrets.
func (q question) prove(ctx context.Context, a Approval) (act []byte, changed bool, err error) {
	fail := func(why string) ([]byte, bool, error) { return nil, false, fmt.Errorf("%w: %s", errProof, why) }
	act, signed := q.own.Canonical(), q.own.Canonical()
	if text := string(a.Decision.Effective); text != "" && text != "null" {
		if act, err = grant.Act(a.Decision.Effective); err != nil {
			return fail("the act in force can't be read")
		}
		effective, err := canon.Parse(act)
		if err != nil {
			return fail("the act in force can't be read")
		}
		switch {
		case a.Assessment.Rewrites:
			if !onlyRedacted(q.own, effective) {
				return fail("more than secrets was taken out of the call")
			}
		case !onlyArguments(q.own, effective):
			return fail("more than the arguments was edited")
		default:
			signed = act
		}
		changed = true
	}
	digest, err := grant.Digest(signed)
	if err != nil || digest != a.Decision.Digest {
		return fail("its digest is that of another act")
	}
	if _, err := q.Client.pins.verify(ctx, a.Decision.Grant, a.ID, signed); err != nil {
		if _, again := temporary(err); again {
			return nil, false, err
		}
		if errors.Is(err, grant.ErrExpired) {
			return fail("the grant has expired, or this machine's clock is fast")
		}
		return fail(err.Error())
	}
	return act, changed, nil
}

// onlyArguments reports whether two acts have everything but their arguments in common.
func onlyArguments(own, other canon.Value) bool {
	return without(own, "arguments").Equal(without(other, "arguments"))
}

func without(act canon.Value, left string) canon.Value {
	var members []canon.Member
	for name, value := range act.Members() {
		if name != left && value.Kind() != canon.KindNull {
			members = append(members, canon.Member{Name: name, Value: value})
		}
	}
	return canon.Object(members...)
}

// onlyRedacted reports whether other is own with parts of texts replaced by
// [REDACTED:…], and nothing else.
func onlyRedacted(own, other canon.Value) bool {
	if own.Kind() != other.Kind() || own.Len() != other.Len() {
		return false
	}
	switch own.Kind() {
	case canon.KindString:
		return redactedText(own.Text(), other.Text())
	case canon.KindArray:
		for i, v := range own.Elements() {
			if !onlyRedacted(v, other.Element(i)) {
				return false
			}
		}
		return true
	case canon.KindObject:
		for name, v := range own.Members() {
			if !onlyRedacted(v, other.Get(name)) {
				return false
			}
		}
		return true
	}
	return own.Equal(other)
}

// redacted is how the server marks what it took out.
var redacted = regexp.MustCompile(`\[REDACTED:[^\]]*\]`)

// redactedText reports whether other is own with parts replaced: what stands between
// the marks stands in own in the same order, the first at its begin and the last at
// its end. The leftmost place for each is as good as any.
func redactedText(own, other string) bool {
	kept := redacted.Split(other, -1)
	first, last := kept[0], kept[len(kept)-1]
	if len(kept) == 1 {
		return own == other
	}
	own, begins := strings.CutPrefix(own, first)
	own, ends := strings.CutSuffix(own, last)
	for _, text := range kept[1 : len(kept)-1] {
		_, rest, found := strings.Cut(own, text)
		if !found {
			return false
		}
		own = rest
	}
	return begins && ends
}
