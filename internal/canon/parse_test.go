package canon_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// The corpora follow JSONTestSuite: y_ must be accepted, n_ must be refused, and
// where that suite leaves the choice open (i_) the package comment has made it.

func TestParseAccepts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, input, want string }{
		{"y_array_empty", `[]`, `[]`},
		{"y_array_with_spaces", "[ \t\r\n]", `[]`},
		{"y_array_of_every_kind", `[null,true,false,1,"1",[],{}]`, `[null,true,false,1,"1",[],{}]`},
		{"y_array_keeps_order", `[3,1,2]`, `[3,1,2]`},
		{"y_array_spaces_around_commas", `[1 , 2]`, `[1,2]`},
		{"y_object_empty", `{}`, `{}`},
		{"y_object_sorted", `{"b":1,"a":2}`, `{"a":2,"b":1}`},
		{"y_object_empty_name", `{"":0}`, `{"":0}`},
		{"y_object_same_name_elsewhere", `{"a":{"a":1},"b":[{"a":1},{"a":2}]}`, `{"a":{"a":1},"b":[{"a":1},{"a":2}]}`},
		{"y_object_names_differ_in_case", `{"Function":1,"function":2}`, `{"Function":1,"function":2}`},
		{"y_object_names_differ_in_normalisation", `{"\u00e9":1,"e\u0301":2}`, "{\"e\u0301\":2,\"\u00e9\":1}"},
		{"y_object_escaped_name", `{"\u0061\/":1}`, `{"a/":1}`},
		{"y_object_spaces_everywhere", " {\n\"a\" :\t1 ,\r\"b\" : 2 } \n", `{"a":1,"b":2}`},
		{"y_object_proto", `{"__proto__":{"constructor":1}}`, `{"__proto__":{"constructor":1}}`},
		{"y_structure_lonely_string", `"a"`, `"a"`},
		{"y_structure_lonely_int", ` 42 `, `42`},
		{"y_structure_lonely_null", "null\n", `null`},
		{"y_structure_lonely_true", `true`, `true`},
		{"y_structure_lonely_false", `false`, `false`},
		{"y_string_empty", `""`, `""`},
		{"y_string_two_character_escapes", `"\"\\\/\b\f\n\r\t"`, `"\"\\/\b\f\n\r\t"`},
		{"y_string_other_controls", `"\u0001\u000B\u001f"`, `"\u0001\u000b\u001f"`},
		{"y_string_escape_first_last_and_twice", `"\nab\n\ncd\n"`, `"\nab\n\ncd\n"`},
		{"y_string_delete", "\"\x7f\"", "\"\x7f\""},
		{"y_string_line_separators", `"\u2028\u2029"`, "\"\u2028\u2029\""},
		{"y_string_escaped_backslash_before_u", `"\\u0000"`, `"\\u0000"`},
		{"y_string_utf8_of_each_length", "\"a\u00e9\u20ac\U0001F600\"", "\"a\u00e9\u20ac\U0001F600\""},
		{"y_string_hex_of_both_cases", `"\u00E9\u00e9"`, "\"\u00e9\u00e9\""},
		{"y_string_surrogate_pair", `"\ud83d\uDE00"`, "\"\U0001F600\""},
		{"y_string_first_and_last_pair", `"\ud800\udc00\udbff\udffd"`, "\"\U00010000\U0010FFFD\""},
		{"y_string_around_surrogates", "\"\\ud7ff\\ue000\"", "\"\ud7ff\ue000\""},
		{"y_string_around_non_characters", `"\ufdcf\ufdf0\ufffd\ufffc"`, "\"\ufdcf\ufdf0\ufffd\ufffc\""},
		{"y_string_byte_order_mark_inside", "\"\ufeff\"", "\"\ufeff\""},
		{"y_string_bidi_and_zero_width_are_the_renderers_task", "\"\u202e\u200b\"", "\"\u202e\u200b\""},
		{"y_string_comment_like", `"a/*b*/c//d"`, `"a/*b*/c//d"`},
		{"y_string_html", `"<&>"`, `"<&>"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v, err := canon.Parse([]byte(c.input))
			if err != nil {
				t.Fatalf("Parse(%q) = %v", c.input, err)
			}
			if got := string(v.Canonical()); got != c.want {
				t.Errorf("canonical form of %q = %q, want %q", c.input, got, c.want)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const deep = canon.MaxDepth
	for _, c := range []struct {
		name, input string
		member      string // JSON pointer of the fault
		detail      string // part of the detail: where, what was wrong or what to send
	}{
		{"n_structure_no_data", ``, "", "byte 0 comes before a value"},
		{"n_structure_only_space", " \n", "", "byte 2"},
		{"n_structure_bom", "\ufeff{}", "", "byte order mark"},
		{"n_structure_bom_only", "\ufeff", "", "byte order mark"},
		{"n_structure_utf16", "\xff\xfe{\x00}\x00", "", "byte 0"},
		{"n_structure_trailing_value", `{} {}`, "", "byte 3"},
		{"n_structure_trailing_bracket", `[]]`, "", "byte 2"},
		{"n_structure_trailing_letter", `1x`, "", `"x" at byte 1`},
		{"n_structure_trailing_nul", "{}\x00", "", `"\x00" at byte 2`},
		{"n_structure_trailing_comma", `{},`, "", "byte 2"},
		{"n_structure_trailing_comment", `{} // x`, "", "byte 3"},
		{"n_structure_leading_comment", `/**/{}`, "", "byte 0"},
		{"n_structure_form_feed", "\f[]", "", "byte 0"},
		{"n_structure_no_break_space", "\u00a0[]", "", "byte 0"},
		{"n_structure_vertical_tab_inside", "[1,\v2]", "/1", "byte 3"},
		{"n_structure_unquoted", `abc`, "", `"abc" at byte 0`},
		{"n_structure_capital_literal", `True`, "", `"True"`},
		{"n_structure_literal_cut", `nul`, "", `"nul"`},
		{"n_structure_literal_longer", `nulls`, "", `"s" at byte 4`},
		{"n_structure_undefined", `{"a":undefined}`, "/a", `"undefined"`},
		{"n_structure_close_only", `]`, "", "byte 0"},
		{"n_structure_comma_only", `,`, "", "byte 0"},
		{"n_structure_depth", strings.Repeat("[", deep+1) + strings.Repeat("]", deep+1), strings.Repeat("/0", 48), "opens level 65"},
		{"n_structure_depth_of_objects", strings.Repeat(`{"a":`, deep+1), strings.Repeat("/a", 48), "at most 64"},
		{"n_structure_open_arrays", strings.Repeat("[", 100_000), strings.Repeat("/0", 48), "opens level 65"},

		{"n_array_unclosed", `[`, "/0", "byte 1"},
		{"n_array_unclosed_after_value", `[1`, "", `"," or "]" is expected`},
		{"n_array_unclosed_after_comma", `[1,`, "/1", "byte 3"},
		{"n_array_trailing_comma", `[1,]`, "/1", `"]" at /1 (byte 3)`},
		{"n_array_leading_comma", `[,1]`, "/0", "byte 1"},
		{"n_array_double_comma", `[1,,2]`, "/1", "byte 3"},
		{"n_array_no_comma", `[1 2]`, "", `"2" at byte 3`},
		{"n_array_colon", `["a":1]`, "", `":" at byte 4`},
		{"n_array_closed_by_brace", `[1}`, "", `"}" at byte 2`},
		{"n_array_comment", `[1/**/]`, "", "byte 2"},

		{"n_object_unclosed", `{`, "", "byte 1"},
		{"n_object_unclosed_after_value", `{"a":1`, "", "byte 6"},
		{"n_object_trailing_comma", `{"a":1,}`, "", `"}" at byte 7`},
		{"n_object_leading_comma", `{,"a":1}`, "", "byte 1"},
		{"n_object_no_colon", `{"a" 1}`, "", `":" is expected`},
		{"n_object_no_value", `{"a":}`, "/a", "byte 5"},
		{"n_object_no_comma", `{"a":1 "b":2}`, "", "byte 7"},
		{"n_object_single_quotes", `{'a':1}`, "", "double quotes"},
		{"n_object_unquoted_name", `{a:1}`, "", `"a" at byte 1`},
		{"n_object_number_as_name", `{1:1}`, "", "byte 1"},
		{"n_object_closed_by_bracket", `{"a":1]`, "", `"]" at byte 6`},
		{"n_object_name_cut", `{"a`, "", "member name that began at byte 1"},
		{"n_object_nested", `{"a":{"b":[{},{"c":x}]}}`, "/a/b/1/c", "byte 19"},

		{"n_duplicate", `{"a":1,"a":1}`, "/a", `member name "a" at /a (byte 7)`},
		{"n_duplicate_escaped", `{"a":1,"b":2,"\u0061":3}`, "/a", "byte 13"},
		{"n_duplicate_escaped_surrogates", `{"😀":1,"\ud83d\ude00":2}`, "/😀", "appears twice"},
		{"n_duplicate_solidus", `{"x\/y":1,"x/y":2}`, "/x~1y", "appears twice"},
		{"n_duplicate_empty", `{"":1,"":2}`, "/", "appears twice"},
		{"n_duplicate_nested", `{"arguments":{"rows":[{"id":1,"x":2,"id":1}]}}`, "/arguments/rows/0/id", "send each name once"},
		{"n_duplicate_three_times_names_the_second", `{"a":1,"a":2,"a":3}`, "/a", "(byte 7)"},
		{"n_duplicate_after_sorting_far_apart", `{"a":1,"z":1,"y":1,"x":1,"w":1,"v":1,"u":1,"t":1,"s":1,"r":1,"q":1,"p":1,"o":1,"a":2}`, "/a", "(byte 79)"},

		{"n_string_unclosed", `"abc`, "", "began at byte 0"},
		{"n_string_single_quotes", `'a'`, "", "byte 0"},
		{"n_string_raw_newline", "[\"a\nb\"]", "/0", `control character '\n' at /0 (byte 3)`},
		{"n_string_raw_tab", "\"\t\"", "", `'\t'`},
		{"n_string_raw_escape", "\"\x1b[2J\"", "", `'\x1b'`},
		{"n_string_raw_nul", "\"\x00\"", "", `'\x00'`},
		{"n_string_escaped_nul", `{"a":"x\u0000y"}`, "/a", "U+0000 at /a (byte 7)"},
		{"n_name_escaped_nul", `{"a\u0000":1}`, "", "U+0000"},
		{"n_string_escape_x", `"\x41"`, "", `escape "\\x" at byte 1`},
		{"n_string_escape_a", `"\a"`, "", "byte 1"},
		{"n_string_escape_capital_u", `"\U0041"`, "", "byte 1"},
		{"n_string_escape_emoji", `"\😀"`, "", "😀"},
		{"n_string_escape_invalid_utf8", "\"\\\xff\"", "", `\xff`},
		{"n_string_escape_at_end", `"\`, "", "byte 2"},
		{"n_string_escape_quote_at_end", `"\"`, "", "closing double quote"},
		{"n_string_unicode_cut", `"\u00`, "", "four hexadecimal"},
		{"n_string_unicode_short", `"\u00e"`, "", "four hexadecimal"},
		{"n_string_unicode_no_hex", `"\u00g9"`, "", "four hexadecimal"},
		{"n_string_unicode_sign", `"\u+0e9"`, "", "four hexadecimal"},
		{"n_string_high_surrogate_alone", `"\ud800"`, "", `escape \ud800 at byte 1`},
		{"n_string_high_surrogate_then_text", `"\ud800abcdef"`, "", "surrogate"},
		{"n_string_high_surrogate_then_escape", `"\ud800\n"`, "", "surrogate"},
		{"n_string_high_surrogate_then_character", `"\ud800\u0041"`, "", "surrogate"},
		{"n_string_two_high_surrogates", `"\ud800\ud800\udc00"`, "", "byte 1"},
		{"n_string_low_surrogate_alone", `"a\udc00"`, "", "byte 2"},
		{"n_string_surrogates_in_wrong_order", `"\ude00\ud83d"`, "", "surrogate"},
		{"n_string_high_surrogate_cut", `"\ud83d\u`, "", "surrogate"},
		{"n_name_lone_surrogate", `{"\udfff":1}`, "", "surrogate"},
		{"n_string_surrogate_in_utf8", "\"\xed\xa0\x80\"", "", "0xed"},
		{"n_string_cesu_8", "\"\xed\xa0\xbd\xed\xb8\x80\"", "", "0xed"},
		{"n_string_invalid_byte", "[\"ok\",\"a\xff\"]", "/1", "byte 0xff at /1 (byte 8)"},
		{"n_string_lone_continuation", "\"\x80\"", "", "0x80"},
		{"n_string_overlong_slash", "\"\xc0\xaf\"", "", "0xc0"},
		{"n_string_overlong_nul", "\"\xc0\x80\"", "", "0xc0"},
		{"n_string_beyond_unicode", "\"\xf4\x90\x80\x80\"", "", "0xf4"},
		{"n_string_utf8_cut", "\"\xe2\x82\"", "", "0xe2"},
		{"n_string_latin_1", "\"caf\xe9\"", "", "UTF-8"},
		{"n_name_invalid_byte", "{\"\xff\":1}", "", "member name"},
		{"n_string_fdd0", `"\ufdd0"`, "", "U+FDD0"},
		{"n_string_fdef_raw", "\"\ufdef\"", "", "U+FDEF"},
		{"n_string_fffe_raw", "\"\ufffe\"", "", "U+FFFE"},
		{"n_string_ffff", `"\uffff"`, "", "U+FFFF"},
		{"n_string_1fffe", `"\ud83f\udffe"`, "", "U+1FFFE"},
		{"n_string_10ffff_raw", "\"\U0010FFFF\"", "", "U+10FFFF"},
		{"n_name_non_character", `{"\uffff":1}`, "", "U+FFFF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantRefused(t, c.input, fault.MalformedJSON, c.member, c.detail)
		})
	}
}

// wantRefused checks what holds for every refusal, besides the arguments.
func wantRefused(t *testing.T, input string, code fault.Code, member, detail string) {
	t.Helper()
	v, err := canon.Parse([]byte(input))
	if err == nil {
		t.Fatalf("Parse(%.60q) = %.60s, want it refused", input, v.Canonical())
	}
	if !v.IsAbsent() {
		t.Errorf("Parse(%.60q) returned a value with its error", input)
	}
	if !fault.Is(err, code) {
		t.Fatalf("Parse(%.60q) = %v, want code %s", input, err, code)
	}
	f := fault.As(err)
	if f.Member != member {
		t.Errorf("member = %q, want %q (%s)", f.Member, member, f.Detail)
	}
	if !strings.Contains(f.Detail, detail) {
		t.Errorf("detail = %s, want it to contain %q", f.Detail, detail)
	}
	if code == fault.MalformedJSON && !strings.Contains(f.Detail, "byte ") {
		t.Errorf("detail = %s, which names no byte offset", f.Detail)
	}
	if strings.Contains(f.Detail, "%!") {
		t.Errorf("detail = %s, which is badly formatted", f.Detail)
	}
}

func TestParseLimits(t *testing.T) {
	t.Parallel()
	elements := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("0,", n), ",") + "]" }
	text := func(n int) string { return `"` + strings.Repeat("x", n-2) + `"` }
	underName := func(name, count int) string {
		return `{"` + strings.Repeat("k", name) + `":` + elements(count) + `}`
	}
	for _, c := range []struct {
		name, input string
		code        fault.Code // "" is accepted
		member      string
		detail      string
	}{
		{"as deep as allowed", strings.Repeat("[", 64) + "1" + strings.Repeat("]", 64), "", "", ""},
		{"a level deeper, though empty", strings.Repeat("[", 64) + "{}" + strings.Repeat("]", 64), fault.MalformedJSON, strings.Repeat("/0", 48), "at most 64"},
		{"deep twice, side by side", "[" + strings.Repeat("[", 63) + strings.Repeat("]", 63) + "," + strings.Repeat("[", 63) + strings.Repeat("]", 63) + "]", "", "", ""},
		{"as many values as allowed", elements(9_999), "", "", ""},
		{"a value more", elements(10_000), fault.MalformedJSON, "/9999", "at most 10000 values"},
		{"many values", elements(100_000), fault.MalformedJSON, "/9999", "at most 10000 values"},
		{"as large as allowed", text(canon.MaxBytes), "", "", ""},
		{"a byte larger", text(canon.MaxBytes + 1), fault.BodyTooLarge, "", "262145"},
		{"larger by white space", text(canon.MaxBytes) + " ", fault.BodyTooLarge, "", "at most 262144"},
		{"larger in canonical form", `["` + strings.Repeat("x", 250_000) + `"` + strings.Repeat(",1e15", 2_000) + `]`, fault.BodyTooLarge, "", "canonical"},
		{"numbers grow, and it still fits", `["` + strings.Repeat("x", 200_000) + `"` + strings.Repeat(",1e15", 3_000) + `]`, "", "", ""},
		{"numbers grow, white space makes up for it", `["` + strings.Repeat("x", 200_000) + `"` + strings.Repeat(",1e15", 3_000) + strings.Repeat(" ", 40_000) + `]`, "", "", ""},
		{"one long name", underName(100_000, 10), "", "", ""},
		{"a long name above many values", underName(100_000, 9_000), fault.MalformedJSON, "", "shorten the names"},
		{"an ordinary name above many values", underName(100, 9_000), "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.code != "" {
				wantRefused(t, c.input, c.code, c.member, c.detail)
				return
			}
			v, err := canon.Parse([]byte(c.input))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := canon.Parse(v.Canonical()); err != nil {
				t.Errorf("the canonical form of an accepted body is refused: %v", err)
			}
		})
	}
}

func TestErrorsCarryLittleOfTheInput(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("secret", 10_000)
	for name, input := range map[string]string{
		"number":              `[1` + strings.Repeat("7", 60_000) + `]`,
		"number in a place":   `{"` + long + `":1` + strings.Repeat("7", 60_000) + `}`,
		"word":                long,
		"after a value":       `[1 ` + long + `]`,
		"duplicate name":      `{"` + long + `":1,"` + long + `":2}`,
		"unclosed string":     `"` + long,
		"control in a string": `"` + long + "\n\"",
		"path of long names":  strings.Repeat(`{"`+strings.Repeat("secret", 600)+`":`, 60) + "x",
		"path of many names":  strings.Repeat(`{"secretsecretsecret":`, 60) + "x",
		"malformed number":    `-` + long,
		"leading zero":        `0` + strings.Repeat("7", 60_000),
		"controls in a name":  `{"` + strings.Repeat(`\u001b`, 50) + `":1,"` + strings.Repeat(`\u001b`, 50) + `":1}`,
		"bidi in a name":      "{\"a\u202eb\":x}",
		"escapes in a word":   "\x1b[2J",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := canon.Parse([]byte(input))
			f := fault.As(err)
			if !fault.Is(err, fault.MalformedJSON) {
				t.Fatalf("err = %v", err)
			}
			if len(f.Detail) > 480 || len(f.Member) > 96 {
				t.Errorf("detail has %d bytes and member %d: %s", len(f.Detail), len(f.Member), f.Detail)
			}
			if strings.Contains(f.Detail, strings.Repeat("secret", 8)) || strings.Contains(f.Detail, strings.Repeat("7", 41)) {
				t.Errorf("detail carries more than 40 characters of the input: %s", f.Detail)
			}
			for _, r := range f.Detail + f.Member {
				if r < ' ' || r == 0x7f || r == '\u202e' || r == '\ufffd' {
					t.Errorf("the error carries %U: %q", r, f.Detail)
				}
			}
		})
	}
}

// A member that cannot be shown whole is not cut, which would name another
// member; the nearest one around it is named instead.
func TestErrorsNameTheNearestMemberThatCanBeShown(t *testing.T) {
	t.Parallel()
	wantRefused(t, `{"a":[{"`+strings.Repeat("k", 41)+`":[x]}]}`, fault.MalformedJSON, "/a/0", "below /a/0 (byte 52)")
	wantRefused(t, `{"a":{"b\n":{"c":x}}}`, fault.MalformedJSON, "/a", "below /a (byte 17)")
	wantRefused(t, `{"\u200d":{"c":x}}`, fault.MalformedJSON, "", "at byte 15")
	wantRefused(t, `{"حذف/~":[x]}`, fault.MalformedJSON, "/حذف~1~0/0", "at /حذف~1~0/0 (byte 13)")
}

// The caller may reuse its buffer: huma pools request bodies.
func TestTreeDoesNotShareTheInput(t *testing.T) {
	t.Parallel()
	data := []byte(`{"name":"value","n":12345,"e":"a\nb"}`)
	v, err := canon.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	before := string(v.Canonical())
	for i := range data {
		data[i] = 'X'
	}
	if after := string(v.Canonical()); after != before {
		t.Errorf("the tree changed with the caller's buffer: %s, was %s", after, before)
	}
	v.Canonical()[0] = 'X'
	if after := string(v.Canonical()); after != before {
		t.Errorf("the tree changed with its canonical bytes: %s, was %s", after, before)
	}
}

func TestParseStored(t *testing.T) {
	t.Parallel()
	large := canon.String(strings.Repeat("x", 2*canon.MaxBytes))
	deep := large
	for range 70 {
		deep = canon.Array(deep)
	}
	v, err := canon.ParseStored(deep.Canonical())
	if err != nil || !v.Equal(deep) {
		t.Errorf("ParseStored of what Canonical wrote: %v", err)
	}
	for _, stored := range []string{``, `{"a":1,"a":2}`, `{"b":1,"a":2}`, ` {}`, `1.0`, `"\u0041"`, strings.Repeat("[", 2_000)} {
		v, err := canon.ParseStored([]byte(stored))
		if err == nil {
			t.Errorf("ParseStored(%.20q) = %s, want an error", stored, v.Canonical())
		}
		if fault.As(err).Kind() != fault.Internal {
			t.Errorf("ParseStored(%.20q) = %v, which blames the caller", stored, err)
		}
	}
}
