package scoring

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// NoSecrets refuses a policy that holds a secret, or the mask of one, that the policy before
// does not hold: a policy is kept, shown and told in the trail as it is, and masked it would
// be another one. Only the patterns that come with the program say what a secret is: the
// examples of the policy's own patterns are what these find.
func (p Policy) NoSecrets(before Policy) error {
	known := map[string]bool{}
	if err := before.eachText(func(_, text string) bool { known[text] = true; return true }); err != nil {
		return err
	}
	var refused error
	err := p.eachText(func(pointer, text string) bool {
		if !known[text] && HoldsSecret(text) {
			refused = fault.Member(fault.InvalidMember, MaskText(pointer), "contains a secret, and a policy is stored and shown as it is; leave it out (in an example, use a made-up value with a different beginning, or a shorter one)")
		}
		return refused == nil
	})
	if err != nil {
		return err
	}
	return refused
}

// eachText calls fn for each name, text and number of the policy's JSON, until it answers
// false.
func (p Policy) eachText(fn func(pointer, text string) bool) error {
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	var tree any
	read := json.NewDecoder(bytes.NewReader(b))
	read.UseNumber()
	if err := read.Decode(&tree); err != nil {
		return err
	}
	eachText(tree, "", fn)
	return nil
}

func eachText(v any, at string, fn func(pointer, text string) bool) bool {
	switch v := v.(type) {
	case string:
		return fn(at, v)
	case json.Number:
		return fn(at, v.String())
	case []any:
		for i, one := range v {
			if !eachText(one, at+"/"+strconv.Itoa(i), fn) {
				return false
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			below := at + "/" + canon.PointerEscape(name)
			if !fn(at, name) || !eachText(v[name], below, fn) {
				return false
			}
		}
	}
	return true
}
