package grant_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/grant"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
)

// TestDigestVectors: the published vectors that are acts have the published
// digests here too; the others are not taken for acts.
func TestDigestVectors(t *testing.T) {
	t.Parallel()
	file, err := os.Open("../internal/canon/testdata/digests.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	acts, others := 0, 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var c struct{ Name, Input, Canonical, Digest string }
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		switch got, err := grant.Digest([]byte(c.Input)); {
		case err == nil && got != c.Digest:
			t.Errorf("%s: %s, want %s", c.Name, got, c.Digest)
		case err == nil:
			acts++
		case !errors.Is(err, grant.ErrAction):
			t.Errorf("%s: %v", c.Name, err)
		default:
			others++
		}
		// Any value can be an argument.
		wrapped, err := grant.Digest([]byte(`{"arguments":[` + c.Input + `]}`))
		tree, parsed := canon.Parse([]byte(`{"arguments":[` + c.Canonical + `]}`))
		if err != nil || parsed != nil || wrapped != canon.Digest(tree) {
			t.Errorf("%s as an argument: %s, %v, %v", c.Name, wrapped, err, parsed)
		}
	}
	if acts < 3 || others < 10 {
		t.Errorf("%d acts and %d others: the vectors are not where they were", acts, others)
	}
}

// TestDigestIsTheServers: for every submission that the server takes, the act in
// it has the digest that the server gives.
func TestDigestIsTheServers(t *testing.T) {
	t.Parallel()
	text := rapid.StringMatching(`[ -~é😀\n]{0,12}`)
	rapid.Check(t, func(t *rapid.T) {
		act := map[string]any{"function": rapid.StringMatching(`[a-z_.]{1,12}`).Draw(t, "function")}
		for _, name := range []string{"code", "action_type", "environment"} {
			if rapid.Bool().Draw(t, "has "+name) {
				act[name] = text.Draw(t, name)
			} else if rapid.Bool().Draw(t, "null "+name) {
				act[name] = nil
			}
		}
		if rapid.Bool().Draw(t, "has arguments") {
			act["arguments"] = rapid.MapOf(text, rapid.OneOf(text.AsAny(), rapid.Int32().AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil).AsAny())).Draw(t, "arguments")
		}
		action, err := json.Marshal(act)
		if err != nil {
			t.Fatal(err)
		}
		act["docstring"], act["session_id"], act["metadata"] = "about it", "s", map[string]any{"k": 1}
		submission, err := json.Marshal(act)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := canon.Parse(submission)
		if err != nil {
			t.Fatal(err)
		}
		a, err := scoring.NewAction(tree)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := grant.Digest(action); err != nil || got != a.Digest() {
			t.Errorf("%s: %s, %v; the server says %s", action, got, err, a.Digest())
		}
	})
}

func TestDigestRefuses(t *testing.T) {
	t.Parallel()
	for action, says := range map[string]string{
		`{"function":"f","docstring":"d"}`:                      `"docstring"`,
		`{"function":"f","timeout":5}`:                          `"timeout"`,
		`{"function":"f","` + strings.Repeat("x", 500) + `":1}`: `does not cover "xxx`,
		`"f"`: "is string",
		`{"arguments":{"n":0.10000000000000001}}`:              "send it as a string",
		`{"arguments":"` + strings.Repeat("x", 256<<10) + `"}`: "at most 262144",
	} {
		_, err := grant.Digest([]byte(action))
		if !errors.Is(err, grant.ErrAction) || !strings.Contains(err.Error(), says) || len(err.Error()) > 400 {
			t.Errorf("%.60s: %v, want %v with %s", action, err, grant.ErrAction, says)
		}
	}
}

// Act leaves what is approved and nothing else, and has the digest that it had.
func TestAct(t *testing.T) {
	t.Parallel()
	act, err := grant.Act([]byte(`{"session_id":"s","function":"pay","docstring":"Pays.","arguments":{"b":1.0,"a":[]},"environment":null}`))
	if err != nil || string(act) != `{"arguments":{"a":[],"b":1},"function":"pay"}` {
		t.Errorf("%s, %v", act, err)
	}
	for _, none := range []string{`{"docstring":"x"}`, `[]`, `null`, `{"function":"f","function":"g"}`} {
		if act, err := grant.Act([]byte(none)); !errors.Is(err, grant.ErrAction) || act != nil {
			t.Errorf("%s: %s, %v, want %v", none, act, err, grant.ErrAction)
		}
	}
}
