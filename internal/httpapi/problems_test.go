package httpapi

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
)

var problemRow = regexp.MustCompile("^\\| `([a-z-]+)` \\| (\\d{3}) \\| ([^|]+) \\| ([^|]+) \\|$")

// TestTheTableOfProblems holds docs/problems.md against the code: every code
// stands in it once, with its status and title, and under the right heading.
func TestTheTableOfProblems(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/problems.md")
	if err != nil {
		t.Fatal(err)
	}
	c, err := theContract()
	if err != nil {
		t.Fatal(err)
	}
	document, err := c.doc.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	heading, rows := "", map[fault.Code]int{}
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "## ") {
			heading = line
		}
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		row := problemRow.FindStringSubmatch(line)
		if row == nil {
			t.Errorf("no row: %s", line)
			continue
		}
		code := fault.Code(row[1])
		rows[code]++
		if row[2] != strconv.Itoa(httpserver.Status(code)) || row[3] != httpserver.Title(code) {
			t.Errorf("%s is %d %q, and in the table %s %q", code, httpserver.Status(code), httpserver.Title(code), row[2], row[3])
		}
		inDocument := strings.Contains(string(document), `"`+httpserver.ProblemType(code)+`"`) || code == fault.MethodNotAllowed
		if forAgents := heading == "## What agents meet"; forAgents != inDocument {
			t.Errorf("%s stands under %q; is it in the OpenAPI document: %v", code, heading, inDocument)
		}
	}
	for _, code := range fault.Codes() {
		if rows[code] != 1 {
			t.Errorf("%s has %d rows in docs/problems.md; give it one with what to do", code, rows[code])
		}
		delete(rows, code)
	}
	for code := range rows {
		t.Errorf("docs/problems.md has %s, which is no code", code)
	}
}
