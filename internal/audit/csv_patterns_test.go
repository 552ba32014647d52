package audit_test

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
)

const scored = `{"treatment":{"patterns":{"label":"dangerous","numeric_score":58,"raw_score":57.8,"categorical_severity":"critical",
	"severity_counts":{"critical":1,"high":1,"medium":0,"low":0},"base_action":"confirm","action":"block","action_reason":"score_override_threshold",
	"score_override_threshold":50,"score_override_exceeded":true,"matched_patterns":[
	{"id":"overwrite-disk","severity":"critical","action":"confirm","contribution":40,"field":"/code","start":3,"end":9,"occurrences":2},
	{"id":"jwt","severity":"high","action":"confirm","keeps_mask":true,"contribution":17.8,"field":"/arguments/a","key":true,"start":0,"end":4,"occurrences":1}]}}}`

// One row of the table tells why: no database, and no JSON, is needed.
func TestATableTellsThePatternModel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data string
		want []string
	}{
		"scored": {scored, []string{
			"dangerous", "58", "57.8", "critical", "1", "1", "0", "0", "confirm", "block", "score_override_threshold", "50", "yes",
			"overwrite-disk (critical, confirm) adds 40 in /code bytes 3-9, 2 times; jwt (high, confirm, masked) adds 17.8 in the name of /arguments/a bytes 0-4, 1 times",
		}},
		"clean": {`{"treatment":{"patterns":{"label":"clean","numeric_score":0,"action":"allow","action_reason":"no_match","score_override_threshold":85}}}`, []string{
			"clean", "0", "0", "", "0", "0", "0", "0", "allow", "allow", "no_match", "85", "no", "",
		}},
		"sealed, or from before": {`{"digest":"x"}`, make([]string, len(audit.PatternHead))},
	} {
		data, err := canon.Parse([]byte(c.data))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		table := audit.NewCSV(&out)
		table.EventHead()
		table.Event(audit.Record{Event: audit.Event{Tenant: "acme", Kind: audit.Submitted, Data: data}}, func(kind, id string) string { return id })
		if err := table.Flush(); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
		if err != nil || len(rows) != 2 || len(rows[0]) != len(rows[1]) {
			t.Fatalf("%s: %v\n%s", name, err, out.String())
		}
		from := slices.Index(rows[0], audit.PatternHead[0])
		if got := rows[1][from:]; !slices.Equal(got, c.want) || !slices.Equal(rows[0][from:], audit.PatternHead) {
			t.Errorf("%s: %q\nwant %q", name, got, c.want)
		}
	}
}
