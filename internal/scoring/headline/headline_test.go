package headline_test

import (
	"bufio"
	"encoding/json"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/headline"
)

// of is the headline of an action.
func of(t testing.TB, action canon.Value) headline.Headline {
	t.Helper()
	return headline.Of(read(action))
}

// read is a call and what is found out about it.
func read(action canon.Value) (*call.Call, headline.Reading) {
	c := &call.Call{Function: action.Get("function").Text(), Arguments: action.Get("arguments"), Code: action.Get("code").Text(), Environment: action.Get("environment").Text()}
	all := effects.Examine(effects.Input{Function: c.Function, Arguments: c.Arguments, Code: c.Code, Docstring: action.Get("docstring").Text(), Call: c}).Effects(effects.Given{})
	effects.Default().Floor(all, false)
	return c, headline.Reading{Effects: all, Facts: facts.Extract(c)}
}

// lines calls f for each line of a file, with its action.
func lines[T any](t *testing.T, file string, f func(c T, action canon.Value)) {
	t.Helper()
	open, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = open.Close() }()
	all := bufio.NewScanner(open)
	all.Buffer(nil, 1<<20)
	for all.Scan() {
		var c T
		var with struct{ Action json.RawMessage }
		if err := json.Unmarshal(all.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(all.Bytes(), &with); err != nil {
			t.Fatal(err)
		}
		action, err := canon.Parse(with.Action)
		if err != nil {
			t.Fatal(err)
		}
		f(c, action)
	}
	if err := all.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestHeadlineTells holds the headline against calls of which somebody else said what must stand
// in it (testdata/headline.jsonl): the first pieces in a row's characters, in their order, the
// others anywhere, and the words that would mislead nowhere; and what is typed and ticked at
// CRITICAL.
func TestHeadlineTells(t *testing.T) {
	t.Parallel()
	type vector struct {
		ID               string
		First, Says, Not []string
		Consequence      []string
		Typed            string
		Boxes            []string
		Count            struct{ People int }
	}
	lines(t, "testdata/headline.jsonl", func(v vector, action canon.Value) {
		h := of(t, action)
		row := strings.ToLower(headline.Plain(h.Row(headline.MaxRow)))
		text := strings.ToLower(h.Text)
		t.Logf("%s %s\n      | %s", v.ID, h.Text, h.Consequence)
		for _, piece := range v.First {
			if !strings.Contains(row, strings.ToLower(piece)) {
				t.Errorf("%s: the row %s doesn't say %q", v.ID, row, piece)
			}
		}
		for _, piece := range v.Says {
			if !strings.Contains(text, strings.ToLower(piece)) {
				t.Errorf("%s: %s doesn't say %q", v.ID, text, piece)
			}
		}
		for _, piece := range v.Not {
			if strings.Contains(text+"\n"+strings.ToLower(h.Consequence), strings.ToLower(piece)) {
				t.Errorf("%s: %s (%s) says %q", v.ID, text, h.Consequence, piece)
			}
		}
		if typed, _ := headline.TargetOf(read(action)); v.Typed != "" && typed != v.Typed {
			t.Errorf("%s: %q is typed, want %q", v.ID, typed, v.Typed)
		}
		if boxes := headline.Read(read(action)).Outcomes; v.Boxes != nil && !slices.Equal(boxes, v.Boxes) {
			t.Errorf("%s: %q are ticked, want %q", v.ID, boxes, v.Boxes)
		}
		some := len(v.Consequence) == 0
		for _, word := range v.Consequence {
			some = some || strings.Contains(strings.ToLower(h.Consequence), word)
		}
		if !some {
			t.Errorf("%s: %q says none of %q", v.ID, h.Consequence, v.Consequence)
		}
	})
}

// TestHeadlineTellsOfOtherTools: of nine in ten calls of real tools, the headline has every value
// without which nobody could say what the call does (testdata/told.jsonl).
func TestHeadlineTellsOfOtherTools(t *testing.T) {
	t.Parallel()
	calls, told := 0, 0
	type vector struct {
		Ideal string
		Tells []string
	}
	lines(t, "testdata/told.jsonl", func(v vector, action canon.Value) {
		h := of(t, action)
		calls++
		missing := ""
		for _, value := range v.Tells {
			if !strings.Contains(strings.ReplaceAll(strings.ToLower(h.Text), ",", ""), strings.ReplaceAll(strings.ToLower(value), ",", "")) {
				missing = value
			}
		}
		if missing == "" {
			told++
		} else {
			t.Logf("%q isn't said: %s\nideal: %s", missing, h.Text, v.Ideal)
		}
	})
	t.Logf("%d of %d are told", told, calls)
	if told*10 < calls*9 {
		t.Errorf("only %d of %d are told", told, calls)
	}
}

// A row's characters say what decides: of calls of which somebody else said what that is (testdata/rows.jsonl, told.jsonl)
// all of it in nearly all; of some also what misleads in the first line, and what follows.
func TestRowsSayWhatDecides(t *testing.T) {
	t.Parallel()
	type vector struct{ First, Tells, Not, Consequence []string }
	for _, c := range []struct {
		file      string
		all, some int // of a hundred
	}{{"testdata/rows.jsonl", 93, 99}, {"testdata/told.jsonl", 97, 99}} {
		calls, all, some := 0, 0, 0
		lines(t, c.file, func(v vector, action canon.Value) {
			h := of(t, action)
			row, said := strings.ReplaceAll(drawn(h.Row(headline.MaxRow)), ",", ""), 0
			wanted := append(v.First, v.Tells...)
			for _, piece := range wanted {
				if strings.Contains(strings.ToLower(row), strings.ToLower(strings.ReplaceAll(piece, ",", ""))) {
					said++
				}
			}
			if calls++; said == len(wanted) {
				all++
			} else {
				t.Logf("%q, of %q", row, wanted)
			}
			if said > 0 {
				some++
			}
			first, _ := headline.Lines(h.Row(headline.MaxRow))
			first = slices.DeleteFunc(slices.Clone(first), func(p headline.Part) bool { return headline.Written(p.Role) || p.Role == headline.Text })
			for _, piece := range v.Not {
				if strings.Contains(strings.ToLower(drawn(first)), strings.ToLower(piece)) {
					t.Errorf("%q says %q", drawn(first), piece)
				}
			}
			if v.Consequence != nil && !slices.ContainsFunc(v.Consequence, func(word string) bool { return strings.Contains(strings.ToLower(h.Consequence), word) }) {
				t.Errorf("%s (%s) says none of %q", row, h.Consequence, v.Consequence)
			}
			if n := utf8.RuneCountInString(row); n > headline.MaxRow+len(" · +1,000 values") {
				t.Errorf("%d characters: %s", n, row)
			}
		})
		t.Logf("%s: of %d all of it in %d, some of it in %d", c.file, calls, all, some)
		if all*100 < calls*c.all || some*100 < calls*c.some {
			t.Errorf("%s: of %d all of it in %d, some of it in %d", c.file, calls, all, some)
		}
	}
}

// drawn is a row as a page draws it.
func drawn(parts []headline.Part) string {
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteString(headline.Joint(parts[i-1], p))
		}
		b.WriteString(p.Text)
	}
	return b.String()
}

// Each short value of a call is in its headline, begins there and goes on ("…"), or is counted behind it.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	calls := 0
	for _, file := range []string{"testdata/headline.jsonl", "testdata/told.jsonl", "../testdata/judgement.jsonl"} {
		lines(t, file, func(_ struct{}, action canon.Value) {
			if action.Get("function").Text() == "" {
				return
			}
			h := of(t, action)
			calls++
			if n := utf8.RuneCountInString(h.Text); n > headline.MaxText+len(" · +1,000 values") {
				t.Errorf("%d characters: %s", n, h.Text)
			}
			for at, parts := range [][]headline.Part{h.Parts, h.Row(headline.MaxRow)} {
				text := headline.Plain(parts)
				more := strings.Count(text, "masked")
				if last := parts[len(parts)-1]; last.Role == headline.More {
					n, err := strconv.Atoi(strings.ReplaceAll(strings.Trim(last.Text, "+ values"), ",", ""))
					if err != nil {
						t.Fatal(err)
					}
					more += n
				}
				text = strings.NewReplacer(`\“`, "“", `\”`, "”", ` \· `, " · ", ",", "").Replace(strings.ToLower(text))
				missing := []string(nil)
				for leaf := range leaves(action.Get("arguments")) {
					value := leaf.Text() + leaf.Digits()
					if leaf.Kind() == canon.KindBool {
						value = strconv.FormatBool(leaf.Bool())
					}
					if utf8.RuneCountInString(value) > 40 {
						continue
					}
					value = strings.ToLower(strings.ReplaceAll(strings.Join(strings.Fields(value), " "), ",", ""))
					if value == "true" && strings.Contains(text, strings.ToLower(leaf.Name)) { // a flag's name says that it is set
						continue
					}
					_, bare, isAddress := strings.Cut(value, "://")
					begun := slices.ContainsFunc(parts, func(p headline.Part) bool { return cuts(p, value) })
					if !strings.Contains(text, value) && !(isAddress && strings.Contains(text, bare)) && !begun {
						missing = append(missing, value)
					}
				}
				if len(missing) > more {
					t.Errorf("%d: %q aren't said in %s", at, missing, text)
				}
			}
		})
	}
	if calls < 400 {
		t.Errorf("only %d calls", calls)
	}
}

// cuts reports whether a part is the beginning of a value, or a stretch of what is executed behind which
// more of it is left out.
func cuts(p headline.Part, value string) bool {
	stem, rest, cut := strings.Cut(strings.ToLower(p.Text), "…")
	return cut && (p.By == headline.Theirs || stem == "") && (headline.Written(p.Role) || strings.HasPrefix(value, stem) && strings.HasSuffix(value, rest))
}

// leaves are the values of a call, those of an object that is sent as a text too.
func leaves(v canon.Value) iter.Seq[*call.Node] {
	return func(yield func(*call.Node) bool) {
		for leaf := range call.Tree(v, "/arguments").Leaves() {
			if inner, err := canon.Parse([]byte(leaf.Text())); err == nil && inner.Kind() == canon.KindObject {
				for leaf := range leaves(inner) {
					if !yield(leaf) {
						return
					}
				}
			} else if !yield(leaf) {
				return
			}
		}
	}
}

// What is typed at CRITICAL is what somebody who knows the tools would have typed: in nine of ten
// calls the same value (testdata/facts.jsonl of package facts), and only where there is no argument
// the function's name.
func TestTargets(t *testing.T) {
	t.Parallel()
	calls, same := 0, 0
	type vector struct {
		Name, Target string
		Specific     *bool
	}
	lines(t, "../facts/testdata/facts.jsonl", func(v vector, action canon.Value) {
		c, reading := read(action)
		got, specific := headline.TargetOf(c, reading)
		calls++
		if facts.TypedTarget(got) == v.Target {
			same++
		} else {
			t.Logf("%s: %q, %v, want %q", v.Name, got, specific, v.Target)
		}
		if !specific && got != c.Function {
			t.Errorf("%s: %q", v.Name, got)
		}
	})
	t.Logf("%d of %d", same, calls)
	if same*10 < calls*9 {
		t.Errorf("%d of %d", same, calls)
	}
}

// What may be a secret is not said: by its name, by what its function keeps, and by a
// value beside it that names one.
func TestSecretsAreNotSaid(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"function":"create_user","arguments":{"name":"dana","password":"hunter2"}}`,
		`{"function":"set_secret","arguments":{"secret":"db-admin","value":"hunter2"}}`,
		`{"function":"put_parameter","arguments":{"name":"DB_PASSWORD","value":"hunter2"}}`,
		`{"function":"configure","arguments":{"db":{"api_key":"hunter2"}}}`,
		`{"function":"reset_account","arguments":{"user":"dana","recovery_codes":["hunter2","hunter21"],"door_code":"hunter2"}}`,
		`{"function":"Write","arguments":{"file_path":"/run/secrets/db","content":"hunter2\nhunter22"}}`,
		`{"function":"apply_manifest","arguments":{"manifest":"apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\nstringData:\n  HOST: hunter2\n"}}`,
		`{"function":"Write","arguments":{"file_path":"/srv/key.txt","content":"hunter2b3BlbnNzaC1rZXktdjEAAAAABG5v"}}`,
	} {
		action, err := canon.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if h := of(t, action); strings.Contains(h.Text, "hunter2") || strings.Contains(h.Text, "masked") == strings.Contains(h.Text, "+1 value") {
			t.Errorf("%s: %s", body, h.Text)
		}
	}
}

// Of a command what may be a secret is written as asterisks; what only says of which kind one is, is said.
func TestWhatIsASecret(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"function":"bash","arguments":{"command":"npm publish --otp 123456 --tag next"}}`:                                                               "npm publish --otp ****** --tag next",
		`{"function":"Write","arguments":{"file_path":"/srv/.env","content":"MODE=live\nAPI_KEY=hunter2hunter2\nDB_URL=postgres://app:hunter2@db/prod"}}`: "with “MODE=live”, “DB_URL= ***”, “API_KEY= ***”",
		`{"function":"bash","arguments":{"command":"tool login --pin=4711 --user dana"}}`:                                                                 "--pin=**** --user dana",
		`{"function":"bash","arguments":{"command":"tool login --auth-type basic --token $TOKEN"}}`:                                                       "--auth-type basic --token $TOKEN",
		`{"function":"unlock_door","arguments":{"door":"front","code":"4711"}}`:                                                                           "code masked",
		`{"function":"update_app","arguments":{"authMode":"password","token_endpoint_auth_method":"none","code":"SAVE"}}`:                                 "token_endpoint_auth_method “none” · authMode “password” · code “SAVE”",
	} {
		action, err := canon.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if h := of(t, action); !strings.Contains(h.Text, want) {
			t.Errorf("%s doesn't say %s", h.Text, want)
		}
	}
}

// Nothing that a caller chose ends its quotes, or reads as another value.
func TestNothingBreaksOut(t *testing.T) {
	t.Parallel()
	action, err := canon.Parse([]byte(`{"function":"delete_user","arguments":{"user_id":"x” · approved “yes","approved by security":"a\u202eb\nc"}}`))
	if err != nil {
		t.Fatal(err)
	}
	const want = "“Delete user” “x\\” \\· approved \\“yes” · “approved by security” “a\\u{202e}b ⏎ c”"
	if h := of(t, action); h.Text != want {
		t.Errorf("%s\nwant %s", h.Text, want)
	}
}

// TestWhateverIsCutOffHasAHeadline: texts that begin or end anywhere are no reason to fail. They are those of
// calls of others, each cut at some places, and behind another command.
func TestWhateverIsCutOffHasAHeadline(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"testdata/rows.jsonl", "testdata/told.jsonl"} {
		lines(t, file, func(_ struct{}, action canon.Value) {
			var call map[string]any
			if err := json.Unmarshal(action.Canonical(), &call); err != nil {
				t.Fatal(err)
			}
			arguments, _ := call["arguments"].(map[string]any)
			for name, value := range arguments {
				text, _ := value.(string)
				if len(text) < 30 {
					continue
				}
				cut := []string{"cd /srv/app && " + text, text + "\n" + text}
				for at := 7; at < len(text); at += max(7, len(text)/12) {
					cut = append(cut, text[:at], text[at:])
				}
				for _, text := range cut {
					arguments[name] = strings.ToValidUTF8(text, "")
					body, err := json.Marshal(call)
					if err != nil {
						t.Fatal(err)
					}
					again, err := canon.Parse(body)
					if err != nil {
						continue
					}
					if h := of(t, again); h.Text == "" || len(h.Row(headline.MaxRow)) == 0 {
						t.Errorf("%s says nothing", body)
					}
				}
				arguments[name] = value
			}
		})
	}
}
