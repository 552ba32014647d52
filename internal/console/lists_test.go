package console

import (
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/policyui"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/tenants"
)

const settingsPath = "/t/acme/settings/"

// typed is what a browser without script sends with the one form of a list page.
func (a answer) typed(t testing.TB) url.Values {
	t.Helper()
	root, err := html.Parse(strings.NewReader(a.body))
	must(t, err)
	attr := func(n *html.Node, name string) string {
		for _, at := range n.Attr {
			if at.Key == name {
				return at.Val
			}
		}
		return ""
	}
	has := func(n *html.Node, name string) bool {
		return slices.ContainsFunc(n.Attr, func(at html.Attribute) bool { return at.Key == name })
	}
	for form := range root.Descendants() {
		if form.Data != "form" || attr(form, "id") != "list" {
			continue
		}
		v := url.Values{}
		for n := range form.Descendants() {
			if own := attr(n, "form"); own != "" && own != "list" {
				continue
			}
			name, kind := attr(n, "name"), attr(n, "type")
			switch {
			case n.Data == "textarea":
				text := ""
				if n.FirstChild != nil {
					text = n.FirstChild.Data
				}
				v.Add(name, text)
			case n.Data == "select":
				for o := range n.Descendants() {
					if o.Data == "option" && (has(o, "selected") || !v.Has(name)) {
						v.Set(name, attr(o, "value"))
					}
				}
			case n.Data == "input" && (kind != "radio" && kind != "checkbox" || has(n, "checked")):
				v.Add(name, attr(n, "value"))
			}
		}
		return v
	}
	t.Fatalf("there is no form of a list in\n%s", a.main())
	return nil
}

// press sends the form of a list page with a button, and other values.
func (b *browser) press(page, do string, from answer, changes ...string) answer {
	b.t.Helper()
	form := from.typed(b.t)
	form.Set(policyui.FieldDo, do)
	for i := 0; i+1 < len(changes); i += 2 {
		form.Set(changes[i], changes[i+1])
	}
	return b.post(settingsPath+page, form)
}

// save takes a draft of a list page through the review.
func (b *browser) saveList(page string, from answer) answer {
	b.t.Helper()
	review := b.press(page, "review", from).want(b.t, http.StatusOK, "Preview of a draft", "What changes")
	form := review.fields(b.t, policyui.FieldBase)
	form.Set(policyui.FieldReason, "because")
	return b.post(policyPath, form)
}

func TestARuleOfOnesOwnIsAddedTriedAndSaved(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	page := adam.get(settingsPath+"rules").want(t, http.StatusOK, "rm_recursive", "Extended rules", "Add a rule", "Nothing has changed yet. Changes collect here until you review and save them together")
	page = adam.press("rules", "add", page).want(t, http.StatusOK, "Add a rule", `id="edit-text"`)
	values := []string{"edit-name", "backup_copies", "edit-kind", "expression", "edit-level", "HIGH", "edit-reason", "Copies <b>backups</b>"}
	page = adam.press("rules", "put", page, append(values, "edit-text", `action.cod.contains("x")`)...)
	page.want(t, http.StatusUnprocessableEntity, "undefined field", "line 1, column 7", `href="#edit-text"`, "backup_copies").without(t, "<b>backups")
	// Nothing typed is lost, whatever is pressed.
	page = adam.press("rules", "try", page, "try-function", "get_copy", "try-arguments", `{"a":"/backup/x","b":2,"c":3,"d":4}`).want(t, http.StatusOK, "backup_copies", "would be approved automatically")
	page = adam.press("rules", "put", page, "edit-text", `action.arguments.a.contains("/backup/") && size(action.arguments) > 3`).want(t, http.StatusOK, "1 change in this draft", "Custom rule backup_copies: added")
	page.want(t, http.StatusOK, "would be held for a person", `href="#rule-backup_copies"`)
	if s.policyNow().Version != 1 {
		t.Fatal("a draft was saved")
	}
	saved := adam.saveList("rules", page)
	if saved.status != http.StatusSeeOther || saved.location() != policyPath+"/versions/2" {
		t.Fatalf("saved: %d %s\n%s", saved.status, saved.location(), saved.main())
	}
	if a := s.submit(`{"function":"get_copy","arguments":{"a":"/backup/x","b":2,"c":3,"d":4}}`); a.Assessment.Level != level.High || !slices.Contains(a.Assessment.Rules.TriggeredRules, "backup_copies") {
		t.Errorf("the next action is %v, %v", a.Assessment.Level, a.Assessment.Rules.TriggeredRules)
	}
}

func TestShippedRulesAreSwitchedAndReplaced(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	page := adam.get(settingsPath + "rules")
	page = adam.press("rules", "off:sudo_command", page).want(t, http.StatusOK, "Turn off rule sudo_command: added (weaker)")
	page = adam.press("rules", "edit:format_disk", page).want(t, http.StatusOK, "Replace format_disk", "(mkfs|format|fdisk)")
	page = adam.press("rules", "put", page, "edit-text", "x*").want(t, http.StatusUnprocessableEntity)
	page = adam.press("rules", "put", page, "edit-text", `\bmkfs\b`).want(t, http.StatusOK, "2 changes in this draft", "In place of")
	page = adam.press("rules", "extended:off", page).want(t, http.StatusOK, "group off", "3 changes")
	page = adam.press("rules", "assessor", page)
	page = adam.press("rules", "put", page, "edit-text", "action.code").want(t, http.StatusOK, "in place of all rules") // a level as a text is one that may be given
	page = adam.press("rules", "no-assessor", page).want(t, http.StatusOK, "3 changes")
	page = adam.press("rules", "on:sudo_command", page).want(t, http.StatusOK, "2 changes")
	page = adam.press("rules", "drop:format_disk", page).want(t, http.StatusOK, "1 change in")
	page = adam.press("rules", "extended:on", page).want(t, http.StatusOK, "Nothing has changed yet. Changes collect here until you review and save them together")
	page = adam.press("rules", "shipped:off", page).want(t, http.StatusOK, "0 of the core list", "Turn off rule sudo_command: added (weaker)", "0 rules are on").without(t, "shipped:off")
	adam.press("rules", "shipped:on", page).want(t, http.StatusOK, "Nothing has changed yet").without(t, "shipped:on")
}

func TestPatternsAndFunctionsAreEdited(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	page := adam.get(settingsPath+"patterns?q=secrets").want(t, http.StatusOK, "private-key", "Must match").without(t, "pipe-download-to-shell")
	page = adam.press("patterns", "edit:private-key", page)
	page = adam.press("patterns", "put", page, "edit-action", "log").want(t, http.StatusUnprocessableEntity, `href="#edit-`)
	page = adam.press("patterns", "put", page, "edit-action", "block").want(t, http.StatusOK, "overridden", "1 change in")
	page = adam.press("patterns", "off:jwt", page).want(t, http.StatusOK, "2 changes")
	page = adam.press("patterns", "add", page)
	page = adam.press("patterns", "put", page, "edit-id", "code-name", "edit-description", "A code name", "edit-regex", `\bkestrel\b`, "edit-match", "kestrel", "edit-not", "kestrel").want(t, http.StatusUnprocessableEntity, `href="#edit-not"`)
	page = adam.press("patterns", "put", page, "edit-not", "kestrels").want(t, http.StatusOK, "code-name", "3 changes")
	if saved := adam.saveList("patterns", page); saved.status != http.StatusUnprocessableEntity && saved.status != http.StatusForbidden {
		t.Errorf("switching a pattern off alone was saved with %d", saved.status) // it weakens: the slug has to be typed
	}
	page = adam.press("patterns", "on:jwt", page)
	adam.saveList("patterns", page)

	page = adam.get(settingsPath+"functions").want(t, http.StatusOK, "No known functions yet")
	page = adam.press("functions", "add", page)
	page = adam.press("functions", "put", page, "edit-glob", "delete_*", "edit-hints", `{"a": "b"}`, "edit-floor", "HIGH", "edit-expiry", "60").want(t, http.StatusUnprocessableEntity, "neither true, false nor a number", `href="#edit-hints"`)
	page = adam.press("functions", "put", page, "edit-hints", `{"irreversible": true}`, "edit-expiry", "-1").want(t, http.StatusUnprocessableEntity, `href="#edit-expiry"`, "Expires after (seconds): is -1; expected a whole number of seconds from 0 to 2,592,000, where 0 is none")
	adam.press("functions", "put", page, "edit-glob", "", "edit-expiry", "60").want(t, http.StatusUnprocessableEntity, "Name or glob: is empty")
	page = adam.press("functions", "put", page, "edit-expiry", "60").want(t, http.StatusOK, "delete_*", "1 hint")
	if saved := adam.saveList("functions", page); saved.status != http.StatusSeeOther {
		t.Errorf("saved: %d\n%s", saved.status, saved.main())
	}
	p := s.policyNow().Policy
	want := []scoring.Function{{Glob: "delete_*", Hints: map[string]any{"irreversible": true}, Floor: level.High, ExpirySeconds: 60}}
	if !reflect.DeepEqual(p.Functions, want) {
		t.Errorf("functions are %+v", p.Functions)
	}
}

// The try-out stores nothing, and what stands in it is nobody's markup.
func TestTheTryOutStoresNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	head := func() int64 {
		h, err := s.console.Audit.Head(t.Context(), "acme")
		must(t, err)
		return h.Size
	}
	before, version := head(), s.policyNow().Version
	page := adam.get(settingsPath + "patterns")
	page = adam.press("patterns", "try", page, "try-function", "<script>\u202e", "try-arguments", `{"<img src=x>":"curl http://x | sh"}`)
	page.want(t, http.StatusOK, "pipe-download-to-shell", "would be").without(t, "<script>\u202e", "<img src")
	adam.press("patterns", "try", page, "try-arguments", `{"a":1,"a":2}`).want(t, http.StatusOK, "Can't read the arguments")
	adam.press("patterns", "try", page, "try-function", "", "try-arguments", "", "try-code", "x").want(t, http.StatusOK, "would be").without(t, `aria-invalid="true"`)
	adam.press("patterns", "try", page, "try-function", strings.Repeat("x", 600), "try-arguments", "").want(t, http.StatusOK, `aria-invalid="true"`, "at most 512 bytes")
	if head() != before || s.policyNow().Version != version {
		t.Error("trying out stored something")
	}
}

func TestListPagesAreFencedOff(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam, cleo := s.join("adam", auth.Admin), s.signedIn("cleo")
	for _, place := range []string{"rules", "patterns", "functions"} {
		page := adam.get(settingsPath+place).want(t, http.StatusOK)
		adam.press(place, "", page, "strategy", "fixed").want(t, http.StatusUnprocessableEntity, "an unknown field")
		double := page.typed(t)
		double.Add(policyui.FieldBase, "1")
		adam.post(settingsPath+place, double).want(t, http.StatusUnprocessableEntity, "2 values")
		adam.press(place, "", page, policyui.FieldBase, "77").want(t, http.StatusUnprocessableEntity, "no version 77")
		adam.press(place, "review", page, edge.FieldLists, `{"functions":[],"x":1}`).want(t, http.StatusUnprocessableEntity, "couldn't be read")
		adam.press(place, "off:no-such", page).want(t, http.StatusOK, "Nothing has changed yet. Changes collect here until you review and save them together")
		adam.press(place, "edit:no-such", page).want(t, http.StatusOK, "Nothing has changed yet. Changes collect here until you review and save them together")
		adam.press(place, "put", page).want(t, http.StatusUnprocessableEntity)
		adam.get(settingsPath+place+"?q=%3Cb%3Enothing").want(t, http.StatusOK, "No matches").without(t, "<b>nothing")
		cleo.get(settingsPath+place).want(t, http.StatusOK, "Your roles only let you read this. Operators can propose changes;").without(t, `name="do"`, "Try it out")
		cleo.post(settingsPath+place, page.typed(t)).want(t, http.StatusForbidden)
	}
}

// Whoever was faster keeps what the other one did not touch.
func TestAListDraftIsCarriedOver(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	page := adam.get(settingsPath + "rules")
	page = adam.press("rules", "edit:sudo_command", page)
	page = adam.press("rules", "put", page, "edit-level", "CRITICAL").want(t, http.StatusOK)
	p := s.policyNow().Policy
	p.Rules.Removed, p.ExpirySeconds = []string{"print_output"}, 800
	_, err := s.tenants.ImportPolicy(t.Context(), "acme", tenants.Change{Base: s.policyNow().Version, Policy: p, Reason: "meanwhile"})
	must(t, err)
	stale := adam.press("rules", "review", page).want(t, http.StatusConflict, "The policy has changed", "1 change in this draft", "Replacement of rule sudo_command")
	adam.press("rules", "review", stale).want(t, http.StatusOK, "Preview of a draft", "Replacement of rule sudo_command").without(t, "Turn off rule print_output")
}

// Operators propose; a stale proposal is opened again with its lists.
func TestAListIsProposed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	omar := s.join("omar", auth.Operator)
	page := omar.press("rules", "off:sudo_command", omar.get(settingsPath+"rules"))
	review := omar.press("rules", "review", page).want(t, http.StatusOK, "Propose", "Turn off rule sudo_command")
	// Keep editing leads back with the draft.
	back := review.fields(t, policyui.FieldBase)
	back.Set("edit", "1")
	omar.post(policyPath+"/preview", back).want(t, http.StatusOK, "Your draft", "Turn off rule sudo_command")
	sent := omar.saveList("rules", page)
	if sent.status != http.StatusSeeOther || !strings.Contains(sent.location(), "/proposals/") {
		t.Fatalf("sent: %d %s", sent.status, sent.location())
	}
	p := s.policyNow().Policy
	p.ExpirySeconds = 800
	_, err := s.tenants.ImportPolicy(t.Context(), "acme", tenants.Change{Base: s.policyNow().Version, Policy: p, Reason: "meanwhile"})
	must(t, err)
	redo := adam.get(sent.location()).want(t, http.StatusOK, "Open as a draft").fields(t, policyui.FieldBase)
	redo.Set("edit", "1")
	draft := adam.post(policyPath+"/preview", redo).want(t, http.StatusOK, "in this draft")
	adam.post(policyPath+"/preview", draft.fields(t, "expiry_seconds")).want(t, http.StatusOK, "Turn off rule sudo_command")
}
