package clients_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
)

// judge is a server that approves u1, edits u3 to u4, denies all others, and holds nothing.
func judge(t *testing.T) *fake {
	t.Helper()
	var last string
	f := &fake{edit: func(action map[string]json.RawMessage) json.RawMessage {
		last = string(action["arguments"])
		if strings.Contains(last, "u3") {
			return json.RawMessage(`{"id":"u4"}`)
		}
		return nil
	}}
	f.change = func(step string, _ int, a map[string]any, _ http.ResponseWriter, _ *http.Request) bool {
		if step == "submit" && strings.Contains(last, "u3") {
			a["execution"] = nil // a person decided: it is consumed afterwards
		}
		if step == "submit" && strings.Contains(last, "u2") {
			a["status"], a["execution"] = "denied", nil
			a["decision"] = map[string]any{"verdict": "deny", "reason": "Not u2.", "decided_by": []any{}, "effective": nil, "grant": nil, "digest": nil}
		}
		return false
	}
	return newFake(t, f)
}

// with is a recorded payload about another user.
func with(t *testing.T, payload json.RawMessage, user string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(payload), "u1", user)), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// wantSent holds what was submitted last against what an adapter knows of the call.
func (f *fake) wantSent(t *testing.T, members map[string]string) {
	t.Helper()
	f.lock.Lock()
	defer f.lock.Unlock()
	if len(f.sent) == 0 {
		t.Fatal("nothing was submitted")
	}
	for name, want := range members {
		if got := string(f.sent[len(f.sent)-1][name]); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

const inThePlace = "Call it again with exactly these: "

// LangChain's interrupts are answered one by one; an edit runs with the approved arguments.
func TestLangChain(t *testing.T) {
	t.Parallel()
	recorded := payloads(t)
	for _, c := range []struct {
		l              *language
		mode, payload  string
		edited, config string // how the framework spells it
	}{
		{languages[0], "sync", "langchain-python", "edited_action", "allowed_decisions"},
		{languages[0], "async", "langchain-python", "edited_action", "allowed_decisions"},
		{languages[1], "", "langchain", "editedAction", "allowedDecisions"},
	} {
		t.Run(c.l.name+c.mode, func(t *testing.T) {
			t.Parallel()
			f := judge(t)
			ask := func(payload ...any) string {
				var got struct{ Resume json.RawMessage }
				c.l.do(t, command{"op": "langchain", "mode": c.mode, "url": f.URL, "key": fakeKey, "wait": 30, "session": "t-1", "interrupts": payload}, &got)
				return string(got.Resume)
			}
			if got := ask(with(t, recorded[c.payload], "u1")); got != `{"decisions":[{"type":"approve"}]}` {
				t.Error(got)
			}
			f.wantSent(t, map[string]string{"function": `"delete_user"`, "arguments": `{"id":"u1"}`, "session_id": `"t-1"`, "docstring": `"Permanently remove a user."`, "attach": "true"})
			if got := ask(with(t, recorded[c.payload], "u2")); got != `{"decisions":[{"message":"denied: Not u2.","type":"reject"}]}` {
				t.Error(got)
			}
			if got := ask(with(t, recorded[c.payload], "u3")); got != `{"decisions":[{"`+c.edited+`":{"args":{"id":"u4"},"name":"delete_user"},"type":"edit"}]}` || f.count("consume") != 1 {
				t.Error(got)
			}
			no := json.RawMessage(strings.Replace(string(recorded[c.payload]), `"edit", `, "", 1))
			if got := ask(with(t, no, "u3")); !strings.Contains(got, `"reject"`) || !strings.Contains(got, inThePlace) || f.count("consume") != 1 {
				t.Errorf("where edits are not allowed: %s, %v", got, f.calls)
			}
			none := json.RawMessage(strings.Replace(string(recorded[c.payload]), `"approve", "edit", `, "", 1))
			if got := ask(with(t, none, "u1")); !strings.Contains(got, `"reject"`) {
				t.Errorf("where approving is not allowed: %s", got)
			}
			two := with(t, recorded[c.payload], "u1").(map[string]any)
			two["id"] = "1"
			if got := ask(with(t, recorded[c.payload], "u2"), two); got != `{"0":{"decisions":[{"message":"denied: Not u2.","type":"reject"}]},"1":{"decisions":[{"type":"approve"}]}}` {
				t.Error(got)
			}
		})
	}
}

// Where a framework runs its own arguments, an edit is a no that says what to call with;
// that call is spent without asking again, once.
func TestFrameworksThatKeepTheirArguments(t *testing.T) {
	t.Parallel()
	recorded := payloads(t)
	openai := func(l *language, mode, payload string) func(t *testing.T, f *fake, user string) string {
		return func(t *testing.T, f *fake, user string) string {
			var got struct{ Said []string }
			l.do(t, command{"op": "openai_agents", "mode": mode, "url": f.URL, "key": fakeKey, "wait": 30, "session": "t-1", "items": []any{with(t, recorded[payload], user)}}, &got)
			return strings.Join(got.Said, "|")
		}
	}
	for name, ask := range map[string]func(t *testing.T, f *fake, user string) string{
		"OpenAI Agents, Python":                  openai(languages[0], "object", "openai-python"),
		"OpenAI Agents, Python, items are dicts": openai(languages[0], "dict", "openai-python"),
		"OpenAI Agents, TypeScript":              openai(languages[1], "", "openai"),
		"AI SDK": func(t *testing.T, f *fake, user string) string {
			call := with(t, recorded["ai"], user).(map[string]any)["toolCall"]
			var got struct{ Said json.RawMessage }
			languages[1].do(t, command{"op": "ai_sdk", "url": f.URL, "key": fakeKey, "wait": 30, "session": "t-1", "toolCall": call}, &got)
			var text string
			var no struct{ Type, Reason string }
			if json.Unmarshal(got.Said, &text) == nil {
				return text
			}
			if err := json.Unmarshal(got.Said, &no); err != nil || no.Type != "denied" {
				t.Errorf("%s, %v", got.Said, err)
			}
			return no.Reason
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := judge(t)
			if got := ask(t, f, "u1"); got != "approved" {
				t.Error(got)
			}
			f.wantSent(t, map[string]string{"function": `"delete_user"`, "arguments": `{"id":"u1"}`, "session_id": `"t-1"`, "tool_call_id": `"c1"`})
			if got := ask(t, f, "u2"); got != "denied: Not u2." {
				t.Error(got)
			}
			if got := ask(t, f, "u3"); got != "edited: It was approved with other arguments. "+inThePlace+`{"id":"u4"}` || f.count("consume") != 0 {
				t.Error(got)
			}
			before := f.count("submit")
			if got := ask(t, f, "u4"); got != "approved" || f.count("submit") != before || f.count("consume") != 1 {
				t.Errorf("the edited call: %s, %v", got, f.calls)
			}
			if ask(t, f, "u4"); f.count("submit") != before+1 {
				t.Errorf("one yes served twice: %v", f.calls)
			}
			f.Close()
			if got := ask(t, f, "u1"); !strings.HasPrefix(got, "unavailable") {
				t.Errorf("the server is away: %s", got)
			}
		})
	}
}

// What cannot be sent, or would be read differently by the framework, is a no.
func TestAdaptersRefuse(t *testing.T) {
	t.Parallel()
	f := judge(t)
	for name, arguments := range map[string]string{"not JSON": `{"id":`, "a name twice": `{"id":"u1","id":"u2"}`, "rounded": `{"id":9007199254740993}`, "loses precision": `{"id":0.10000000000000001}`} {
		for i, payload := range []map[string]any{{"name": "delete_user", "call_id": "c1", "arguments": arguments}, {"name": "delete_user", "callId": "c1", "arguments": arguments}} {
			if name == "rounded" && i == 0 {
				continue // Python reads all digits
			}
			var got struct{ Said []string }
			languages[i].do(t, command{"op": "openai_agents", "mode": "dict", "url": f.URL, "key": fakeKey, "wait": 2, "items": []any{payload}}, &got)
			if len(got.Said) != 1 || got.Said[0] == "approved" {
				t.Errorf("%s, %s: %v", languages[i].name, name, got.Said)
			}
		}
	}
	for i, payload := range []map[string]any{{"type": "shell_call", "call_id": "c1", "action": "ls"}, {"type": "shell_call", "callId": "c1"}} {
		var got struct{ Said []string }
		languages[i].do(t, command{"op": "openai_agents", "mode": "dict", "url": f.URL, "key": fakeKey, "wait": 2, "items": []any{payload}}, &got)
		if len(got.Said) != 1 || !strings.Contains(got.Said[0], "not the call of a function") {
			t.Errorf("%s: %v", languages[i].name, got.Said)
		}
	}
	if n := f.count("submit"); n > 0 {
		t.Errorf("%d were submitted", n)
	}
}

// payloads are what the frameworks sent, by framework.
func payloads(t *testing.T) (all map[string]json.RawMessage) {
	t.Helper()
	text, err := os.ReadFile("testdata/payloads.json")
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}
