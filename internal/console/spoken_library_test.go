package console

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/policyui"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/rules"
	"github.com/countersign/countersign/views/texts"
)

// What comes with the program is said; what an organisation or an agent wrote is not.
func TestTheLibrarySpeaksTheReadersLanguage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	own := adam.press("rules", "add", adam.get(settingsPath+"rules"))
	own = adam.press("rules", "put", own, "edit-name", "backup", "edit-text", "backup", "edit-level", "HIGH", "edit-reason", "Copies %d backups")
	s.inTwo()
	form := own.typed(t)
	form.Set(policyui.FieldDo, "show")
	page := adam.in(pseudo, settingsPath+"rules", form)
	if !strings.Contains(page.body, ">Copies %d backups<") || !strings.Contains(page.body, "⟦"+rules.Core()[0].Reason+"⟧") {
		t.Errorf("the rules are\n%s", page.main())
	}
	for _, p := range patterns.Default().Patterns()[:5] {
		library := adam.in(pseudo, settingsPath+"patterns?group=category-"+p.Category, nil).body
		if !strings.Contains(library, "⟦"+strings.SplitAfterN(p.Description, " ", 3)[0]) {
			t.Errorf("%s is not said", p.ID)
		}
	}
	a := s.submit(critical)
	if page := s.signedIn("ada").in(pseudo, "/t/acme/approvals/"+a.ID, nil); !strings.Contains(page.body, "⟦"+a.Assessment.Rules.Reasons[0]+"⟧") {
		t.Errorf("the request is without %q\n%s", a.Assessment.Rules.Reasons[0], page.main())
	}
}

// What an organisation wrote is no key, although it reads like a text of ours, and
// nothing in it is a verb.
func TestOwnSentencesStay(t *testing.T) {
	t.Parallel()
	for _, own := range []string{"", "Approve", "HIGH", "Deletes %s of {1} 100 %", "%[1]*[2]d"} {
		if got := present.BuiltIn(texts.Pseudo(), own); got != own {
			t.Errorf("%q is said as %q", own, got)
		}
	}
	p, r := patterns.Default().Patterns()[0], rules.Core()[0]
	for _, ours := range []string{p.Description, r.Reason} {
		if got := present.BuiltIn(texts.Pseudo(), ours); got != "⟦"+ours+"⟧" || present.BuiltIn(texts.Printer{}, ours) != ours {
			t.Errorf("%q is said as %q", ours, got)
		}
	}
}

// The words that stand for what is folded are ours; what is around them is not.
func TestFoldsSpeakTheReadersLanguage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a" + strings.Repeat("\n", 60) + "Deny": "a\n|⟦59 blank lines⟧|Deny",
		"a" + strings.Repeat(" ", 50) + "%d":    "a|⟦50 spaces⟧|%d",
		"a\xffb":                                "a|⟦not UTF-8⟧|b",
		"":                                      "⟦an empty text⟧",
	} {
		var all []string
		for _, r := range untrusted.OrEmpty(untrusted.Runs(text)) {
			all = append(all, r.Shown(texts.Pseudo()))
		}
		if got := strings.Join(all, "|"); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
