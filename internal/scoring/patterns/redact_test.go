package patterns

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/scan"
)

func parse(t *testing.T, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestMask(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, tree, want string }{
		{
			"all occurrences, and not the key",
			`{"AKIAIOSFODNN7EXAMPLE":"a AKIAIOSFODNN7EXAMPLE b AKIAIOSFODNN7EXAMPLE","z":["AKIAIOSFODNN7EXAMPLE",1,null,true]}`,
			`{"AKIAIOSFODNN7EXAMPLE":"a [REDACTED:aws-access-key] b [REDACTED:aws-access-key]","z":["[REDACTED:aws-access-key]",1,null,true]}`,
		},
		{"a number becomes a string", `{"card":4111111111111111,"n":4111}`, `{"card":"[REDACTED:card-number]","n":4111}`},
		{"only the value of an assignment", `["password=hunter2 rest"]`, `["password=[REDACTED:password-assignment] rest"]`},
		{
			"what asks for a confirmation stays readable",
			`{"command":"rm -rf / # 4111111111111111"}`, `{"command":"rm -rf / # [REDACTED:card-number]"}`,
		},
		{
			"overlapping spans become one, with the worst name",
			`{"secret_key":"aws_secret_access_key=wJalrXUtnFEMI/K7MDENG1 and more"}`, `{"secret_key":"[REDACTED:aws-secret-key]"}`,
		},
		{
			"among equals the name that sorts first",
			`{"text":"aws_secret_access_key=wJalrXUtnFEMI/K7MDENG1 and Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"}`,
			`{"text":"aws_secret_access_key=[REDACTED:aws-secret-key] and [REDACTED:bearer-token]"}`,
		},
		{"under a name with escapes", `{"a/b~c":{"password":"hunter2"}}`, `{"a/b~c":{"password":"[REDACTED:password-member]"}}`},
		{"nothing found", `{"a":"b","c":[]}`, `{"a":"b","c":[]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tree := parse(t, c.tree)
			got := maskAll(tree)
			if string(got.Canonical()) != string(parse(t, c.want).Canonical()) {
				t.Errorf("got  %s\nwant %s", got.Canonical(), c.want)
			}
			if string(tree.Canonical()) != string(parse(t, c.tree).Canonical()) {
				t.Error("the original tree changed")
			}
		})
	}
}

// maskAll scans a tree as if it were the arguments and masks it.
func maskAll(tree canon.Value) canon.Value {
	return Mask(tree, Redactions(Default().Scan(PreToolCall, scan.Arguments(tree, ""))))
}

// The whole value, a value inside a code block and a blocked secret: a record
// that blocks still masks.
func TestABlockingSecretIsMaskedAndOtherBlocksAreNot(t *testing.T) {
	t.Parallel()
	place := func(pointer string) []scan.Place { return []scan.Place{{Pointer: pointer, Start: 0, End: 3}} }
	got := Redactions([]Match{
		{ID: "a", Severity: Critical, Action: Block, Category: Secrets, Places: place("/a")},
		{ID: "b", Severity: Critical, Action: Block, Category: Exfiltration, Places: place("/b")},
		{ID: "c", Severity: High, Action: Redact, Category: Custom, Places: place("/c")},
		{ID: "d", Severity: High, Action: Confirm, Category: Secrets, Places: place("/d")},
		{ID: "e", Severity: High, Action: Redact, Category: Secrets, Places: []scan.Place{{Pointer: "/e", End: 3, Key: true}}},
	})
	if len(got) != 2 || got["/a"] == nil || got["/c"] == nil {
		t.Errorf("masked: %v, want /a and /c", got)
	}
}

func TestPlacesAreTranslated(t *testing.T) {
	t.Parallel()
	//       0123456789012345678901
	text := "ab SECRET cd KEY ef"
	spans := Redactions([]Match{
		{ID: "x", Severity: High, Action: Redact, Places: []scan.Place{{Pointer: "/t", Start: 3, End: 9}}},
		{ID: "long-name", Severity: High, Action: Redact, Places: []scan.Place{{Pointer: "/t", Start: 13, End: 16}}},
	})
	masked := spans.Text("/t", text)
	if want := "ab [REDACTED:x] cd [REDACTED:long-name] ef"; masked != want {
		t.Fatalf("masked %q, want %q", masked, want)
	}
	for _, c := range []struct{ from, to string }{
		{"ab", "ab"},
		{"ab ", "ab "},
		{"cd", "cd"},
		{"ef", "ef"},
		{"SECRET", "[REDACTED:x]"},
		{"CRE", "[REDACTED:x]"},
		{"b SEC", "b [REDACTED:x]"},
		{"RET c", "[REDACTED:x] c"},
		{"ab SECRET cd KEY ef", masked},
		{"ET cd K", "[REDACTED:x] cd [REDACTED:long-name]"},
	} {
		start := strings.Index(text, c.from)
		p := spans.Place(scan.Place{Pointer: "/t", Start: start, End: start + len(c.from)})
		if got := masked[p.Start:p.End]; got != c.to {
			t.Errorf("%q became %q, want %q", c.from, got, c.to)
		}
		touches := strings.Contains(c.to, "[") // a masked value is no fact
		if got := spans.Touches("/t", start, start+len(c.from)); got != touches {
			t.Errorf("%q touches a mask: %v, want %v", c.from, got, touches)
		}
	}
	same := []scan.Place{{Pointer: "/t", Start: 15, End: 18, Key: true}, {Pointer: "/other", Start: 15, End: 18}}
	if got := spans.Places(same); !reflect.DeepEqual(got, same) {
		t.Errorf("places in names and in other values became %v", got)
	}
	matches := []Match{{ID: "x", Places: []scan.Place{{Pointer: "/t", Start: 3, End: 9}}}}
	if got := spans.Matches(matches)[0].Place(); got.End != 15 || matches[0].Places[0].End != 9 {
		t.Errorf("match at %v; the original at %v", got, matches[0].Places[0])
	}
	evidence := []scan.Evidence{{Places: []scan.Place{{Pointer: "/t", Start: 17, End: 19}}}}
	if got := spans.Evidence(evidence)[0].Places[0]; masked[got.Start:got.End] != "ef" || evidence[0].Places[0].Start != 17 {
		t.Errorf("evidence at %v", got)
	}
}

func TestMaskingTakesAnyRange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		var places []scan.Place
		for range rapid.IntRange(1, 4).Draw(t, "spans") {
			places = append(places, scan.Place{
				Pointer: "/t", Start: rapid.IntRange(-5, len(text)+5).Draw(t, "start"), End: rapid.IntRange(-5, len(text)+5).Draw(t, "end"),
			})
		}
		spans := Redactions([]Match{{ID: "x", Severity: High, Action: Redact, Places: places}})
		masked := Mask(canon.Object(canon.Member{Name: "t", Value: canon.String(text)}), spans)
		if _, err := canon.Parse(masked.Canonical()); err != nil {
			t.Errorf("the masked tree is no longer accepted: %v", err)
		}
	})
}

// secrets that the default library masks, each between its own delimiters.
var planted = []string{
	"AKIAIOSFODNN7EXAMPLE", "4111111111111111", "5555 5555 5555 4444", "sk_live_4eC39HqLyjWDarjtT1zdp7dc", "123-45-6789",
	"ghp_0123456789abcdefghijABCDEFGHIJ012345", "csk_acme_Zk3vQ0mS8pT1xW6yB9cD2eF5gH7jK4lN", "glpat-AbCdEfGhIjKlMnOpQrSt",
	"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N", "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
	"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----", "ＡＫＩＡIOSFODNN7EXAMPLE", "４１１１１１１１１１１１１１１１",
}

func TestMaskingRemovesEverySecretAndIsIdempotent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var (
			members []canon.Member
			used    []string
		)
		for i := range rapid.IntRange(1, 4).Draw(t, "members") {
			var b strings.Builder
			for range rapid.IntRange(0, 5).Draw(t, "parts") {
				secret := rapid.SampledFrom(planted).Draw(t, "secret")
				used = append(used, secret)
				b.WriteString(rapid.SampledFrom([]string{"", "see", "rm -rf /tmp/x", "é", "password: ", "\u200b", "key="}).Draw(t, "word"))
				b.WriteString(rapid.SampledFrom([]string{" ", "\n", ", ", " (", " \"", "; "}).Draw(t, "delimiter") + secret + " ")
			}
			members = append(members, canon.Member{Name: fmt.Sprint("m", i), Value: canon.Array(canon.String(b.String()))})
		}
		tree := canon.Object(members...)
		matches := Default().Scan(PreToolCall, scan.Arguments(tree, ""))
		spans := Redactions(matches)
		masked := Mask(tree, spans)
		bytes := string(masked.Canonical())
		for _, secret := range used {
			quoted := string(canon.String(secret).Canonical())
			if strings.Contains(bytes, quoted[1:len(quoted)-1]) {
				t.Errorf("%q is still in %s", secret, bytes)
			}
		}
		for pointer, list := range spans {
			original := textAt(tree, pointer)
			for _, s := range list {
				part := string(canon.String(original[s.Start:s.End]).Canonical())
				if strings.Contains(bytes, part[1:len(part)-1]) {
					t.Errorf("the matched %q is still in %s", part, bytes)
				}
			}
		}
		again := maskAll(masked)
		if string(again.Canonical()) != bytes {
			t.Errorf("masked again:\n%s\nonce:\n%s", again.Canonical(), bytes)
		}
		// The translated record of what was masked points at the masks, and masking
		// by it changes nothing.
		translated := spans.Matches(matches)
		for _, m := range translated {
			for _, p := range m.Places {
				if got := textAt(masked, p.Pointer)[p.Start:p.End]; m.Masks() && !strings.HasPrefix(got, maskBegin) {
					t.Errorf("%s points at %q", m.ID, got)
				}
			}
		}
		if got := Mask(masked, Redactions(translated)); string(got.Canonical()) != bytes {
			t.Errorf("masked by the record:\n%s\nonce:\n%s", got.Canonical(), bytes)
		}
	})
}

// textAt is the string at "/m0/0".
func textAt(tree canon.Value, pointer string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	for _, e := range tree.Get(name).Elements() {
		return e.Text()
	}
	return ""
}
