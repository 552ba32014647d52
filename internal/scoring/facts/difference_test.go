package facts

import (
	"fmt"
	"slices"
	"testing"

	"github.com/countersign/countersign/internal/scoring/call"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	was := &call.Call{
		Function: "delete_user", Environment: "staging", Code: "a",
		Arguments: parse(t, `{"user_id":"usr_1","dry_run":true,"n":1,"list":["a","b"],"e":{}}`),
	}
	now := &call.Call{
		Function: "delete_user", Environment: "production", Code: "b",
		Arguments: parse(t, `{"user_id":"usr_2","n":"1","list":["a"],"e":{},"email":"a@example.com"}`),
	}
	d := Compare(was, now)
	values := make([]string, len(d.Values))
	for i, v := range d.Values {
		values[i] = fmt.Sprintf("%s %s%s %s>%s", v.How, v.Now.Pointer, map[bool]string{true: v.Was.Pointer}[v.How == Removed], v.Was.Text, v.Now.Text)
	}
	if want := []string{
		"same /arguments/e >", "added /arguments/email >a@example.com", "same /arguments/list/0 a>a", "changed /arguments/n 1>1",
		"changed /arguments/user_id usr_1>usr_2", "removed /arguments/dry_run true>", "removed /arguments/list/1 b>",
	}; !slices.Equal(values, want) {
		t.Errorf("got  %q\nwant %q", values, want)
	}
	if d.Code != Changed || d.Count() != 5 {
		t.Errorf("the code is %s, %d differ", d.Code, d.Count())
	}
}

func TestCompareNothing(t *testing.T) {
	t.Parallel()
	in := &call.Call{Function: "f", Arguments: parse(t, `{"user_id":"u","to":["a@example.com","a@example.com"]}`), Code: "x"}
	d := Compare(in, in)
	if d.Count() != 0 {
		t.Errorf("%d differ from itself", d.Count())
	}
	if d := Compare(&call.Call{}, &call.Call{}); d.Count() != 0 || len(d.Values) != 0 {
		t.Errorf("nothing differs from nothing: %v", d)
	}
}
