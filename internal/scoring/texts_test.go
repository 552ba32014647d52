package scoring

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// textExample is a call with a text about commands in it.
type textExample struct {
	Function  string         `json:"function"`
	Arguments map[string]any `json:"arguments"`
	Level     string         `json:"-"` // that it has
	Least     string         `json:"-"` // that it has at least; HIGH where it says nothing
}

func (x textExample) action(t *testing.T) Action {
	t.Helper()
	raw, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return action(t, string(raw))
}

func textExamples(t *testing.T) (texts, held []textExample) {
	t.Helper()
	raw, err := os.ReadFile("testdata/texts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Texts, Held []textExample }
	if err := yaml.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Texts) == 0 || len(all.Held) == 0 {
		t.Fatal("there are no examples")
	}
	return all.Texts, all.Held
}

// TestTextsAboutCommands: a text that nothing runs has the level of what the call does, and
// one that may be run has that of the command.
func TestTextsAboutCommands(t *testing.T) {
	t.Parallel()
	texts, held := textExamples(t)
	policy := judging(t, effects.Balanced, nil)
	for _, x := range texts {
		if as := policy.Assess(x.action(t), 1, nil); as.Level.String() != x.Level {
			t.Errorf("%v is %s, want %s: %s", x, as.Level, x.Level, as.Explanation)
		}
	}
	for _, x := range held {
		least := level.High
		if x.Least != "" {
			if err := least.UnmarshalText([]byte(x.Least)); err != nil {
				t.Fatal(err)
			}
		}
		if as := policy.Assess(x.action(t), 1, nil); as.Level < least {
			t.Errorf("%v is %s, want at least %s: %s", x, as.Level, least, as.Explanation)
		}
	}
}

// TestTextsCountWhereTheyDid: the preset without floors keeps every level, rules and
// patterns of an organisation's own count wherever they stand, and so does a pattern that
// it changed.
func TestTextsCountWhereTheyDid(t *testing.T) {
	t.Parallel()
	ticket := action(t, `{"function":"create_ticket","arguments":{"body":"someone ran sudo rm -rf /srv; DROP TABLE users;"}}`)
	as := judging(t, effects.Balanced, nil).Assess(ticket, 1, nil)
	if as.Level != level.Medium || !slices.Contains(as.SetAside, "shell_recursive_delete") || !slices.Contains(as.SetAside, "delete-recursively") {
		t.Fatalf("it is %s, without %v", as.Level, as.SetAside)
	}
	plain := judging(t, effects.Published, nil).Assess(ticket, 1, nil)
	if plain.Level != level.Critical || plain.SetAside != nil {
		t.Errorf("published: it is %s, without %v", plain.Level, plain.SetAside)
	}
	// What the models said stays recorded.
	if as.Score != plain.Score || !reflect.DeepEqual(as.Rules, plain.Rules) || !reflect.DeepEqual(as.Patterns, plain.Patterns) {
		t.Error("what the models said is not as published")
	}
	own := judging(t, effects.Balanced, func(p *Policy) {
		p.Rules.Custom = []OwnRule{{Name: "ours", Pattern: `rm -rf`, Level: level.Critical, Reason: "Ours"}}
	})
	if as := own.Assess(ticket, 1, nil); as.Level != level.Critical {
		t.Errorf("with a rule of its own it is %s", as.Level)
	}
	changed := judging(t, effects.Balanced, func(p *Policy) {
		p.PatternOverrides.Change = []patterns.Change{{ID: "delete-recursively", Severity: patterns.High}}
	})
	if as := changed.Assess(ticket, 1, nil); as.Level < level.High {
		t.Errorf("with a pattern that it made high it is %s", as.Level)
	}
}

// TestTextsThatAreMany: where a rule or a pattern finds more than it lists, the rest may be
// executed; and what is disguised is no text like any.
func TestTextsThatAreMany(t *testing.T) {
	t.Parallel()
	policy := judging(t, effects.Balanced, nil)
	for _, body := range []string{strings.Repeat("rm -rf /srv; ", 30), "r\u200bm -rf /srv/x", "ｒｍ -rf /srv/x"} {
		text, _ := json.Marshal(body)
		if as := policy.Assess(action(t, `{"function":"create_ticket","arguments":{"body":`+string(text)+`}}`), 1, nil); as.Level < level.High {
			t.Errorf("%q is %s without %v: %s", body, as.Level, as.SetAside, as.Explanation)
		}
	}
}
