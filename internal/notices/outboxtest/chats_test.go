package outboxtest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/slack-go/slack/slacktest"

	"github.com/countersign/countersign/internal/notices"
)

// hostile is what an agent writes to call everybody, to lead elsewhere, or to be misread.
const hostile = ":tada: :+1: :100: <!channel> @everyone @here <@U123> <https://evil.example|safe> [x](https://evil.example) http://10.0.0.1 evil.example *bold* _it_ `code` <b>&amp;</b>\r\nSubject: x\u202e\u200b\u2028\x07 /invite"

// hostileBody is a MEDIUM request that says so.
func hostileBody(t *testing.T) string {
	t.Helper()
	b, err := json.Marshal(map[string]any{
		"function": "deploy_service", "arguments": map[string]any{"service": "checkout", "env": "staging"},
		"docstring": "Deploy to production.", "justification": hostile,
	})
	must(t, err)
	return string(b)
}

// wantInert holds every text of an agent that was sent: nothing in it is markup, a mention,
// a link, or cannot be seen.
func wantInert(t *testing.T, sent string) {
	t.Helper()
	for _, active := range []string{"<!", "@everyone", "@here", "<@", "evil.example", "://evil", "http://10", "10.0.0.1", "[x]", "*bold*", "_it_", "`code`", "<b>", "\u202e", "\u200b", "\u2028", "\x07", ":tada", ":+1", ":100"} {
		if strings.Contains(sent, active) {
			t.Errorf("%q was sent in %s", active, sent)
		}
	}
	for _, r := range sent {
		if unicode.Is(unicode.Cf, r) {
			t.Errorf("%U was sent", r)
		}
	}
	if !strings.Contains(sent, "evil") {
		t.Errorf("the reason is missing in %s", sent)
	}
}

// slackHouse has a bot in a room of slacktest, which also takes changes of messages.
func slackHouse(t *testing.T) (h *house, updated func() []url.Values) {
	t.Helper()
	var mu sync.Mutex
	var changes []url.Values
	api := slacktest.NewTestServer(func(c slacktest.Customize) {
		c.Handle("/chat.update", func(w http.ResponseWriter, r *http.Request) {
			if err := r.ParseForm(); err != nil {
				t.Errorf("form: %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			changes = append(changes, r.PostForm)
			_, _ = w.Write([]byte(`{"ok":true,"channel":"` + r.PostForm.Get("channel") + `","ts":"` + r.PostForm.Get("ts") + `","text":""}`))
		})
	})
	api.Start()
	t.Cleanup(api.Stop)
	h = newHouse(t, notices.SlackBot{Client: loopback(t), API: api.GetAPIURL()})
	h.add("slack-bot", map[string]string{"token": "xoxb-1234-abcd", "room": "#ops"})
	return h, func() []url.Values {
		mu.Lock()
		defer mu.Unlock()
		return append([]url.Values(nil), changes...)
	}
}

// A card calls, and the same card says how it ended, also where the channel tells only of
// calls.
func TestSlackCardIsUpdated(t *testing.T) {
	t.Parallel()
	h, updated := slackHouse(t)
	h.detail()
	a := h.submit(hostileBody(t))
	h.round()
	d := h.told(a.ID).All
	if len(d) != 1 || d[0].State != notices.Delivered || !strings.HasPrefix(d[0].Ref, "#ops ") {
		t.Fatalf("after the call is told %+v", d)
	}
	_, err := h.approvals.Cancel(t.Context(), h.agent, a.ID)
	must(t, err)
	h.round()
	all := updated()
	if len(all) != 1 || all[0].Get("ts") != strings.TrimPrefix(d[0].Ref, "#ops ") || !strings.Contains(all[0].Get("text"), "was cancelled") {
		t.Fatalf("the card was changed by %v", all)
	}
	wantInert(t, all[0].Get("blocks"))
	if strings.Contains(all[0].Get("blocks"), `"button"`) {
		t.Error("the card has a button: Slack warns whoever presses one of an app that takes no presses")
	}
	if !strings.Contains(all[0].Get("blocks"), base+"/t/acme/approvals/"+a.ID) {
		t.Errorf("the card has no link: %s", all[0].Get("blocks"))
	}
}

// A room that two steps called has two cards, and both say how it ended.
func TestEachSlackCardIsUpdated(t *testing.T) {
	t.Parallel()
	h, updated := slackHouse(t)
	var room notices.Target
	must(t, h.store.Notices().Read(t.Context(), "acme", func(r notices.Reader) error {
		all, err := r.NoticeChannels()
		room = notices.To(notices.ToChannel, all[0].ID)
		return err
	}))
	steps := []notices.Step{{Targets: []notices.Target{room}, Minutes: 2}, {Targets: []notices.Target{room}, Minutes: 2}}
	_, err := h.notices.KeepRule(t.Context(), h.admin, 0, notices.Rule{Name: "All", Steps: steps})
	must(t, err)
	a := h.submit(medium)
	h.round()
	h.pass(3 * time.Minute)
	h.round()
	for _, d := range h.told(a.ID).All {
		if d.State != notices.Delivered || d.Ref == "" {
			t.Errorf("a call is %+v", d)
		}
	}
	_, err = h.approvals.Cancel(t.Context(), h.agent, a.ID)
	must(t, err)
	h.round()
	all := updated() // the server of the library gives two cards of one second the same name
	if len(all) != 2 || !strings.Contains(all[0].Get("text"), "was cancelled") || all[1].Get("text") != all[0].Get("text") {
		t.Errorf("the cards were changed by %v, want both of them", all)
	}
}

// Slack's no for good ends a delivery; the token is in no error.
func TestSlackRefuses(t *testing.T) {
	t.Parallel()
	to := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"ok":false,"error":"invalid_auth"}`))
	})
	h := newHouse(t, notices.SlackBot{Client: loopback(t), API: to.URL + "/"})
	h.add("slack-bot", map[string]string{"token": "xoxb-1234-abcd", "room": "#ops"})
	a := h.submit(medium)
	h.round()
	if d := h.told(a.ID).All[0]; d.State != notices.Failed || d.LastError != "Slack answered invalid_auth" {
		t.Errorf("it is %+v", d)
	}
}

// The webhooks of chats get what agents wrote as text and nothing else.
func TestChatsAreInert(t *testing.T) {
	t.Parallel()
	for kind, values := range map[string]map[string]string{
		"slack": {}, "teams": {},
		"chat": {"template": `{"text": "{{title}} {{ sentence }} {{target}} {{reason}} {{link}}", "n": [1, {"deep": "{{level}}"}]}`},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			client, to := loopback(t), newReceiver(t, nil)
			h := newHouse(t, notices.SlackHook{Client: client}, notices.Teams{Client: client}, notices.Chat{Client: client})
			values["url"] = to.URL + "/hook"
			h.add(kind, values)
			quiet := h.submit(medium)
			h.round()
			h.detail()
			a := h.submit(hostileBody(t))
			h.round()
			calls := to.calls()
			if len(calls) != 2 {
				t.Fatalf("%d calls, want 2", len(calls))
			}
			for i, id := range []string{quiet.ID, a.ID} {
				var tree map[string]any
				must(t, json.Unmarshal(calls[i].body, &tree))
				if !strings.Contains(string(calls[i].body), base+"/t/acme/approvals/"+id) {
					t.Errorf("no link in %s", calls[i].body)
				}
			}
			if strings.Contains(string(calls[0].body), "Release 41") || strings.Contains(string(calls[0].body), "checkout") {
				t.Errorf("nobody allowed %s", calls[0].body)
			}
			wantInert(t, strings.ReplaceAll(string(calls[1].body), "adaptivecards.io", ""))
		})
	}
}

// Of a request that asks questions nothing is said but level, agent and link, whatever the
// organisation allows.
func TestWhatIsAskedIsNotTold(t *testing.T) {
	t.Parallel()
	h, to := newHouse(t), newReceiver(t, nil)
	h.add("webhook", map[string]string{"url": to.URL})
	h.detail()
	h.submit(high)
	h.submit(medium)
	h.round()
	h.round()
	for _, c := range to.calls() {
		switch body := string(c.body); {
		case strings.Contains(body, `"HIGH"`):
			for _, value := range []string{"829113", "delete", "Delete", "HR asked", "production", "sentence", "target", "reason"} {
				if strings.Contains(body, value) {
					t.Errorf("%q is told in %s", value, body)
				}
			}
		case !strings.Contains(body, `"sentence"`), !strings.Contains(body, "Release 41"):
			t.Errorf("the organisation lets it say more than %s", body)
		}
	}
	if n := len(to.calls()); n != 2 {
		t.Errorf("%d calls, want 2", n)
	}
}

// A template that is no JSON, or names what is none, is refused.
func TestTemplates(t *testing.T) {
	t.Parallel()
	client := loopback(t)
	for template, ok := range map[string]bool{
		`{"text": "{{title}}"}`: true, `{"a": [{"b": "{{ link }}"}]}`: true,
		``: false, `{{title}}`: false, `"{{title}}"`: false, `[]`: false, `{"text": "{{nonsense}}"}`: false, `{"text": "{{ .title }}"}`: false, `{"text": "x"`: false,
	} {
		err := notices.Chat{Client: client}.Check(notices.Settings{Fields: map[string]string{"template": template}, Secrets: map[string]string{"url": "https://chat.example/hook"}})
		if (err == nil) != ok {
			t.Errorf("%s is taken: %v, want %v", template, err, ok)
		}
	}
}
