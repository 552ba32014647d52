package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/countersign/countersign/client"
	"github.com/countersign/countersign/grant"
)

// glance is how long it may take to read what became of a request, or to say what
// became of a call: nobody waits for that.
const glance = 5 * time.Second

// called is one tools/call. To a client of 2026-07-28 it may take several requests.
func (r *relay) called(ctx context.Context, req *mcp.CallToolRequest) (mcp.Result, error) {
	p := req.Params
	modern := r.forServer(ctx, p)
	id := ""
	if req.Extra != nil {
		id = req.Extra.Header.Get("Id")
	}
	if !modern {
		return r.carryOut(ctx, p, id, req.ClientCapabilities(), false)
	}
	can := req.ClientCapabilities()
	return r.calls.fly(ctx, r.base, p, func(ctx context.Context) (mcp.Result, error) {
		return r.carryOut(ctx, p, id, can, true)
	})
}

// carryOut takes a call through the gate, then to the server. Nothing reaches the
// server but what an approval is spent for.
func (r *relay) carryOut(ctx context.Context, p *mcp.CallToolParamsRaw, id string, can *mcp.ClientCapabilities, modern bool) (mcp.Result, error) {
	c, err := r.describe(ctx, p, id)
	if err != nil {
		return r.refuse(modern, "Not run: "+err.Error())
	}
	out, err := r.gate(ctx, c, r.canOpen(can), modern)
	if err := errors.Join(ctx.Err(), r.base.Err()); err != nil {
		return nil, err
	}
	if err != nil || !out.Run {
		return r.refuse(modern, said(out, err, p.Name))
	}
	arguments := p.Arguments
	if out.Changed {
		var act struct{ Arguments json.RawMessage }
		if err := json.Unmarshal(out.Act, &act); err != nil {
			return nil, err // proven canonical JSON
		}
		arguments = act.Arguments
	}
	res, err := r.run(ctx, p, arguments, modern)
	r.report(ctx, out.Approval.ID, res, err)
	return res, err
}

// held is a call as it is asked about.
type held struct {
	client.Call
	digest string
	before string // the request that it is held as; "" if it is new
}

func (r *relay) describe(ctx context.Context, p *mcp.CallToolParamsRaw, id string) (held, error) {
	arguments := p.Arguments
	if len(arguments) == 0 {
		arguments = json.RawMessage(`{}`)
	}
	about := r.tools.about(ctx, p.Name)
	act, err := json.Marshal(map[string]any{"function": "mcp__" + r.name + "__" + p.Name, "arguments": arguments})
	if err != nil {
		return held{}, errors.New("the arguments are no JSON")
	}
	digest, err := grant.Digest(act)
	if err != nil {
		return held{}, fmt.Errorf("the call can't be sent: %s", client.OneLine(err.Error(), 300))
	}
	server := map[string]any{"name": r.name}
	if info := r.up.InitializeResult().ServerInfo; info != nil {
		server["own_name"], server["version"] = info.Name, info.Version
	}
	metadata := map[string]any{"mcp_server": server}
	if about.Title != "" {
		metadata["title"] = about.Title
	}
	if len(about.Annotations) > 0 {
		metadata["annotations"] = about.Annotations
	}
	text, err := json.Marshal(metadata)
	if err != nil {
		return held{}, err
	}
	call := client.Call{
		Act: act, Docstring: cut(about.Description, 16<<10), Metadata: text,
		SessionID: r.session, ToolCallID: r.nonce + "-" + cut(id, 100),
	}
	h := held{Call: call, digest: digest}
	if _, memory, err := r.Gate.Open(); err == nil {
		if n := memory.load(r.name, digest); n.Session != "" {
			h.SessionID, h.before = n.Session, n.Approval
		}
	}
	return h, nil
}

// gate asks for a call. While it is held, a client that can open an address is offered
// the console's: one of the older era beside the call, one of 2026-07-28 by an answer
// after which it calls again. What the person says to the offer decides nothing.
func (r *relay) gate(ctx context.Context, c held, canOpen, modern bool) (client.Outcome, error) {
	var offers sync.WaitGroup
	defer offers.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(r.base, stop)()
	by := client.Program{Name: cut(r.hello.info.Name, 128), Version: cut(r.hello.info.Version, 128)}
	returned := false
	pending := func(a client.Approval) {
		r.note(a.ID, c)
		if !canOpen || a.ConsoleURL == "" {
			return
		}
		offer := &mcp.ElicitParams{Mode: "url", URL: a.ConsoleURL, ElicitationID: a.ID, Message: "A person has to approve this call first. Open Countersign to decide about it."}
		if modern {
			offer.ElicitationID = ""
			_, err := r.calls.inquire(ctx, mcp.InputRequestMap{"countersign": offer})
			returned = err == nil
			return
		}
		offers.Go(func() {
			_, err := r.client.Elicit(ctx, offer)
			if err == nil {
				<-ctx.Done() // the dialog was answered; it is over when the call is decided
				_ = r.client.NotifyElicitationComplete(context.WithoutCancel(ctx), &mcp.ElicitationCompleteParams{ElicitationID: a.ID})
			}
		})
	}
	if no, decided := r.decided(ctx, c); decided {
		r.settle(no, c)
		return no, nil
	}
	out, err := r.Gate.Ask(ctx, c.Call, by, pending)
	if returned && err == nil && out.Approval.Status == client.Pending {
		// The time of the first question went by in the console.
		out, err = r.Gate.Ask(ctx, c.Call, by, nil)
	}
	if ctx.Err() == nil {
		r.settle(out, c)
	}
	return out, err
}

// decided finds the no that was said to a call while nobody waited for it. The server
// attaches a call to what is open; without this the person would be asked again.
func (r *relay) decided(ctx context.Context, c held) (client.Outcome, bool) {
	if c.before == "" {
		return client.Outcome{}, false
	}
	api, _, err := r.Gate.Open()
	if err != nil {
		return client.Outcome{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, glance) // the call is submitted next, and that insists
	defer cancel()
	a, err := api.Get(ctx, c.before)
	switch {
	case err != nil || a.Digest != c.digest:
		return client.Outcome{}, false
	case a.Status == client.Denied, a.Status == client.ChangesRequested, a.Status == client.Expired, a.Status == client.Blocked, a.Void():
		return client.Outcome{Approval: a, Reason: a.Why()}, true
	}
	return client.Outcome{}, false
}

// canOpen reports whether a client says that it can open an address.
func (r *relay) canOpen(can *mcp.ClientCapabilities) bool {
	return can != nil && can.Elicitation != nil && can.Elicitation.URL != nil
}

// note keeps for later that a call is held and its client was told nothing yet.
func (r *relay) note(approval string, c held) {
	r.mu.Lock()
	r.untold[approval] = c.digest
	r.mu.Unlock()
	_, memory, err := r.Gate.Open()
	if err == nil {
		err = memory.keep(r.name, c.digest, note{c.SessionID, approval, time.Now().Add(remembered)})
	}
	if err != nil {
		r.Log.Warn("after a restart this call would be asked for twice", "error", err)
	}
}

// settle notes that the client is told of a call: it has its answer, or was asked to
// call again.
func (r *relay) settle(out client.Outcome, c held) {
	r.mu.Lock()
	delete(r.untold, out.Approval.ID)
	r.mu.Unlock()
	if _, memory, err := r.Gate.Open(); err == nil && out.Approval.ID != "" && out.Approval.Status != client.Pending {
		memory.drop(r.name, c.digest)
	}
}

// withdraw takes back, when the client left, the requests that it was not told of:
// nobody will ask for them again. Those that it was told of stay, because it may come
// back with a new gateway.
func (r *relay) withdraw() {
	ctx, cancel := context.WithTimeout(context.Background(), glance)
	defer cancel()
	api, memory, err := r.Gate.Open()
	if err != nil {
		return // nothing was ever held
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, digest := range r.untold {
		if err := api.Cancel(ctx, id); err != nil {
			r.Log.Warn("a request that nobody waits for stays open", "approval", id, "error", err)
		}
		memory.drop(r.name, digest)
	}
}

// run calls the tool, and again with what the client says where the server asks.
func (r *relay) run(ctx context.Context, p *mcp.CallToolParamsRaw, arguments json.RawMessage, modern bool) (mcp.Result, error) {
	defer r.calls.atServer(ctx)()
	params := &mcp.CallToolParams{Meta: p.Meta, Name: p.Name, Arguments: arguments}
	if len(arguments) == 0 {
		params.Arguments = nil
	}
	for {
		var c caught
		res, err := r.up.CallTool(catching(ctx, &c), params)
		if err != nil {
			return nil, wire(err)
		}
		if !res.NeedsInput() {
			return pass(c, res, modern)
		}
		got, err := r.inquire(ctx, res.InputRequests)
		if err != nil {
			return nil, err
		}
		again := *params
		again.InputResponses, again.RequestState = got, res.RequestState
		params = &again
	}
}

// report tells the console how a call went, also when nobody waits for it any more.
func (r *relay) report(ctx context.Context, approval string, res mcp.Result, failed error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), glance)
	defer cancel()
	detail := ""
	if failed != nil {
		detail = client.OneLine(failed.Error(), 1000)
	} else if p, ok := res.(*passed); ok && string(p.members["isError"]) == "true" {
		failed, detail = errors.New("isError"), p.text()
	}
	api, _, err := r.Gate.Open()
	if err == nil {
		err = api.Report(ctx, approval, failed == nil, detail)
	}
	if err != nil {
		r.Log.Warn("the console was not told how a call went", "approval", approval, "error", err)
	}
}

// text is the first text of a result.
func (p *passed) text() string {
	var content []struct{ Text string }
	_ = json.Unmarshal(p.members["content"], &content)
	for _, c := range content {
		if c.Text != "" {
			return client.OneLine(c.Text, 1000)
		}
	}
	return ""
}

// refuse answers a call that did not run. It is a result and no protocol error, so
// that the model reads it.
func (r *relay) refuse(modern bool, text string) (mcp.Result, error) {
	return pass(caught{}, &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}, modern)
}

// said is what the model is told about a call that did not run: what happened, and
// what to do now.
func said(out client.Outcome, err error, tool string) string {
	var setup setupError
	pending := out.Approval.Status == client.Pending
	switch {
	case errors.As(err, &setup):
		return "Not run: the Countersign gateway has no good settings, and it runs nothing without them. Ask the user to repair this, then call again: " + client.OneLine(setup.Error(), 600)
	case err != nil && pending:
		return "Not run: Countersign stopped answering while this call waited for a person. Call " + tool + " again later with exactly the same arguments: it goes on where it was."
	case err != nil:
		return "Not run: Countersign, which has to approve this call, can't be reached at the moment (" + client.OneLine(err.Error(), 300) + "). Try the same call again later. If that goes on, tell the user."
	case pending:
		where := ""
		if out.Approval.ConsoleURL != "" {
			where = " at " + out.Approval.ConsoleURL
		}
		return "Not run yet: a person has to decide about this call" + where + ". Tell the user so. Then call " + tool + " again with exactly the same arguments to get the answer; if it was approved, the call runs then. Don't change the arguments and don't look for another way."
	case out.Approval.ID == "":
		return "Not run: Countersign refused to judge this call: " + out.Reason + ". Tell the user; once that is repaired, try the same call again later."
	}
	return "Not run: " + strings.TrimSuffix(out.Reason, ".") + "."
}

// cut shortens text to at most n bytes, at a character.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}
