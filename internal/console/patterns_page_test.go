package console

import (
	"encoding/csv"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/policyui"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// Two high matches, one medium, one low: 20 + 17 + 8 + 2 = 47.
const fourMatches = `{"function":"update_note","arguments":{"card":"4111 1111 1111 1111","iban":"DE89 3704 0044 0532 0130 00","note":"ssn 536-22-8726"},"code":"Authorization: Bearer abcdefghijklmnop0123456789"}`

// howItCame is everything that a reviewer needs to do the sum again.
var howItCame = []string{
	"Pattern model", "Dangerous", "47 of 100", "31–55 points: confirm", "0 critical, 2 high, 1 medium, 1 low", "score_override_threshold", "How the score was calculated",
	"20 + 17 + 8 + 2 = 47", "20 × 0.85^1", "card-number", "us-social-security-number", "/arguments/card, bytes 0 to 22",
}

// A reviewer sees on the request page, on that of the entry, and in both tables, why the
// pattern model says what it says; no database is needed.
func TestAReviewerReconstructsThePatternModel(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(fourMatches)
	b := s.signedIn("cleo") // who decides nothing, so nothing is sealed
	b.get("/t/acme/approvals/"+a.ID).want(t, http.StatusOK, append(howItCame, "categorical_severity", "not exceeded")...)
	b.get("/t/acme/audit/"+s.indexOf(a.ID, audit.Submitted)).want(t, http.StatusOK, append(howItCame, "categorical_severity")...)

	s.policy(func(p *scoring.Policy) { p.ScoreOverrideThreshold = 30 })
	blocked := s.submit(strings.Replace(fourMatches, "update_note", "update_notes", 1))
	for _, page := range []string{"/t/acme/approvals/" + blocked.ID, "/t/acme/audit/" + s.indexOf(blocked.ID, audit.Submitted)} {
		b.get(page).want(t, http.StatusOK, append(howItCame, "Blocks above", "30", "exceeded by the score of 47", "the score is above the threshold, which blocks")...)
	}
	for _, file := range []string{"/t/acme/audit.csv", "/t/acme/history.csv"} {
		rows, err := csv.NewReader(strings.NewReader(b.post(file, nil).want(t, http.StatusOK).body)).ReadAll()
		must(t, err)
		from := slices.Index(rows[0], audit.PatternHead[0])
		if from < 0 {
			t.Fatalf("%s has the columns %q", file, rows[0])
		}
		i := slices.IndexFunc(rows, func(row []string) bool { return slices.Contains(row, blocked.ID) && row[from] != "" })
		if i < 0 {
			t.Fatalf("%s tells nothing of %s", file, blocked.ID)
		}
		cells := rows[i][from:]
		want := []string{"dangerous", "47", "47", "high", "0", "2", "1", "1", "redact", "block", patterns.ReasonThreshold, "30", "yes"}
		if !slices.Equal(cells[:len(want)], want) || strings.Count(cells[len(want)], " adds ") != 4 || !strings.Contains(cells[len(want)], "card-number (high, redact) adds ") {
			t.Errorf("%s tells %q, want %q and the matches", file, cells, want)
		}
	}
}

// What is clean says so, and no more.
func TestACleanRequestHasOneLineOfPatterns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(medium)
	s.signedIn("ada").get("/t/acme/approvals/"+a.ID).want(t, http.StatusOK, "Pattern model", "Clean", "0 of 100: no pattern matched").without(t, "How the score was calculated", "Blocks above")
}

// The pattern score is a part of the score: it stays sealed as long as that.
func TestThePatternModelIsSealedWithTheScore(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(strings.Replace(strings.Replace(fourMatches, "update_note", "delete_user", 1), `"arguments":{`, `"arguments":{"ticket":"SUP-58213",`, 1)) // the row says all but the ticket
	b := s.join("eve", auth.Operator, auth.Compliance)
	sealed := []string{"Pattern model", "47", "0.85^1", "Suspicious", "Dangerous", "Overall severity"}
	page := b.get("/t/acme/approvals/"+a.ID).want(t, http.StatusOK, "Score hidden", "card-number")
	page.without(t, sealed[0], sealed[2], sealed[3], sealed[4], sealed[5])
	entry := b.get("/t/acme/audit/"+s.indexOf(a.ID, audit.Submitted)).want(t, http.StatusOK, "Hidden from you.")
	entry.without(t, sealed[0], sealed[2], sealed[3], sealed[4], sealed[5])
	rows, err := csv.NewReader(strings.NewReader(b.post("/t/acme/audit.csv", nil).want(t, http.StatusOK).body)).ReadAll()
	must(t, err)
	from := slices.Index(rows[0], audit.PatternHead[0])
	for _, row := range rows[1:] {
		if slices.Contains(row, a.ID) && strings.Join(row[from:], "") != "" {
			t.Errorf("a file tells %q", row[from:])
		}
	}
}

// Help and policy page have the reference table, and say that it decides nothing.
func TestTheReferenceTableOfScores(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn("ada")
	for _, page := range []string{"/t/acme/help", "/t/acme/settings/policy"} {
		b.get(page).want(t, http.StatusOK, "1–15", "16–30", "31–55", "56–79", "80–100", "For guidance only")
	}
}

// One box makes every critical pattern block. The review says what becomes stricter, the
// replay what it would have blocked; taking it back is weaker.
func TestBlockAllCriticalIsOneBox(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(`{"function":"run_query","code":"COPY people FROM PROGRAM 'id'"}`)
	b := s.join("dana", auth.Admin)
	form := b.edited()
	form.Set(policyui.FieldReason, "As the published table says.")
	form.Set("block_all_critical", "true") // a box that is not ticked is not sent
	preview := b.post(policyPath+"/preview", form).want(t, http.StatusOK, "Every critical pattern blocks", "/block_all_critical", "Would be blocked").without(t, "becomes weaker")
	if _, after, _ := strings.Cut(preview.body, "Would be blocked"); !strings.Contains(after[:120], ">1<") {
		t.Errorf("the replay says %.200s", after)
	}
	b.post(policyPath, preview.fields(t, "base")).want(t, http.StatusSeeOther)
	if now := s.policyNow(); !now.Policy.BlockAllCritical {
		t.Fatal("it is not saved")
	}
	again := s.submit(`{"function":"run_query","code":"COPY people FROM PROGRAM 'ls'"}`)
	if a.Treatment.Blocked() || !again.Treatment.Blocked() {
		t.Errorf("before it was %+v, now it is %+v", a.Treatment, again.Treatment)
	}
	b.get("/t/acme/settings/patterns?q=sql-runs-program").want(t, http.StatusOK, "all block", "“Block all critical” on the policy page makes every critical pattern block, whatever its own action. Masked values stay masked")
}
