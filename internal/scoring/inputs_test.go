package scoring

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
)

// What an assessment records is read again as it was.
func TestReadInputs(t *testing.T) {
	t.Parallel()
	full := Inputs{
		CallNumber: 7, At: time.Date(2026, 3, 1, 12, 0, 0, 5000, time.UTC), Agent: "support", Environment: "staging",
		Tool:       &effects.Tool{Name: "get_x", SHA256: strings.Repeat("0a", 32), Raises: effects.Money, Effect: effects.Write, ReadOnly: true},
		Remembered: &Remembered{Approval: "apr_1", Verdict: "deny", Level: level.High, At: time.Date(2026, 3, 1, 11, 0, 0, 0, time.UTC), By: "Ada", Times: 3},
	}
	for _, in := range []Inputs{{}, {CallNumber: 1}, full} {
		b, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		v, err := canon.Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		if in.CallNumber == 0 { // no assessment has that
			v = canon.Object()
		}
		if got, err := ReadInputs(v, "/inputs"); err != nil || !reflect.DeepEqual(got, in) {
			t.Errorf("%s: got %+v, %v", b, got, err)
		}
	}
	for body, member := range map[string]string{
		`[]`:                         "/inputs",
		`{"enviroment":"x"}`:         "/inputs/enviroment",
		`{"call_number":0}`:          "/inputs/call_number",
		`{"at":"today"}`:             "/inputs/at",
		`{"at":5}`:                   "/inputs/at",
		`{"agent":5}`:                "/inputs/agent",
		`{"environment":"Staging"}`:  "/inputs/environment",
		`{"tool":"x"}`:               "/inputs/tool",
		`{"tool":{"effect":"harm"}}`: "/inputs/tool/effect",
		`{"tool":{"raises":"harm"}}`: "/inputs/tool/raises",
		`{"tool":{"sha256":"0A"}}`:   "/inputs/tool/sha256",
		`{"tool":{"read_only":1}}`:   "/inputs/tool/read_only",
		`{"remembered":{}}`:          "/inputs/remembered/verdict",
		`{"remembered":{"who":"x"}}`: "/inputs/remembered/who",
		`{"remembered":{"verdict":"deny","level":"SAFE"}}`:           "/inputs/remembered/level",
		`{"remembered":{"verdict":"deny","level":"LOW","times":-1}}`: "/inputs/remembered/times",
		`{"remembered":{"verdict":"deny","level":"LOW","at":"yes"}}`: "/inputs/remembered/at",
	} {
		v, err := canon.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadInputs(v, "/inputs"); !fault.Is(err, fault.InvalidMember) || fault.As(err).Member != member {
			t.Errorf("%s: got %v, want a refusal of %s", body, err, member)
		}
	}
}
