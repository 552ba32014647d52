package clients_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// quick lets a person decide at once, and edit.
const quick = `challenges: {low: none, medium: confirm, high: confirm, critical: confirm}
min_review_seconds: {low: 0, medium: 0, high: 0, critical: 0}
edit_before_approve: {low: true, medium: true, high: true, critical: true}
`

const password = "correct horse battery staple"

// begin starts a call and answers where its end is told.
func begin(l *language, c command) chan gated {
	ended := make(chan gated, 1)
	go func() {
		var got gated
		if err := l.ask(c, &got); err != nil {
			got.Raised = err.Error()
		}
		ended <- got
	}()
	return ended
}

// names gives each client, and each way to call in Python, functions of its own.
func eachWay(t *testing.T, f func(t *testing.T, l *language, mode, suffix string)) {
	t.Helper()
	for _, l := range languages {
		modes := []string{"async"}
		if l.name == "python" {
			modes = []string{"sync", "async"}
		}
		for _, mode := range modes {
			t.Run(l.name+" "+mode, func(t *testing.T) {
				t.Parallel()
				f(t, l, mode, "_"+l.name+"_"+mode)
			})
		}
	}
}

func TestRealServer(t *testing.T) {
	t.Parallel()
	s := realSite(t)
	eachWay(t, func(t *testing.T, l *language, mode, suffix string) {
		calls := func(function string, args ...any) command {
			c := s.call(function+suffix, args...)
			c["mode"] = mode
			return c
		}
		t.Run("harmless", func(t *testing.T) {
			var got gated
			l.do(t, calls("list_orders", "open"), &got)
			right(t, got.ranOnce(`["open",[],false,{}]`))
			a := s.next(t, "list_orders"+suffix)
			if e := s.read(t, a.ID).Execution; a.Level != "LOW" || a.Status != "approved" || e == nil || e.State != "reported" || e.Status != "succeeded" {
				t.Errorf("%+v, execution %+v", a, e)
			}
		})
		t.Run("approved", func(t *testing.T) {
			c := calls("update_order", "ord_1", "a", true)
			c["kwargs"] = map[string]any{"flag": true}
			ended := begin(l, c)
			a := s.next(t, "update_order"+suffix)
			s.decide(t, a.ID, "approve", "")
			got := <-ended
			right(t, got.ranOnce(`["ord_1",["a",true],true,{}]`))
			if mode == "async" && got.Ticks == 0 {
				t.Error("the loop stood still while the call was held")
			}
		})
		t.Run("denied", func(t *testing.T) {
			ended := begin(l, calls("update_price", "sku_1"))
			s.decide(t, s.next(t, "update_price"+suffix).ID, "deny", "Not during the freeze.")
			got := <-ended
			right(t, got.deniedAs("denied"))
			if got.Denied != nil && got.Denied.Reason != "Not during the freeze." {
				t.Errorf("the reason is %q", got.Denied.Reason)
			}
		})
		t.Run("changes requested", func(t *testing.T) {
			ended := begin(l, calls("update_stock", "sku_1"))
			s.decide(t, s.next(t, "update_stock"+suffix).ID, "request_changes", "Only sku_2.")
			right(t, (<-ended).deniedAs("changes_requested"))
		})
		t.Run("edited", func(t *testing.T) {
			ended := begin(l, calls("update_address", "usr_1", json.Number("1234567890123456789")))
			a := s.next(t, "update_address"+suffix)
			s.edit(t, a.ID, `{"first": "usr_2", "rest": [1234567890123456790, 1000000000000000000001], "flag": false, "more": {}}`)
			s.decide(t, a.ID, "approve", "")
			right(t, (<-ended).ranOnce(`["usr_2",[1234567890123456790,1000000000000000000001],false,{}]`))
			if e := s.read(t, a.ID).Execution; e == nil || e.Status != "succeeded" {
				t.Errorf("execution %+v", e)
			}
		})
		t.Run("an edit that does not fit", func(t *testing.T) {
			ended := begin(l, calls("update_phone", "usr_1"))
			a := s.next(t, "update_phone"+suffix)
			s.edit(t, a.ID, `{"first": "usr_2", "rest": [], "flag": false, "more": {}, "extra": 1}`)
			s.decide(t, a.ID, "approve", "")
			right(t, (<-ended).deniedAs("edited"))
			if e := s.read(t, a.ID).Execution; e == nil || e.Status != "failed" {
				t.Errorf("execution %+v", e)
			}
		})
		t.Run("it fails", func(t *testing.T) {
			c := calls("get_order", "ord_1")
			c["fails"] = true
			var got gated
			l.do(t, c, &got)
			e := s.read(t, s.next(t, "get_order"+suffix).ID).Execution
			if len(got.Ran) != 1 || !strings.Contains(got.Raised, "it broke") || e == nil || e.Status != "failed" || !strings.Contains(e.Detail, "it broke") {
				t.Errorf("%+v, execution %+v", got, e)
			}
		})
		// The first gives up; a yes that comes later serves the identical call, once.
		t.Run("the patience ends", func(t *testing.T) {
			c := calls("update_email", "usr_1")
			c["wait"] = 1
			var got gated
			l.do(t, c, &got)
			right(t, got.deniedAs("pending"))
			a := s.next(t, "update_email"+suffix)
			s.decide(t, a.ID, "approve", "")
			got = gated{}
			l.do(t, calls("update_email", "usr_1"), &got)
			right(t, got.ranOnce(`["usr_1",[],false,{}]`))
			if b := s.next(t, "update_email"+suffix); b.ID != a.ID || b.created {
				t.Errorf("people were asked again: %+v after %+v", b, a)
			}
			ended := begin(l, calls("update_email", "usr_1"))
			if b := s.next(t, "update_email"+suffix); b.ID == a.ID || b.Status != "pending" {
				t.Errorf("one yes served twice: %+v", b)
			} else {
				s.decide(t, b.ID, "deny", "once is enough")
			}
			right(t, (<-ended).deniedAs("denied"))
		})
	})
}

// The server is killed while a call is held, and comes back: nothing is lost.
func TestTheServerRestarts(t *testing.T) {
	s, err := newSite()
	if err != nil {
		t.Fatal(err)
	}
	var ended []chan gated
	var ids []string
	for _, l := range languages {
		ended = append(ended, begin(l, s.call("update_order_"+l.name, "ord_1")))
		ids = append(ids, s.next(t, "update_order_"+l.name).ID)
	}
	s.stop()
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	for i, id := range ids {
		s.decide(t, id, "approve", "")
		right(t, (<-ended[i]).ranOnce(`["ord_1",[],false,{}]`))
	}
}

// The operations one by one, as a program uses them that wants more than the gate.
func TestOperations(t *testing.T) {
	t.Parallel()
	s := realSite(t)
	each(t, func(t *testing.T, l *language) {
		type answer struct {
			Result  json.RawMessage
			Raised  string
			Problem *struct {
				Code, Detail, Instance string
				Status                 int
				Errors                 []any
			}
		}
		ask := func(method string, args []any, kwargs map[string]any) (a answer) {
			t.Helper()
			l.do(t, command{"op": "call", "url": s.door.URL, "key": s.key, "wait": 60, "method": method, "args": args, "kwargs": kwargs}, &a)
			return a
		}
		result := func(a answer, into any) {
			t.Helper()
			if err := json.Unmarshal(a.Result, into); err != nil {
				t.Fatalf("%s, raised %q, problem %+v", a.Result, a.Raised, a.Problem)
			}
		}
		var self struct{ Name, Tenant string }
		if result(ask("agent", nil, nil), &self); self.Name != "shop" || self.Tenant != "acme" {
			t.Errorf("agent: %+v", self)
		}
		function := "update_ticket_" + l.name
		act := map[string]any{"function": function, "arguments": map[string]any{"id": json.Number("9007199254740993")}}
		var dry struct {
			Status, Digest string
			DryRun         bool `json:"dry_run"`
		}
		if result(ask("assess", []any{function, act["arguments"]}, nil), &dry); !dry.DryRun || dry.Status != "pending" {
			t.Errorf("assess: %+v", dry)
		}
		members := map[string]any{"docstring": "Changes a ticket.", "session_id": "ops-" + l.name, "idempotency_key": "ops-" + l.name}
		var a, b struct{ ID, Status, Digest string }
		result(ask("submit", []any{function, act["arguments"]}, members), &a)
		result(ask("submit", []any{function, act["arguments"]}, members), &b)
		if a.ID != b.ID || a.Status != "pending" || a.Digest != dry.Digest {
			t.Errorf("submitted %+v, again %+v; the dry run has %s", a, b, dry.Digest)
		}
		if early := ask("consume", []any{a.ID, a.Digest}, nil); early.Problem == nil || early.Problem.Code != "not-approved" || early.Problem.Status != 409 || early.Problem.Instance == "" {
			t.Errorf("consumed early: %+v", early.Problem)
		}
		s.decide(t, a.ID, "approve", "")
		waited := ask("wait", []any{a.ID}, nil) // resumed with the id alone
		if result(waited, &b); b.Status != "approved" {
			t.Errorf("waited: %+v", b)
		}
		var proven []json.RawMessage
		result(ask("verify", []any{waited.Result, act}, nil), &proven)
		if len(proven) != 2 || string(proven[1]) != `"`+a.Digest+`"` {
			t.Fatalf("verified: %s", proven)
		}
		if other := ask("verify", []any{waited.Result, map[string]any{"function": function, "arguments": map[string]any{"id": json.Number("9007199254740992")}}}, nil); !strings.Contains(other.Raised, "Unproven") {
			t.Errorf("another act: %+v", other)
		}
		key := map[string]any{"idempotency_key": "run-" + l.name}
		if spent := ask("consume", []any{a.ID, a.Digest}, key); spent.Problem != nil || spent.Raised != "" {
			t.Errorf("consume: %+v", spent)
		}
		if again := ask("consume", []any{a.ID, a.Digest}, key); !strings.Contains(again.Raised, "Unproven") {
			t.Errorf("a replay is no yes: %+v", again)
		}
		if again := ask("consume", []any{a.ID, a.Digest}, nil); again.Problem == nil || again.Problem.Code != "already-consumed" {
			t.Errorf("twice: %+v", again)
		}
		var ran struct {
			Execution struct{ State, Status, Detail string }
		}
		if result(ask("report", []any{a.ID, "succeeded", "it is changed"}, nil), &ran); ran.Execution.State != "reported" || ran.Execution.Detail != "it is changed" {
			t.Errorf("report: %+v", ran)
		}
		result(ask("submit", []any{function, map[string]any{"id": 2}}, nil), &b)
		if none := ask("answer", []any{b.ID, "qst_" + strings.Repeat("0", 32), "OPS-41"}, nil); none.Problem == nil || none.Problem.Code != "invalid-member" {
			t.Errorf("an answer to what nobody asked: %+v", none)
		}
		if result(ask("cancel", []any{b.ID}, nil), &b); b.Status != "cancelled" {
			t.Errorf("cancel: %+v", b)
		}
		if bad := ask("submit", []any{function, "text"}, nil); bad.Problem == nil || bad.Problem.Code != "invalid-member" || len(bad.Problem.Errors) == 0 {
			t.Errorf("a bad member: %+v", bad.Problem)
		}
		if none := ask("get", []any{"apr_" + strings.Repeat("0", 32)}, nil); none.Problem == nil || none.Problem.Code != "not-found" {
			t.Errorf("nobody's approval: %+v", none.Problem)
		}
	})
}
