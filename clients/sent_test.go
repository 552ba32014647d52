package clients_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// The controls: with the same server and nothing wrong, the function runs once.
func TestNothingIsWrong(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l *language) {
		t.Run("approved at once", func(t *testing.T) {
			t.Parallel()
			f := newFake(t, &fake{})
			for n := 1; n <= 2; n++ {
				var got gated
				l.do(t, remove(f, 30), &got)
				right(t, got.ranOnce(removed))
				// One round trip, besides the report and the keys, which are fetched once.
				if f.count("submit") != n || f.count("wait") != 0 || f.count("consume") != 0 || f.count("keys") != 1 || f.count("result") != n {
					t.Errorf("calls: %v", f.calls)
				}
			}
		})
		t.Run("held", func(t *testing.T) {
			t.Parallel()
			f := newFake(t, &fake{held: true})
			var got gated
			l.do(t, remove(f, 30), &got)
			right(t, got.ranOnce(removed))
			if f.count("submit") != 1 || f.count("consume") != 1 || len(f.reports) != 1 || !strings.Contains(f.reports[0], `"succeeded"`) {
				t.Errorf("calls: %v, reports: %v", f.calls, f.reports)
			}
		})
		t.Run("secrets taken out", func(t *testing.T) {
			t.Parallel()
			f := &fake{}
			f.change = func(step string, _ int, a map[string]any, _ http.ResponseWriter, _ *http.Request) bool {
				if step == "submit" {
					a["assessment"] = map[string]any{"rewrites": true}
					decision(a)["effective"] = json.RawMessage(`{"function":"delete_user","arguments":{"first":"us[REDACTED:x]1","rest":[],"flag":false,"more":{}}}`)
				}
				return false
			}
			newFake(t, f)
			var got gated
			l.do(t, remove(f, 30), &got)
			right(t, got.ranOnce(`["us[REDACTED:x]1",[],false,{}]`))
		})
		t.Run("it fails", func(t *testing.T) {
			t.Parallel()
			f := newFake(t, &fake{})
			c := remove(f, 30)
			c["fails"] = true
			var got gated
			l.do(t, c, &got)
			if len(got.Ran) != 1 || !strings.Contains(got.Raised, "it broke") || len(f.reports) != 1 || !strings.Contains(f.reports[0], `"failed"`) || !strings.Contains(f.reports[0], "it broke") {
				t.Errorf("%+v, reports %v", got, f.reports)
			}
		})
	})
}

// What people and policies read of a call: its name, its words, all its arguments, and the hints.
func TestWhatIsSent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l *language) {
		f := newFake(t, &fake{})
		c := remove(f, 30)
		c["doc"] = "Permanently remove a user."
		c["options"] = map[string]any{"risk_hints": map[string]any{"production": true, "affected": 12}, "risk": "high", "environment": "staging"}
		for _, session := range []string{"ticket-1", ""} {
			if c["session"] = session; session == "" {
				delete(c, "session")
			}
			var got gated
			l.do(t, c, &got)
			right(t, got.ranOnce(removed))
			f.wantSent(t, map[string]string{
				"function": `"delete_user"`, "arguments": `{"first":"usr_1","flag":false,"more":{},"rest":[]}`, "docstring": `"Permanently remove a user."`,
				"hints": `{"affected":12,"production":true}`, "metadata": `{"risk":"high"}`, "environment": `"staging"`, "attach": "true",
				"client": `{"name":"countersign-` + l.name + `","version":"0.1.0"}`,
			})
		}
		var sessions []string
		for _, sent := range f.sent {
			sessions = append(sessions, string(sent["session_id"]))
		}
		if sessions[0] != `"ticket-1"` || len(sessions[1]) < 16 || sessions[1] == sessions[0] {
			t.Errorf("sessions %v", sessions)
		}
	})
}

// A method is asked for without its object; what runs later than its call cannot be gated.
func TestMethodsInPython(t *testing.T) {
	t.Parallel()
	f := newFake(t, &fake{})
	var got struct {
		Said    []string
		Refused int
	}
	languages[0].do(t, command{"op": "method", "url": f.URL, "key": fakeKey, "wait": 30}, &got)
	want := []string{"Acme removed usr_1", "Shop closed usr_2", "remove", "Permanently remove a user.", "usr_1"}
	if !slices.Equal(got.Said, want) || got.Refused != 3 {
		t.Errorf("%q, refused %d", got.Said, got.Refused)
	}
	if a, b := string(f.sent[0]["arguments"]), string(f.sent[1]["arguments"]); a != `{"user":"usr_1"}` || b != `{"user":"usr_2"}` {
		t.Errorf("sent %s and %s", a, b)
	}
}

// The function is called with what was asked for, whatever becomes of the caller's own objects.
func TestArgumentsAreCopied(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l *language) {
		for _, mode := range []string{"sync", "async"} {
			c := remove(newFake(t, &fake{held: true}), 30)
			c["args"], c["mutate"], c["mode"] = []any{map[string]any{"id": "usr_1"}}, true, mode
			var got gated
			l.do(t, c, &got)
			right(t, got.ranOnce(`[{"id":"usr_1"},[],false,{}]`))
		}
	})
}

// A task that is cancelled while its call is held spends nothing, though the yes comes.
func TestCancelledTasks(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	f := &fake{held: true}
	f.change = func(step string, _ int, a map[string]any, w http.ResponseWriter, r *http.Request) bool {
		if step == "wait" {
			select {
			case <-asked: // the task has ended
			case <-r.Context().Done():
			}
		}
		return false
	}
	newFake(t, f)
	c := remove(f, 30)
	c["mode"], c["cancel_after"] = "async", 0.3
	var got gated
	languages[0].do(t, c, &got)
	close(asked)
	if len(got.Ran) != 0 || !strings.Contains(got.Raised, "Cancelled") {
		t.Errorf("%+v", got)
	}
	// Another call of the same client ends after it, and is the only one that spends.
	got = gated{}
	languages[0].do(t, remove(f, 30), &got)
	right(t, got.ranOnce(removed))
	if n := f.count("consume"); n != 1 {
		t.Errorf("%d grants were spent", n)
	}
}
