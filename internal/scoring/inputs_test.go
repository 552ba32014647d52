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
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// What an assessment records is read again as it was.
func TestReadInputs(t *testing.T) {
	t.Parallel()
	full := Inputs{
		CallNumber: 7, At: time.Date(2026, 3, 1, 12, 0, 0, 5000, time.UTC), Agent: "support", Environment: "staging",
		Tool:       &effects.Tool{Name: "get_x", SHA256: strings.Repeat("0a", 32), Raises: effects.Money, Effect: effects.Write, ReadOnly: true},
		Remembered: &Remembered{Approval: "apr_1", Verdict: "deny", Level: level.High, At: time.Date(2026, 3, 1, 11, 0, 0, 0, time.UTC), By: "Ada", Times: 3},
		Workspace:  &workspace.Binding{Folder: "/srv/shop", Sandboxed: true},
		Memory: &workspace.Memory{Full: true, Files: []workspace.File{
			{Path: "/srv/shop/a.py", SHA256: strings.Repeat("0a", 32), Findings: []workspace.Finding{workspace.Network, workspace.Hidden}, Reviewed: true},
			{Path: "/srv/shop/Makefile", Tasks: []workspace.Task{{Name: "deploy", Level: level.High, Because: "it pushes", Runs: []string{"/srv/shop/push.sh"}}}, Foreign: true, Folder: true, Gone: true},
		}},
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
		`{"workspace":"/srv/shop"}`:                                  "/inputs/workspace",
		`{"workspace":{}}`:                                           "/inputs/workspace/folder",
		`{"workspace":{"folder":"shop"}}`:                            "/inputs/workspace/folder",
		`{"workspace":{"folder":"/srv/shop","sandboxed":"yes"}}`:     "/inputs/workspace/sandboxed",

		`{"memory":[]}`:           "/inputs/memory",
		`{"memory":{"full":1}}`:   "/inputs/memory/full",
		`{"memory":{"files":{}}}`: "/inputs/memory/files",
		`{"memory":{"files":[{"path":"/a","before":["odd"]}]}}`:   "/inputs/memory/files/0/before/0",
		`{"memory":{"files":[{"path":"a"}]}}`:                     "/inputs/memory/files/0/path",
		`{"memory":{"files":[{"path":"/a/../b"}]}}`:               "/inputs/memory/files/0/path",
		`{"memory":{"files":[{"path":"/a","findings":["bad"]}]}}`: "/inputs/memory/files/0/findings/0",
		`{"memory":{"files":[{"path":"/a","text":"x"}]}}`:         "/inputs/memory/files/0/text",

		`{"memory":{"files":[{"path":"/a"},{"path":"/a","tasks":[{"level":"worst"}]}]}}`: "/inputs/memory/files/1/tasks/0/level",
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
