package httpapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/long"
)

// TestTheCorpusOverHTTP sends every file of the gate's corpus to the API, as the
// whole body and as an argument inside one: what the gate refuses is a problem
// with its code, and nothing is our fault.
func TestTheCorpusOverHTTP(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	const corpus = "../canon/testdata/corpus"
	table, err := os.ReadFile(filepath.Join(corpus, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	h := handler(t)
	send := func(path, body string) (status int, code string) {
		req := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		req.Host = "localhost"
		req.Header.Set("Authorization", keyOne)
		req.Header.Set("Content-Type", "application/json")
		res := httptest.NewRecorder()
		h.ServeHTTP(res, req)
		var p httpserver.Problem
		if res.Code >= 400 {
			_ = json.Unmarshal(res.Body.Bytes(), &p) // that it is one is held by recorded
		}
		return res.Code, strings.TrimPrefix(p.Type, httpserver.ProblemType(""))
	}
	for row := range strings.Lines(string(table)) {
		name, rest, _ := strings.Cut(row, "\t")
		want, _, _ := strings.Cut(rest, "\t")
		file, err := os.ReadFile(filepath.Join(corpus, name))
		if err != nil {
			t.Error(err)
			continue
		}
		body, accepted := string(file), strings.HasPrefix(want, "sha256:")
		status, code := send("/api/v1/approvals", body)
		switch {
		case accepted && status != 422: // JSON, but no action
			t.Errorf("%s as the body: %d %s", name, status, code)
		case !accepted && (status < 400 || status >= 500 || code != want):
			t.Errorf("%s as the body: %d %s, want %s", name, status, code, want)
		}
		inside := `{"function":"f","arguments":[` + body + `]}`
		status, code = send("/api/v1/assessments", inside)
		if _, err := canon.Parse([]byte(inside)); (err == nil) != (status == 200) || status >= 500 {
			t.Errorf("%s as an argument: %d %s, the gate says %v", name, status, code, err)
		}
	}
}
