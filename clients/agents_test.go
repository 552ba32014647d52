//go:build agents

package clients_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// frameworks are the packages that an adapter is for, and their versions in this test.
var frameworks = map[string]string{"ai": "7.0.173", "langchain": "1.5.14", "@langchain/langgraph": "1.7.3", "@openai/agents": "0.20.0"}

// TestAgentsFrameworks runs the real frameworks: COUNTERSIGN_AGENTS_DIR is a folder whose
// node_modules has them (make frameworks installs one, and make agents runs it). The ordinary tests have
// what they sent, recorded.
func TestAgentsFrameworks(t *testing.T) {
	from := os.Getenv("COUNTERSIGN_AGENTS_DIR")
	dir, err := packed()
	if err != nil {
		t.Fatal(err)
	}
	for name, version := range frameworks {
		text, err := os.ReadFile(filepath.Join(from, "node_modules", name, "package.json"))
		if err != nil {
			t.Fatal(err)
		}
		var is struct{ Version string }
		if err := json.Unmarshal(text, &is); err != nil || is.Version != version {
			t.Errorf("%s is %s, want %s", name, is.Version, version)
		}
	}
	for _, name := range []string{"ai", "langchain", "@langchain", "@openai", "zod"} {
		if err := os.Symlink(filepath.Join(from, "node_modules", name), filepath.Join(dir, "js", "node_modules", name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("types", func(t *testing.T) { compile(t, filepath.Join(dir, "js"), "frameworks", "--skipLibCheck") })
	l := languages[1]
	s := realSite(t)
	for framework, edits := range map[string]bool{"ai": false, "langchain": true, "openai": false} {
		t.Run(framework, func(t *testing.T) {
			type outcome struct {
				Ran     []map[string]string
				Read    string
				Payload json.RawMessage
			}
			begin := func(function string) chan outcome {
				ended := make(chan outcome, 1)
				c := command{"op": "framework", "framework": framework, "url": s.door.URL, "key": s.key, "wait": 60, "function": function, "args": map[string]any{"id": "u1"}, "session": function}
				go func() {
					var o outcome
					if err := l.ask(c, &o); err != nil {
						o.Read = "FAILED: " + err.Error()
					}
					ended <- o
				}()
				return ended
			}
			ran := func(o outcome, want string) {
				t.Helper()
				ids := []string{}
				for _, r := range o.Ran {
					ids = append(ids, r["id"])
				}
				if strings.Join(ids, " ") != want {
					t.Errorf("it ran with %v, want %q; the model read %s", ids, want, o.Read)
				}
			}
			low := <-begin("list_orders_" + framework)
			ran(low, "u1")
			recorded(t, framework, "list_orders_"+framework, low.Payload)

			function := "update_order_" + framework
			ended := begin(function)
			s.decide(t, s.next(t, function).ID, "approve", "")
			ran(<-ended, "u1")

			ended = begin(function)
			s.decide(t, s.next(t, function).ID, "deny", "Not on Fridays.")
			no := <-ended
			if ran(no, ""); !strings.Contains(no.Read, "Not on Fridays.") {
				t.Errorf("the model read %s", no.Read)
			}

			function = "update_address_" + framework
			ended = begin(function)
			a := s.next(t, function)
			s.edit(t, a.ID, `{"id": "u2"}`)
			s.decide(t, a.ID, "approve", "")
			changed := <-ended
			ran(changed, "u2")
			if again := len(s.submitted(function)); again != 0 {
				t.Errorf("people were asked %d times more after an edit (the framework edits by itself: %t)", again, edits)
			}
		})
	}
}

// recorded compares what a framework sends with what the ordinary tests take for it.
func recorded(t *testing.T, framework, function string, payload json.RawMessage) {
	t.Helper()
	want := payloads(t)[framework]
	var got, wanted any
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(payload), function, "delete_user")), &got); err != nil {
		t.Fatalf("%s: %v", payload, err)
	}
	if err := json.Unmarshal(want, &wanted); err != nil {
		t.Fatal(err)
	}
	if m, ok := got.(map[string]any); ok && framework == "langchain" {
		m["id"] = "0" // a new one each time
	}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(wanted)
	if string(a) != string(b) {
		t.Errorf("%s sends\n%s\nrecorded is\n%s", framework, a, b)
	}
}
