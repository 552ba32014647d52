package fault_test

import (
	"reflect"
	"testing"

	"github.com/countersign/countersign/internal/fault"
)

func TestDetailsAreTexts(t *testing.T) {
	t.Parallel()
	kind := fault.Textf("a %s", "number")
	f := fault.Member(fault.InvalidMember, "/a", "%q is %s", "100 %s", kind)
	if f.Detail != `"100 %s" is a number` || f.Text().String() != f.Detail {
		t.Errorf("the detail is %q, its text %q", f.Detail, f.Text())
	}
	if format, args := f.Phrase(); format != "%q is %s" || !reflect.DeepEqual(args, []any{"100 %s", kind}) {
		t.Errorf("the phrase is %q, %v", format, args)
	}
	f.Detail += "; 5 %"
	if format, args := f.Phrase(); format != f.Detail || args != nil {
		t.Errorf("a detail that was changed is said as %q, %v", format, args)
	}
	if format, args := (&fault.Error{Detail: "5 %s"}).Phrase(); format != "5 %s" || args != nil {
		t.Errorf("a detail without a format is said as %q, %v", format, args)
	}
	if joined := fault.Join([]fault.Text{kind, fault.Verbatim("%d"), {}}, "; "); joined.String() != "a number; %d; " || joined.Empty() {
		t.Errorf("joined: %q", joined)
	}
}
