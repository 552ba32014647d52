package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/countersign/countersign/client"
)

func TestCallAsItIsAskedAbout(t *testing.T) {
	t.Parallel()
	eras(t, func(t *testing.T, era string) {
		l := through(t, era, newGate())
		res, err := l.call(t, "echo", big)
		if err != nil || text(res) != big {
			t.Errorf("the server got %s, %v", text(res), err)
		}
		asked := l.gate.calls()
		if len(asked) != 1 {
			t.Fatalf("asked %d times", len(asked))
		}
		c := asked[0]
		if want := `{"arguments":` + big + `,"function":"mcp__My-Server__echo"}`; compact(t, c.Act) != compact(t, json.RawMessage(want)) {
			t.Errorf("asked about %s, want %s", c.Act, want)
		}
		if c.Docstring != "Says it back." || c.Hints != nil {
			t.Errorf("docstring %q, hints %s", c.Docstring, c.Hints)
		}
		var meta struct {
			Server struct {
				Name    string
				OwnName string `json:"own_name"`
				Version string
			} `json:"mcp_server"`
			Title       string
			Annotations map[string]any
		}
		if err := json.Unmarshal(c.Metadata, &meta); err != nil || meta.Server.Name != "My-Server" || meta.Server.OwnName != "My Server" || meta.Server.Version != "3.1" ||
			meta.Title != "Echo" || meta.Annotations["destructiveHint"] != false || meta.Annotations["idempotentHint"] != true {
			t.Errorf("metadata %s, %v", c.Metadata, err)
		}
		if l.gate.by[0] != (client.Program{Name: "desk", Version: "9"}) {
			t.Errorf("by %+v", l.gate.by[0])
		}
		if _, err := l.call(t, "fails", `{}`); err != nil {
			t.Fatal(err)
		}
		other := l.gate.calls()[1]
		if other.SessionID != c.SessionID || c.SessionID == "" || other.ToolCallID == c.ToolCallID || c.ToolCallID == "" {
			t.Errorf("sessions %q, %q, calls %q, %q", c.SessionID, other.SessionID, c.ToolCallID, other.ToolCallID)
		}
		want := []string{"report " + approval + " true ", "report " + approval + " false no such ticket"}
		if got := l.gate.told(); !slices.Equal(got, want) {
			t.Errorf("reported %q, want %q", got, want)
		}
	})
}

func compact(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	text, err := json.Marshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestResultsStayExact looks at the wire: the SDK's client would round.
func TestResultsStayExact(t *testing.T) {
	t.Parallel()
	l := through(t, legacy, newGate())
	c := dial(t, l.up)
	c.send(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
	c.send(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	list := c.send(t, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	if want := `"maximum":12345678901234567890`; !strings.Contains(list, want) {
		t.Errorf("the tools came as %s, want %s in it", list, want)
	}
	got := c.send(t, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{}}}`)
	for _, want := range []string{`"n":1234567890123456789012345678901234567890`, `"id":9007199254740993`, `"_meta":{"trace":"kept"}`} {
		if !strings.Contains(got, want) {
			t.Errorf("the result came as %s, want %s in it", got, want)
		}
	}
}

// Nothing but a yes lets a call through, and the text says what to do.
func TestRefusals(t *testing.T) {
	t.Parallel()
	decided := func(status, reason string) client.Outcome {
		return client.Outcome{Approval: client.Approval{ID: approval, Status: status, ConsoleURL: console}, Reason: reason}
	}
	for name, c := range map[string]struct {
		out  client.Outcome
		err  error
		want []string
	}{
		"pending":             {out: decided(client.Pending, "nobody decided within 50s"), want: []string{"a person has to decide", console, "again with exactly the same arguments"}},
		"denied":              {out: decided(client.Denied, "denied. Not during the freeze"), want: []string{"Not run: denied. Not during the freeze."}},
		"blocked":             {out: decided(client.Blocked, "blocked by the policy. No deletes"), want: []string{"blocked by the policy. No deletes."}},
		"changes requested":   {out: decided(client.ChangesRequested, "changes were requested: change the call and try again. Use a branch"), want: []string{"Use a branch"}},
		"expired":             {out: decided(client.Expired, "nobody decided in time, which is a no"), want: []string{"which is a no"}},
		"approved, not ours":  {out: decided(client.Approved, "the approval can't be proven"), want: []string{"can't be proven"}},
		"refused":             {out: client.Outcome{Reason: "the key is unknown (unauthenticated)"}, want: []string{"refused to judge", "unauthenticated", "again later"}},
		"away":                {err: errors.New("https://console.example: no complete answer came"), want: []string{"can't be reached", "Try the same call again later"}},
		"away while it waits": {out: client.Outcome{Approval: pending()}, err: client.ErrNoAnswer, want: []string{"stopped answering", "again later with exactly the same arguments"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := through(t, legacy, answering(func(context.Context, client.Call, func(client.Approval)) (client.Outcome, error) { return c.out, c.err }))
			res, err := l.call(t, "echo", `{"a":1}`)
			if err != nil || !res.IsError {
				t.Fatalf("%v, %v", res, err)
			}
			for _, want := range c.want {
				if !strings.Contains(text(res), want) {
					t.Errorf("said %q, want %q in it", text(res), want)
				}
			}
			if ran := l.up.ran(); len(ran) > 0 {
				t.Errorf("the server ran %v", ran)
			}
			if got := l.gate.told(); len(got) > 0 {
				t.Errorf("reported %v", got)
			}
		})
	}
}

func TestWhatWasEditedRuns(t *testing.T) {
	t.Parallel()
	eras(t, func(t *testing.T, era string) {
		l := through(t, era, answering(func(_ context.Context, c client.Call, _ func(client.Approval)) (client.Outcome, error) {
			out := yes(c)
			out.Act, out.Changed = json.RawMessage(`{"arguments":{"to":"staging"},"function":"mcp__My-Server__echo"}`), true
			return out, nil
		}))
		res, err := l.call(t, "echo", `{"to":"production"}`)
		if err != nil || text(res) != `{"to":"staging"}` {
			t.Errorf("%s, %v", text(res), err)
		}
	})
}

// held says what a gate does that holds a call until decide is closed.
func held(decide <-chan struct{}) func(ctx context.Context, c client.Call, held func(client.Approval)) (client.Outcome, error) {
	return func(ctx context.Context, c client.Call, held func(client.Approval)) (client.Outcome, error) {
		if held != nil {
			held(pending())
		}
		select {
		case <-decide:
			return yes(c), nil
		case <-ctx.Done():
			return client.Outcome{Approval: pending()}, ctx.Err()
		}
	}
}

func urls(o *mcp.ClientOptions) {
	o.Capabilities = &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}}}
}

// A client that can open addresses is offered the console's, and the call goes on by itself.
func TestTheConsoleIsOffered(t *testing.T) {
	t.Parallel()
	eras(t, func(t *testing.T, era string) {
		for _, action := range []string{"accept", "decline", "cancel"} {
			decide, offered := make(chan struct{}), make(chan *mcp.ElicitParams, 9)
			l := through(t, era, answering(held(decide)), urls, func(o *mcp.ClientOptions) {
				o.ElicitationHandler = func(_ context.Context, q *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					offered <- q.Params
					return &mcp.ElicitResult{Action: action}, nil
				}
			})
			go func() {
				offer := <-offered
				if offer.Mode != "url" || offer.URL != console || !strings.Contains(offer.Message, "approve") {
					t.Errorf("offered %+v", offer)
				}
				if ran := l.up.ran(); len(ran) > 0 {
					t.Errorf("before the decision the server ran %v", ran)
				}
				close(decide)
			}()
			res, err := l.call(t, "echo", `{}`)
			if err != nil || text(res) != `{}` || len(l.up.ran()) != 1 || len(l.gate.calls()) != 1 {
				t.Errorf("%s: %v, %v, ran %v, asked %d times", action, text(res), err, l.up.ran(), len(l.gate.calls()))
			}
		}
	})
}

// When the time of a call goes by while the person is in the console, the same call is
// asked about once more when the client is back.
func TestTheClientComesBackLate(t *testing.T) {
	t.Parallel()
	n := 0
	l := through(t, modern, answering(func(_ context.Context, c client.Call, held func(client.Approval)) (client.Outcome, error) {
		if n++; n == 1 {
			held(pending())
			return client.Outcome{Approval: pending()}, nil
		}
		return yes(c), nil
	}), urls, func(o *mcp.ClientOptions) {
		o.ElicitationHandler = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept"}, nil
		}
	})
	res, err := l.call(t, "echo", `{}`)
	asked := l.gate.calls()
	if err != nil || text(res) != `{}` || len(asked) != 2 || asked[0].SessionID != asked[1].SessionID || string(asked[0].Act) != string(asked[1].Act) {
		t.Errorf("%s, %v, asked %v", text(res), err, asked)
	}
}

// wireClient speaks JSON-RPC by hand.
type wireClient struct{ mcp.Connection }

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"url":{}}}}`

func (c wireClient) send(t *testing.T, message string) string {
	t.Helper()
	msg, err := jsonrpc.DecodeMessage([]byte(message))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Write(t.Context(), msg); err != nil {
		t.Fatal(err)
	}
	if !msg.(*jsonrpc.Request).IsCall() {
		return ""
	}
	for {
		msg, err := c.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := msg.(*jsonrpc.Response); ok {
			text, err := jsonrpc.EncodeMessage(msg)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
	}
}

// A state belongs to its call: with other arguments nothing runs, whatever was approved.
func TestStateOfAnotherCall(t *testing.T) {
	t.Parallel()
	decide := make(chan struct{})
	close(decide)
	u := newUpstream(modern)
	c := dial(t, u, answering(held(decide)))
	first := c.send(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+meta+`,"name":"echo","arguments":{"to":"staging"}}}`)
	var answer struct {
		Result struct{ ResultType, RequestState string }
	}
	if err := json.Unmarshal([]byte(first), &answer); err != nil || answer.Result.ResultType != "input_required" || !strings.Contains(first, console) {
		t.Fatalf("%s, %v", first, err)
	}
	back := `,"inputResponses":{"countersign":{"action":"accept"}},"requestState":"` + answer.Result.RequestState + `"}}`
	other := c.send(t, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{`+meta+`,"name":"echo","arguments":{"to":"production"}`+back)
	if !strings.Contains(other, "belongs to another call") || len(u.ran()) > 0 {
		t.Errorf("%s; ran %v", other, u.ran())
	}
	// The state is used up with that; the call is held anew.
	again := c.send(t, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{`+meta+`,"name":"echo","arguments":{"to":"staging"}`+back)
	if !strings.Contains(again, "input_required") || len(u.ran()) > 0 {
		t.Errorf("%s; ran %v", again, u.ran())
	}
}
