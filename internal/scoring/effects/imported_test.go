package effects

import (
	"testing"

	"github.com/countersign/countersign/internal/canon"
)

// What a server says of a tool raises a read, and never more.
func TestDescribed(t *testing.T) {
	t.Parallel()
	yes := func(name string) canon.Value { return canon.Object(canon.Member{Name: name, Value: canon.Bool(true)}) }
	no := canon.Object(canon.Member{Name: "destructiveHint", Value: canon.Bool(false)})
	for _, c := range []struct {
		function, description string
		annotations           canon.Value
		want                  Kind
	}{
		{"get_ride", "Book a ride for the user.", canon.Value{}, Money},
		{"get_ride", "Returns the rides of the user.", canon.Value{}, ""},
		{"get_ride", "", yes("destructiveHint"), Delete},
		{"get_ride", "", no, ""},
		{"get_ride", "", yes("readOnlyHint"), ""},
		{"create_ride", "Deletes every ride.", canon.Value{}, ""},
	} {
		if got := Described(c.function, c.description, c.annotations); got != c.want {
			t.Errorf("%s, %q: got %q, want %q", c.function, c.description, got, c.want)
		}
	}
}

func TestSuggested(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		server, tool string
		readOnly     bool
		want         Kind
	}{
		{"elsewhere", "frobnicate", true, Read},
		{"elsewhere", "frobnicate", false, ""},
		{"elsewhere", "delete_frob", true, ""}, // a name with a verb is not lowered by an annotation
		{"elsewhere", "get_frob", true, ""},
	} {
		if got := Suggested(c.server, c.tool, c.readOnly); got != c.want {
			t.Errorf("%s of %s: got %q, want %q", c.tool, c.server, got, c.want)
		}
	}
}

// A tool says what is done in place of the name, and never in place of an argument.
func TestGivenATool(t *testing.T) {
	t.Parallel()
	deleting := canon.Object(canon.Member{Name: "operation", Value: canon.String("delete")})
	for _, c := range []struct {
		about     string
		function  string
		arguments canon.Value
		given     Given
		want      Kind
	}{
		{"accepted", "frobnicate", canon.Value{}, Given{Tool: &Tool{Effect: Read}}, Read},
		{"accepted, and an argument says otherwise", "frobnicate", deleting, Given{Tool: &Tool{Effect: Read}}, Delete},
		{"described", "get_ride", canon.Value{}, Given{Tool: &Tool{Raises: Money}}, Money},
		{"described, and accepted", "get_ride", canon.Value{}, Given{Tool: &Tool{Raises: Money, Effect: Read}}, Read},
		{"described, of a name that does more", "delete_ride", canon.Value{}, Given{Tool: &Tool{Raises: Write}}, Delete},
		{"accepted before", "frobnicate", canon.Value{}, Given{Before: Delete}, Delete},
		{"accepted before as less", "delete_ride", canon.Value{}, Given{Before: Read}, Delete},
	} {
		got := Examine(Input{Function: c.function, Arguments: c.arguments}).Effects(c.given)
		if got[0].Kind != c.want {
			t.Errorf("%s: got %+v, want %s", c.about, got, c.want)
		}
	}
}
