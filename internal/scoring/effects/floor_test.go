package effects

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/scoring/level"
)

// One line for each cell of docs/policy.md.
func TestBalanced(t *testing.T) {
	t.Parallel()
	for row, want := range map[Row]string{
		RowRead:           "LOW LOW LOW LOW",
		RowReadSensitive:  "MEDIUM MEDIUM HIGH HIGH",
		RowWrite:          "LOW MEDIUM MEDIUM HIGH",
		RowMessageInside:  "LOW MEDIUM MEDIUM HIGH",
		RowMessageOutside: "MEDIUM MEDIUM HIGH HIGH",
		RowMessagePublic:  "HIGH HIGH HIGH HIGH",
		RowDelete:         "MEDIUM HIGH HIGH CRITICAL",
		RowMoney:          "MEDIUM HIGH CRITICAL CRITICAL",
		RowPermission:     "MEDIUM HIGH HIGH CRITICAL",
		RowExecute:        "HIGH HIGH HIGH HIGH",
		RowUnknown:        "MEDIUM MEDIUM MEDIUM HIGH",
	} {
		c := Default().Cells(row)
		if got := strings.Join([]string{c.Nonproduction.String(), c.One.String(), c.Several.String(), c.All.String()}, " "); got != want {
			t.Errorf("%s: got %s, want %s", row, got, want)
		}
	}
}

// What an entry of the function registry may lower, and how far.
func TestFloorUnderAnEntry(t *testing.T) {
	t.Parallel()
	name := []Evidence{{Pointer: "/function", Why: "update"}}
	for what, c := range map[string]struct {
		effects []Effect
		to      level.Level
		want    level.Level
		entry   bool
	}{
		"a write":                       {[]Effect{{Kind: Write, Breadth: One, Evidence: name}}, low, low, true},
		"a write, to MEDIUM, as it is":  {[]Effect{{Kind: Write, Breadth: One, Evidence: name}}, medium, medium, false},
		"writes of several":             {[]Effect{{Kind: Write, Breadth: Several, Evidence: name}}, low, low, true},
		"writes of everything":          {[]Effect{{Kind: Write, Breadth: All, Evidence: name}}, low, high, false},
		"unknown":                       {[]Effect{{Kind: Unknown, Breadth: One}}, low, low, true},
		"a sensitive read":              {[]Effect{{Kind: Read, Sensitive: true, Breadth: Several, Evidence: name}}, low, low, true},
		"a message inside":              {[]Effect{{Kind: Message, Audience: Inside, Breadth: One, Evidence: name}}, low, low, true},
		"a message outside":             {[]Effect{{Kind: Message, Audience: Outside, Breadth: One, Evidence: name}}, low, medium, false},
		"a message to everybody":        {[]Effect{{Kind: Message, Audience: Public, Breadth: One, Evidence: name}}, low, high, false},
		"a deletion":                    {[]Effect{{Kind: Delete, Breadth: One, Evidence: name}}, low, medium, true},
		"money":                         {[]Effect{{Kind: Money, Breadth: One, Evidence: name}}, low, medium, true},
		"a permission":                  {[]Effect{{Kind: Permission, Breadth: Several, Evidence: name}}, low, medium, true},
		"what cannot be read":           {[]Effect{{Kind: Execute, Breadth: One, Evidence: name}}, low, high, false},
		"what an argument says":         {[]Effect{{Kind: Write, Breadth: One, Evidence: []Evidence{{Pointer: "/arguments/operation"}}}}, low, medium, false},
		"what is executed":              {[]Effect{{Kind: Write, Breadth: One, Evidence: []Evidence{{Pointer: "/code"}}}}, low, medium, false},
		"what is certain":               {[]Effect{{Kind: Write, Breadth: One, Certain: true, Evidence: name}}, low, medium, false},
		"a write beside what is run":    {[]Effect{{Kind: Write, Breadth: One, Evidence: name}, {Kind: Delete, Breadth: One, Evidence: []Evidence{{Pointer: "/code"}}}}, low, high, false},
		"two, of which it lowers both":  {[]Effect{{Kind: Write, Breadth: One, Evidence: name}, {Kind: Delete, Breadth: One, Evidence: name}}, low, medium, true},
		"nothing, where there is no to": {[]Effect{{Kind: Write, Breadth: One, Evidence: name}}, level.Safe, medium, false},
	} {
		got := Default().FloorUnder(c.effects, false, Lowering{To: c.to, Entry: "update_*"})
		if got.Level != c.want || (got.Entry != "") != c.entry {
			t.Errorf("%s: got %+v", what, got)
		}
		if c.entry && (got.Entry != "update_*" || !strings.HasSuffix(got.Because, "; the policy's function registry lowers that to "+c.want.String())) {
			t.Errorf("%s: got %+v", what, got)
		}
	}
}

// Money is held by its sum, where there is one.
func TestFloorOfMoney(t *testing.T) {
	t.Parallel()
	strict := Default()
	strict.Preset = Strict
	own := Default()
	own.Floors = map[Row]Cells{RowMoney: {One: critical}}
	for _, c := range []struct {
		settings Settings
		amount   *Amount
		breadth  Breadth
		dev      bool
		want     level.Level
	}{
		{Default(), nil, One, false, high},
		{Default(), nil, Several, false, critical},
		{Default(), &Amount{Value: 100}, One, false, medium},
		{Default(), &Amount{Value: 100, Currency: "eur"}, One, false, medium},
		{Default(), &Amount{Value: 100, Currency: "USD"}, One, false, high},
		{Default(), &Amount{Value: 100.01}, One, false, high},
		{Default(), &Amount{Value: 10_000}, One, false, high},
		{Default(), &Amount{Value: 10_000.01}, One, false, critical},
		{Default(), &Amount{Value: 100}, Several, false, high},
		{Default(), &Amount{Value: 1}, All, false, critical},
		{Default(), &Amount{Value: 1e9}, One, true, medium},
		{strict, &Amount{Value: 100}, One, false, high},
		{own, &Amount{Value: 100}, One, false, critical},
		{Settings{}, &Amount{Value: 1e9}, One, false, low},
	} {
		e := Effect{Kind: Money, Breadth: c.breadth, Amount: c.amount}
		if got := c.settings.Floor([]Effect{e}, c.dev); got.Level != c.want {
			t.Errorf("%+v %+v: got %+v, want %v", c.settings, e, got, c.want)
		}
	}
}
