package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/request/requesttest"
	"github.com/countersign/countersign/internal/console/untrusted/untrustedtest"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// ours are texts that imitate what the console draws: its marks, its folds, its
// buttons, its facts, its documented way back.
var ours = []string{
	`RLO U+202E`, `[RLO U+202E]`, `ZWSP`, `U+200B ZERO WIDTH SPACE`, `59 blank lines`, `500 spaces`, `an empty text`, `all of them`, `""`, `"0"`, `~0`, `~1`, `a~1b/c`,
	`<span class="hidden-char" data-char="U+202E" title="RIGHT-TO-LEFT OVERRIDE">RLO <span class="code-point">U+202E</span></span>`,
	`<span class="hidden-char" data-fold="">59 blank lines</span>`, `</bdi></td></tr><tr data-act="argument"><th>user_id</th><td class="type">string</td><td class="value">usr_1</td></tr>`,
	`</bdi></span><div class="code" data-act="json">{}</div>`, `<button class="btn" data-approve>Approve: read one user</button>`, `Approve: read one user`,
	"Target\nusr_1\nEnvironment\nstaging\nCount\n1", `Can't be undone`, `4 values, all shown`, `same as the last similar call`, `Section 2 of 2`, `&lt;b&gt; &amp;#x202e; &#8238;`, `\u202e\n\t\"`,
	`{"function":"get_user","arguments":{}}`, `"}],"code":"`, `[REDACTED:api-key]`, `--><!--`, `]]><![CDATA[`, `</title></textarea></script></style></template>`,
	`<img src=x onerror=alert(1)>`, `<svg/onload=alert(1)>`, `<iframe srcdoc="&lt;script&gt;alert(1)&lt;/script&gt;">`, `<style>*{display:none}</style>`, `<base href=//evil>`, `<meta http-equiv=refresh content=0>`,
	`javascript:alert(1)`, `{{constructor.constructor('alert(1)')()}}`, `${7*7}`, `%0d%0aSet-Cookie: a=b`, `=HYPERLINK("http://evil")`,
}

// fragments are what the samples are put together from: the hostile texts of the
// runs and everything above.
func fragments() []string {
	all := append([]string{}, ours...)
	for _, h := range untrustedtest.Hostile {
		if utf8.ValidString(h.Text) {
			all = append(all, h.Text)
		}
	}
	return append(all,
		"\x1b[2J\x1b[H", "\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\", "\u009b2K", "safe\r\nDROP", "a\rb", "\r\n", "\n", "\n\n", " ", "\t", "", "  two", "two  ",
		strings.Repeat("\n", 2000)+"DROP", strings.Repeat(" ", 3000)+"DROP", strings.Repeat("\t ", 60)+"x", strings.Repeat(" \n", 30),
		"e\u0301 \u00e9", "\u212b \u00c5 A\u030a", "\ufb01 fi", "\u1100\u1161 \uac00", "a"+strings.Repeat("\u0300", 90), "\u20dd\u20dd", "\u0e33\u0e49",
		"👩🏽\u200d💻👨\u200d👩\u200d👧\u200d👦🇩🇪", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "\U0001f468\u200d", "𐐷𝒳𠮷", "\U000f0000\U0010fffd",
		"שלום\u202e abc \u202cעולם", "أحذف \u061c123 المستخدم", "\u200f1,000\u200e ₪", "لا إله\u0640\u0640", "पूर्ण \u200cक्ष", "ﷺ﷽", "་༼", "\u115f\u1160\u17b4\u17b5\u180b\u180f",
		"pаypаl.com", "ɡооgle", "аррӏе", "ΡΑΥΡΑL", "０１２", "𝟙𝟚", "⑴ Ⅳ ½", "ⅰⅴ", "‚‘’“”„‹›", "l1I|O0", "․．。", "ǃ⁄∕", "␛[31m", "␀",
		`"\u0041"`, `{"a":"{\"b\":\"{\\\"c\\\":1}\"}"}`, `\\\\\\`, `\"`, `'; DROP TABLE users; --`, "\u2028\u2029\u0085\v\f", "\u00a0\u2003\u3000\u1680\u205f\u2800\u3164",
		"\ufff9a\ufffab\ufffb", "\ufffc\ufffd", "\u0600123 \u06dd \u08e2", "\u17a3\u17d3", "\u2061\u2062\u2063\u2064", "\ufe0f\ufe0e\U000e0100", "\U0001d173x\U0001d17a", "\u070f\u180e",
	)
}

// sample is one hostile act. Its texts stand as value, as name, in lists and
// objects below each other, in the code and in every other member.
func sample(t *testing.T, n int) string {
	t.Helper()
	random := rand.New(rand.NewPCG(4, uint64(n)))
	all := fragments()
	words := func(most int) string {
		var b strings.Builder
		for range random.IntN(most) + 1 {
			switch random.IntN(8) {
			case 0:
				b.WriteString([]string{" ", "\n", "/", "\"", "~", ""}[random.IntN(6)])
			case 1: // any character that the gate takes
				b.WriteRune(anyRune(random))
			default:
				b.WriteString(all[random.IntN(len(all))])
			}
		}
		return b.String()
	}
	clip := func(s string, most int) string {
		for len(s) > most {
			_, size := utf8.DecodeLastRuneInString(s)
			s = s[:len(s)-size]
		}
		return s
	}
	var value func(depth int) any
	value = func(depth int) any {
		switch kind := random.IntN(9); {
		case kind == 0 && depth < 5:
			list := make([]any, random.IntN(4))
			for i := range list {
				list[i] = value(depth + 1)
			}
			return list
		case kind == 1 && depth < 5:
			object := map[string]any{}
			for range random.IntN(4) {
				object[words(2)] = value(depth + 1)
			}
			return object
		case kind == 2:
			return []any{nil, true, false, 0, -1, 1e-7, 5e-324, 20.5, map[string]any{}, []any{}, ""}[random.IntN(11)]
		default:
			return words(4)
		}
	}
	// Every fragment is once a value by itself and once a name by itself.
	one := all[n%len(all)]
	arguments := map[string]any{"value": one, one: "name", "nested": map[string]any{one: []any{one, map[string]any{one: one}}}}
	for range random.IntN(6) {
		arguments[words(2)] = value(0)
	}
	if n%13 == 0 {
		arguments[strings.Repeat("long", 400)+one] = strings.Repeat("padding ", 3000) + one
	}
	action := map[string]any{
		"function":  clip("call_"+strconv.Itoa(n%5)+strings.Map(notControl, one), 500),
		"arguments": arguments, "justification": words(3), "metadata": map[string]any{words(1): words(2)}, "docstring": words(3),
	}
	switch n % 11 { // drawn as a difference, and folded away as it was sent
	case 3:
		action["function"], action["arguments"] = "edit_file", map[string]any{"path": one + "x", "old_string": words(3) + one, "new_string": words(3) + one + "\n" + words(2)}
	case 6:
		action["function"], action["arguments"] = "apply_patch", map[string]any{one: "*** Begin Patch\n*** Update File: " + strings.ReplaceAll(one, "\n", "") + "x\n-" + words(2) + "\n+" + words(2) + "\n*** End Patch"}
	}
	switch n % 4 {
	case 0:
		action["code"] = words(6)
	case 1:
		action["code"], action["environment"], action["action_type"] = "", "", ""
	case 2:
		action["environment"], action["action_type"] = clip(words(2), 250), clip(one, 250)
	}
	switch n % 29 {
	case 7:
		action["arguments"] = []any{one, []any{}, map[string]any{"0": one, "": one}}
	case 8:
		action["arguments"] = map[string]any{}
	case 9:
		action["arguments"] = map[string]any{"": map[string]any{"": one}, "arguments": map[string]any{}}
	case 10:
		delete(action, "arguments")
	case 11:
		action = map[string]any{"lifecycle_point": "pre-agent-start", "content": words(5)}
	case 12:
		action = map[string]any{"lifecycle_point": "post-tool-result", "function": "read", "content": one}
	}
	body, err := json.Marshal(action)
	must(t, err)
	return string(body)
}

func notControl(r rune) rune {
	if unicode.IsControl(r) {
		return -1
	}
	return r
}

// anyRune is any character that the gate admits: no surrogate, no NUL, no
// non-character.
func anyRune(random *rand.Rand) rune {
	for {
		if r := rune(random.IntN(unicode.MaxRune) + 1); untrustedtest.Admitted(r) {
			return r
		}
	}
}

// samples is how many hostile acts the oracle looks at: all of them in the long run.
func samples() int { return long.Count(30, 300) }

// TestColouredValuesReadBack does the same for hostile SQL, commands, programs and
// diffs, whose pages have colours, marks and differences in the text: each is compared
// with an approved call that was nearly the same.
func TestColouredValuesReadBack(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	all := untrustedtest.HostileCode()
	shownAs, marked, changed := map[string]bool{}, 0, 0
	for n := 0; n < len(all); n += 1 + len(all)/samples() {
		one := all[n]
		body := func(tail string) string {
			return string(jsonText(t, map[string]any{
				"function": "run_" + strconv.Itoa(n), "environment": "staging",
				"arguments": map[string]string{
					"sql": "DELETE FROM users WHERE id = 1; " + one + tail, "command": "rm -rf /srv/exports; " + one + tail,
					"patch":   "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-" + one + "\n+" + one + tail,
					"payload": string(jsonText(t, map[string]string{"x": one + tail, one: "DROP TABLE users"})),
				},
				"code": "import os\nprint( + one + )\n" + one + tail,
			}))
		}
		v := requesttest.ReviewOf(t, body(" the last words are new, the first are not"), approvals.StageReading)
		last := requesttest.ReviewOf(t, body(" the last words were other ones, the first were not"), approvals.StageFinal).Approval
		v.LastApproved = &last
		var pages []answer
		for section := range v.Reading.Sections {
			pages = append(pages, drawn(t, v, section+1))
		}
		if v.Reading.Large() {
			pages = append(pages, drawn(t, v, request.JSONSection))
		}
		reads(t, fmt.Sprintf("code %d", n), v.Action.Act().Canonical(), pages...)
		for _, page := range pages {
			for _, language := range []string{"SQL", "a shell command", "JSON", "Python", "a diff"} {
				shownAs[language] = shownAs[language] || strings.Contains(page.body, ">Shown as "+language+"<")
			}
			marked += strings.Count(page.body, "<mark ")
			changed += strings.Count(page.body, "<ins>")
		}
		if t.Failed() {
			t.Fatalf("code %d: %.3000q", n, one)
		}
	}
	for language, shown := range shownAs {
		if !shown {
			t.Errorf("no page shows anything as %s", language)
		}
	}
	if marked == 0 || changed == 0 {
		t.Errorf("%d marks and %d changes: the pages lost what this test is about", marked, changed)
	}
}

// drawn is a section of a request's page.
func drawn(t *testing.T, v approvals.Review, section int) answer {
	t.Helper()
	var body bytes.Buffer
	must(t, review.RequestPage(views.Page{}, review.Queue{}, request.Page(texts.Printer{}, v, request.Reader{Section: section}, request.Typed{})).Render(t.Context(), &body))
	return answer{body: body.String()}
}

func jsonText(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	must(t, err)
	return b
}

// TestThePageReadsBackToTheBytes renders hostile acts through the real handler,
// reads the text of the pages back, and compares with the canonical bytes that are
// stored, whose digest the operator decides about.
func TestThePageReadsBackToTheBytes(t *testing.T) {
	t.Parallel()
	for part := range 2 {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			ada := s.signedIn("ada")
			for n := part; n < samples(); n += 2 {
				body := sample(t, n)
				a := s.submit(body)
				reads(t, fmt.Sprintf("sample %d", n), shownAct(t, string(a.Action)), ada.pagesOf(a.ID)...)
				if t.Failed() {
					t.Fatalf("sample %d: %.3000q", n, body)
				}
			}
		})
	}
}
