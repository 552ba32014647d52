package scoring

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// tree parses a body that the gate accepts.
func tree(t testing.TB, body string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return v
}

// action is an action that is accepted.
func action(t testing.TB, body string) Action {
	t.Helper()
	a, err := NewAction(tree(t, body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return a
}

func TestNewActionRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ body, member, detail string }{
		{`[]`, "", "is an array"},
		{`"x"`, "", "is a string"},
		{`{}`, "/function", "is missing"},
		{`{"function":null}`, "/function", "is missing"},
		{`{"function":""}`, "/function", "is empty"},
		{`{"function":7}`, "/function", "is a number; expected a non-empty string"},
		{`{"function":"a\nb"}`, "/function", "control character"},
		{`{"function":"a\u0085b"}`, "/function", "control character"},
		{`{"function":"` + strings.Repeat("é", 256) + `x"}`, "/function", "too long"},
		{`{"function":"f","arguments":"x"}`, "/arguments", "is a string; expected an object or an array"},
		{`{"function":"f","docstring":{}}`, "/docstring", "is an object"},
		{`{"function":"f","code":1}`, "/code", "is a number"},
		{`{"function":"f","action_type":true}`, "/action_type", "is a boolean"},
		{`{"function":"f","hints":[]}`, "/hints", "is an array; expected an object"},
		{`{"function":"f","metadata":"x"}`, "/metadata", "is a string"},
		{`{"function":"f","session_id":1}`, "/session_id", "is a number"},
		{`{"function":"f","session_id":"` + strings.Repeat("x", 257) + `"}`, "/session_id", "too long"},
		{`{"function":"f","tool_call_id":"` + strings.Repeat("x", 257) + `"}`, "/tool_call_id", "too long"},
		{`{"function":"f","environment":"` + strings.Repeat("x", 257) + `"}`, "/environment", "too long"},
		{`{"function":"f","justification":[]}`, "/justification", "is an array"},
		{`{"function":"f","lifecycle_point":"later"}`, "/lifecycle_point", "expected one of pre-agent-start, pre-tool-call, post-tool-result"},
		{`{"function":"f","lifecycle_point":""}`, "/lifecycle_point", "expected one of"},
		{`{"function":"f","content":"x"}`, "/content", "present at pre-tool-call"},
		{`{"function":"f","Function":"g"}`, "/Function", "expected function, arguments"},
		{`{"function":"f","a/b~c":1}`, "/a~1b~0c", "isn't known"},
		{`{"function":"f","revises":"apr_1"}`, "/revises", "isn't known"},
	} {
		_, err := NewAction(tree(t, test.body))
		if !fault.Is(err, fault.InvalidMember) {
			t.Errorf("%.80s: got %v, want a refusal", test.body, err)
			continue
		}
		if f := fault.As(err); f.Member != test.member || !strings.Contains(f.Detail, test.detail) {
			t.Errorf("%.80s: got member %q, detail %q", test.body, f.Member, f.Detail)
		}
	}
	if _, err := NewAction(canon.Value{}); !fault.Is(err, fault.InvalidMember) {
		t.Errorf("nothing at all: got %v", err)
	}
}

func TestNewActionAccepts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ body, canonical string }{
		{`{"function":"f"}`, `{"function":"f"}`},
		{`{"function":"حذف 🗑\u200f"}`, `{"function":"حذف 🗑` + "\u200f" + `"}`},
		{`{"function":"` + strings.Repeat("x", 512) + `"}`, `{"function":"` + strings.Repeat("x", 512) + `"}`},
		{`{"function":"f","arguments":null,"code":null,"hints":null}`, `{"function":"f"}`},
		{`{"function":"f","arguments":{},"code":"","environment":""}`, `{"arguments":{},"code":"","environment":"","function":"f"}`},
		{`{"function":"f","arguments":[null,{"a":null}]}`, `{"arguments":[null,{"a":null}],"function":"f"}`},
		{`{"lifecycle_point":"post-tool-result","content":"x"}`, `{"content":"x","lifecycle_point":"post-tool-result"}`},
		{`{"lifecycle_point":"pre-agent-start"}`, `{"lifecycle_point":"pre-agent-start"}`},
		{`{"function":"f","lifecycle_point":null}`, `{"function":"f"}`},
	} {
		if got := string(action(t, test.body).Canonical()); got != test.canonical {
			t.Errorf("%s: got %s", test.body, got)
		}
	}
	a, err := NewAction(tree(t, `{"function":"f","revises":7,"expires_in_seconds":"x"}`), "revises", "expires_in_seconds")
	if err != nil || string(a.Canonical()) != `{"function":"f"}` {
		t.Errorf("members of the submission: got %s, %v", a.Canonical(), err)
	}
	if action(t, `{"function":"f"}`).LifecyclePoint() != PreToolCall {
		t.Error("the lifecycle point has no default")
	}
}

// The digest covers the semantic act and nothing else.
func TestDigest(t *testing.T) {
	t.Parallel()
	base := action(t, `{"function":"f","arguments":{"a":1},"environment":"x"}`)
	if want := canon.Digest(tree(t, `{"function":"f","arguments":{"a":1},"environment":"x"}`)); base.Digest() != want {
		t.Errorf("got %s, want %s", base.Digest(), want)
	}
	for _, same := range []string{
		`{"environment":"x","arguments":{"a":1.0},"function":"f"}`,
		`{"function":"f","arguments":{"a":1},"environment":"x","docstring":"d","justification":"j","hints":{"h":1},"metadata":{"m":1},"session_id":"s","tool_call_id":"t","code":null}`,
	} {
		if got := action(t, same).Digest(); got != base.Digest() {
			t.Errorf("%s: another digest", same)
		}
	}
	for _, other := range []string{
		`{"function":"g","arguments":{"a":1},"environment":"x"}`,
		`{"function":"f","arguments":{"a":2},"environment":"x"}`,
		`{"function":"f","arguments":{"a":1}}`,
		`{"function":"f","arguments":{"a":1},"environment":"x","code":""}`,
		`{"function":"f","arguments":{"a":1},"environment":"x","action_type":"t"}`,
		`{"function":"f","arguments":{"a":"1"},"environment":"x"}`,
	} {
		if got := action(t, other).Digest(); got == base.Digest() {
			t.Errorf("%s: the same digest", other)
		}
	}
}
