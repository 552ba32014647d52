package command

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/auth"
)

// post sends a form as the organisation's person and looks at the whole answer.
func (h *canaryHouse) post(path string, form url.Values) (int, string) {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, h.URL()+path, strings.NewReader(form.Encode()))
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", h.URL())
	return h.visit(req, "the answer to POST "+path)
}

func (h *canaryHouse) get(path string) (int, string) {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, h.URL()+path, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.visit(req, "the page "+strings.SplitN(path, "?", 2)[0])
}

func (h *canaryHouse) visit(req *http.Request, place string) (int, string) {
	h.t.Helper()
	res, err := h.tenant.person.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	return res.StatusCode, string(h.took(res, place).raw)
}

// people writes secrets where a reason is kept, which has to go well, and where a name is,
// which must not.
func (h *canaryHouse) people() {
	h.t.Helper()
	for kind := range canaryKinds {
		h.denies(kind)
		h.writes(kind)
		h.names(kind)
		for path, field := range map[string]string{"history": "function", "audit": "text", "queue": "q"} {
			h.get("/t/acme/" + path + "?" + url.Values{field: {h.secret(kind, "a search")}}.Encode())
		}
	}
}

// denies gives a reason, which the agent is told.
func (h *canaryHouse) denies(kind int) {
	h.t.Helper()
	_, a := h.ask("asking", "POST", "/api/v1/approvals", `{"function": "deploy_service", "arguments": {"service": "s`+strconv.Itoa(kind)+`"}}`)
	h.ids = append(h.ids, a.ID)
	form := url.Values{"verdict": {"deny"}, "reason": {"not with " + h.secret(kind, "a reason")}, "digest": {a.ShownDigest}, "version": {"1"}}
	status, page := h.post("/t/acme/approvals/"+a.ID+"/decide", form)
	_, told := h.ask("asking", "GET", "/api/v1/approvals/"+a.ID, "")
	if status != http.StatusOK || told.Decision == nil || !strings.Contains(told.Decision.Reason, "not with ") || !strings.Contains(told.Decision.Reason, "[REDACTED:") {
		h.t.Errorf("kind %d in a reason: %d %.200s; the agent is told %s", kind, status, page, told.raw)
	}
}

// writes keeps other texts, and searches that are told in the trail.
func (h *canaryHouse) writes(kind int) {
	h.t.Helper()
	ids := h.tenant.ids
	for path, form := range map[string]url.Values{
		"settings/agents/" + ids["agent"] + "/incident":           {"reason": {"it leaked " + h.secret(kind, "an incident")}},
		"settings/standing-grants/" + ids["standing"] + "/revoke": {"reason": {h.secret(kind, "a reason to revoke")}},
		"settings/agents/" + ids["agent"] + "/tools":              {"server": {"two"}, "list": {`[{"name": "tool_x", "description": ` + strconv.Quote("does "+h.secret(kind, "a tool's description")) + `}]`}},
		"settings/reasons": {"deny": {h.secret(kind, "an offered reason")}},
		"insights.csv":     {"figure": {"levels"}, "function": {h.secret(kind, "a filter of the insights")}},
		"queue/filters":    {"name": {"f" + strconv.Itoa(kind)}, "q": {h.secret(kind, "a search")}},
		"history/filters":  {"name": {"f" + strconv.Itoa(kind)}, "function": {h.secret(kind, "a search of the history")}},
		"audit/filters":    {"name": {"f" + strconv.Itoa(kind)}, "text": {h.secret(kind, "a search of the trail")}},
		"audit.csv":        {"text": {h.secret(kind, "the search of an export")}},
		"audit.jsonl":      {"text": {h.secret(kind, "the search of an export")}},
		"history.csv":      {"function": {h.secret(kind, "the search of an export")}},
	} {
		if status, page := h.post("/t/acme/"+path, form); status != http.StatusOK && status != http.StatusConflict {
			h.t.Errorf("kind %d, %s: %d %.200s", kind, path, status, page)
		}
	}
}

// names gives names that cannot be masked.
func (h *canaryHouse) names(kind int) {
	h.t.Helper()
	ids, name := h.tenant.ids, strings.ReplaceAll(h.secret(kind, "a name"), "\n", " ")
	for _, c := range []struct {
		path string
		form url.Values
	}{
		{"settings/agents", url.Values{"name": {name}, "key": {auth.NewID("key")}}},
		{"settings/people", url.Values{"email": {name + "@acme.test"}, "role": {"operator"}, "ticket": {auth.NewID("tkt")}}},
		{"settings/agents/" + ids["agent"] + "/bind", url.Values{"environment": {strings.ToLower(name)}, "reason": {"x"}}},
		{"settings/agents/" + ids["agent"] + "/tools", url.Values{"server": {"one"}, "list": {`[{"name": ` + strconv.Quote(name) + `, "description": "x"}]`}}},
		{"settings/agents/" + ids["agent"] + "/tools", url.Values{"server": {name}, "list": {`[{"name": "x"}]`}}},
	} {
		if status, page := h.post("/t/acme/"+c.path, c.form); status != http.StatusUnprocessableEntity {
			h.t.Errorf("kind %d as a name in %s: %d %.300s; want 422", kind, c.path, status, page)
		}
	}
}
