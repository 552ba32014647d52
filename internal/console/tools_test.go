package console

import (
	"bytes"
	"html"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/toollist"
	"github.com/countersign/countersign/internal/tenants"
)

const frobs = `{"tools":[{"name":"frobnicate","description":"Looks <b>at</b> frobs.","annotations":{"readOnlyHint":true,"destructiveHint":false}},{"name":"get_ride","description":"Book a ride."},{"name":"delete_frob","annotations":{"readOnlyHint":true}}]}`

func (s *site) toolsAddress() string { return urls.Tools("acme", s.agent.ID) }

// postFile posts a form with a file.
func (b *browser) postFile(path, name string, content []byte, fields map[string]string) answer {
	b.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for field, value := range fields {
		must(b.t, w.WriteField(field, value))
	}
	part, err := w.CreateFormFile(name, "tools.json")
	must(b.t, err)
	_, err = part.Write(content)
	must(b.t, err)
	must(b.t, w.Close())
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.url+path, &body)
	must(b.t, err)
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Origin", b.url)
	return b.do(r)
}

// A list is imported, its effects are corrected, and the correction goes through the
// preview of the policy: somebody else accepts it.
func TestImportTools(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b, amy := s.join("adam", auth.Admin), s.join("amy", auth.Admin)
	at := s.toolsAddress()
	b.get(urls.Agent("acme", s.agent.ID)).want(t, http.StatusOK, "No imported tools", at)
	b.get(at).want(t, http.StatusOK, "No imported tools", "Import a list of tools")

	b.post(at, url.Values{"list": {`{"tools":[{"name":"a b"}]}`}, "prefix": {"mcp__frobs__"}}).
		want(t, http.StatusUnprocessableEntity, "Tool 1: its name is", `value="mcp__frobs__"`, "a b")
	if got := b.post(at, url.Values{"list": {frobs}, "prefix": {"mcp__frobs__"}}); got.status != http.StatusSeeOther || got.location() != at {
		t.Fatalf("imported: %d %s %s", got.status, got.location(), got.body)
	}
	page := b.get(at).want(t, http.StatusOK, "mcp__frobs__frobnicate", "only reads", "nothing destroyed", "its description says so", "Moves money", "1 selected effect isn't accepted yet").without(t, "<b>at</b>")
	if n := strings.Count(page.body, `value="read" selected`); n != 1 { // of the three only the one whose name says nothing
		t.Errorf("%d tools are to be reads", n)
	}
	s.signedIn("cleo").get(at).want(t, http.StatusOK, "mcp__frobs__frobnicate").without(t, "Preview and propose")

	form := page.form(t, `name="base"`)
	form.Set("effect:mcp__frobs__frobnicate", "read")
	form.Set("effect:mcp__frobs__get_ride", "as-read")
	preview := b.post(at+"/accept", form).want(t, http.StatusOK, "mcp__frobs__frobnicate for "+s.agent.Name+" as imported", "weaker")
	b.post(at+"/accept", url.Values{"base": form["base"], "effect:mcp__frobs__get_ride": {"as-read"}}).want(t, http.StatusUnprocessableEntity, "Nothing would change")
	b.post(at+"/accept", url.Values{"base": form["base"], "effect:mcp__frobs__get_ride": {"harm"}}).want(t, http.StatusUnprocessableEntity, "Choose one of the effects")
	if !strings.Contains(preview.body, ">Tools of "+s.agent.Name+", as they were imported</textarea>") {
		t.Error("the reason did not come along")
	}
	save := preview.form(t, `name="lists"`)
	save.Set("reason", "imported")
	save.Set("lists", html.UnescapeString(save.Get("lists")))
	proposed := b.post("/t/acme/settings/policy", save)
	if proposed.status != http.StatusSeeOther || !strings.Contains(proposed.location(), "/proposals/") {
		t.Fatalf("saved: %d %s %s", proposed.status, proposed.location(), proposed.body)
	}
	amy.post(proposed.location()+"/accept", url.Values{"read": {"yes"}}).want(t, http.StatusSeeOther)
	f, ok := tenants.AcceptedTool(s.policyNow().Policy, s.agent.Name, "mcp__frobs__frobnicate")
	if !ok || f.Effect != effects.Read || len(f.Tool) != 64 {
		t.Errorf("accepted: %+v", f)
	}
	b.get(at).want(t, http.StatusOK, "expected: Reads").without(t, "is chosen and not accepted")

	// Another description: what was accepted holds no more.
	changed := strings.Replace(frobs, "Looks", "Polishes", 1)
	if got := b.postFile(at, "file", []byte(changed), map[string]string{"prefix": "mcp__frobs__"}); got.status != http.StatusSeeOther {
		t.Fatalf("a file: %d %s", got.status, got.body)
	}
	b.get(at).want(t, http.StatusOK, "changed", "accepted as: Reads; its server now describes it differently", "1 selected effect isn't accepted yet")
	b.post(at+"/remove", url.Values{"server": {"frobs"}}).want(t, http.StatusSeeOther)
	b.get(at).want(t, http.StatusOK, "mcp__frobs__get_ride", "gone").without(t, "mcp__frobs__frobnicate")
	b.post(at+"/remove", url.Values{"server": {"none"}}).want(t, http.StatusConflict, "no tools from the server")
}

// The form of a list takes what a list may have, as a file too, and not more.
func TestToolsFormIsBounded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.join("adam", auth.Admin)
	at := s.toolsAddress()
	large := []byte(`[{"name":"frob","description":"` + strings.Repeat("x", 200<<10) + `"}]`)
	if got := b.postFile(at, "file", large, nil); got.status != http.StatusSeeOther {
		t.Errorf("200 KiB: %d %s", got.status, got.body)
	}
	b.postFile(at, "file", bytes.Repeat([]byte(" "), toollist.MaxBytes+edge.MaxForm), nil).want(t, http.StatusUnprocessableEntity, "couldn't be read")
	b.postFile(at, "file", []byte(frobs), map[string]string{"list": frobs}).want(t, http.StatusUnprocessableEntity, "Choose a file or paste a list, not both")
	// Files are taken here alone.
	b.postFile(at+"/remove", "file", []byte(frobs), map[string]string{"server": "tools"}).want(t, http.StatusConflict)
}
