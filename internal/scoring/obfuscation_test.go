package scoring

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// destructive is a line of testdata/destructive.jsonl.
type destructive struct{ Kind, Text string }

func readDestructive(t *testing.T) []destructive {
	t.Helper()
	f, err := os.Open("testdata/destructive.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []destructive
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var d destructive
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		list = append(list, d)
	}
	return list
}

// act is the action that carries a text: a command or statement as an argument, a
// program as code.
func act(t *testing.T, kind, text string) Action {
	t.Helper()
	members := []canon.Member{{Name: "function", Value: canon.String("run")}}
	switch kind {
	case "code":
		members = append(members, canon.Member{Name: "code", Value: canon.String(text)})
	case "sql":
		members = append(members, canon.Member{Name: "arguments", Value: canon.Object(canon.Member{Name: "statement", Value: canon.String(text)})})
	default:
		members = append(members, canon.Member{Name: "arguments", Value: canon.Object(canon.Member{Name: "command", Value: canon.String(text)})})
	}
	a, err := NewAction(canon.Object(members...))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// disguise is one way to write the same thing.
type disguise struct{ name, kind, text string }

// homoglyphs are letters of other scripts for Latin ones, as somebody would type
// them who wants to be read by people and not by programs.
var homoglyphs = []*strings.Replacer{
	strings.NewReplacer("a", "а", "c", "с", "e", "е", "i", "і", "j", "ј", "o", "о", "p", "р", "r", "г", "s", "ѕ", "x", "х", "y", "у", "h", "һ", "d", "ԁ", "m", "м", "t", "т", "k", "к",
		"A", "А", "B", "В", "C", "С", "E", "Е", "H", "Н", "K", "К", "M", "М", "O", "О", "P", "Р", "T", "Т", "X", "Х", "S", "Ѕ", "I", "І"),
	strings.NewReplacer("a", "α", "i", "ι", "k", "κ", "o", "ο", "p", "ρ", "u", "υ", "v", "ν", "x", "χ",
		"A", "Α", "B", "Β", "E", "Ε", "H", "Η", "I", "Ι", "K", "Κ", "M", "Μ", "N", "Ν", "O", "Ο", "P", "Ρ", "T", "Τ", "X", "Χ", "Y", "Υ", "Z", "Ζ"),
}

// alphabets are whole ones in which people write "fancy" text.
var alphabets = map[string]string{
	"small capitals":      "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡxʏᴢ",
	"Lisu":                "ꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑqꓣꓢꓔꓴꓦꓪꓫꓬꓜ",
	"Cherokee":            "ᎪᏴᏟᎠᎬfᏀᎻᎥᎫᏦᏞᎷnᎾᏢqᎡᏚᎢᏌᏙᏔxᎩᏃ",
	"regional indicators": "🇦🇧🇨🇩🇪🇫🇬🇭🇮🇯🇰🇱🇲🇳🇴🇵🇶🇷🇸🇹🇺🇻🇼🇽🇾🇿",
	"negative squared":    "🅰🅱🅲🅳🅴🅵🅶🅷🅸🅹🅺🅻🅼🅽🅾🅿🆀🆁🆂🆃🆄🆅🆆🆇🆈🆉",
	"negative circled":    "🅐🅑🅒🅓🅔🅕🅖🅗🅘🅙🅚🅛🅜🅝🅞🅟🅠🅡🅢🅣🅤🅥🅦🅧🅨🅩",
	"circled":             "ⓐⓑⓒⓓⓔⓕⓖⓗⓘⓙⓚⓛⓜⓝⓞⓟⓠⓡⓢⓣⓤⓥⓦⓧⓨⓩ",
	"script":              "𝒶𝒷𝒸𝒹ℯ𝒻ℊ𝒽𝒾𝒿𝓀𝓁𝓂𝓃ℴ𝓅𝓆𝓇𝓈𝓉𝓊𝓋𝓌𝓍𝓎𝓏",
}

// inAlphabet writes the small letters of a text in one of alphabets.
func inAlphabet(text, alphabet string) string {
	letters := []rune(alphabet)
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return letters[r-'a']
		}
		return r
	}, text)
}

// between puts mark after each letter.
func between(text, mark string) string {
	var b strings.Builder
	for _, r := range text {
		b.WriteRune(r)
		if 'a' <= r|0x20 && r|0x20 <= 'z' {
			b.WriteString(mark)
		}
	}
	return b.String()
}

func fullWidth(text string) string {
	return strings.Map(func(r rune) rune {
		if '!' <= r && r <= '~' {
			return r - '!' + '！'
		}
		return r
	}, text)
}

// bareWord is what a shell reads alike with and without quotes.
var bareWord = regexp.MustCompile(`(^| )([A-Za-z0-9./-]{2,})`)

// disguises are all ways to write d that the test tries.
func disguises(d destructive) []disguise {
	var list []disguise
	add := func(name, text string) { list = append(list, disguise{name, d.Kind, text}) }
	for _, mark := range []string{"\u200b", "\u200d", "\u2060", "\u00ad", "\ufeff"} {
		add("zero-width", between(d.Text, mark))
	}
	for _, mark := range []string{"\ufe0f", "\U000e0100", "\uffa0", "\u3164", "\u115f", "\u180b", "\U000e0041"} {
		add("selector or filler", between(d.Text, mark))
	}
	for _, mark := range []string{"\u0336", "\u0334", "\u0337\u0316", "\u20d2", "\u0489", "\u20dd"} {
		add("stroke", between(d.Text, mark))
	}
	for _, mark := range []string{"\u202e", "\u202c", "\u2066\u2069", "\u200f"} {
		add("bidi", between(d.Text, mark))
	}
	add("NFKC", fullWidth(d.Text))
	for _, script := range homoglyphs {
		add("confusable", script.Replace(d.Text))
		add("confusable, one word", script.Replace(d.Text[:strings.IndexAny(d.Text+" ", " .(")])+d.Text[strings.IndexAny(d.Text+" ", " .("):])
	}
	for name, alphabet := range alphabets {
		add(name, inAlphabet(d.Text, alphabet))
	}
	for _, space := range []string{"\t", "\u00a0", "   ", "\u3000", " \t "} {
		add("whitespace", strings.ReplaceAll(d.Text, " ", space))
	}
	switch d.Kind {
	case "shell", "cloud":
		add("line continuation", strings.ReplaceAll(d.Text, " ", " \\\n  "))
		add("line continuation in a word", d.Text[:1]+"\\\n"+d.Text[1:])
		add("IFS", strings.ReplaceAll(d.Text, " ", "${IFS}"))
		add("quoted words", bareWord.ReplaceAllString(d.Text, `$1'$2'`))
		for name, quote := range map[string]func(string) string{
			"quoted rest":      func(w string) string { return w[:1] + `"` + w[1:] + `"` },
			"quoted middle":    func(w string) string { return w[:1] + `'` + w[1:2] + `'` + w[2:] },
			"empty quotes":     func(w string) string { return w[:1] + `''` + w[1:] },
			"backslash":        func(w string) string { return w[:1] + `\` + w[1:] },
			"dollar quotes":    func(w string) string { return `$'` + w + `'` },
			"backslash before": func(w string) string { return `\` + w },
		} {
			add(name, bareWord.ReplaceAllStringFunc(d.Text, func(w string) string {
				space := w[:len(w)-len(strings.TrimPrefix(w, " "))]
				return space + quote(w[len(space):])
			}))
		}
	case "sql":
		add("comments", strings.ReplaceAll(d.Text, " ", "/**/"))
		add("comments with words", strings.ReplaceAll(d.Text, " ", " /* x */ "))
		add("line ends", strings.ReplaceAll(d.Text, " ", "\n"))
	}
	return list
}

// splits are programs that put a text together; whole is the one that does not.
func splits(text string) (whole string, parts []string) {
	whole = `run("` + text + `")`
	for i := 1; i < len(text); i++ {
		parts = append(parts,
			`run("`+text[:i]+`"+"`+text[i:]+`")`,
			`run("`+text[:i]+`" + '`+text[i:]+`')`,
			`run('`+text[:i]+`' . '`+text[i:]+`')`,
			`run("`+text[:i]+`""`+text[i:]+`")`,
			`run('`+text[:i]+`' || '`+text[i:]+`')`)
		if text[i] == ' ' {
			parts = append(parts, `run("`+text[:i]+`" "`+text[i:]+`")`)
		}
	}
	for i := 1; i+2 < len(text); i += 2 {
		parts = append(parts, `run("`+text[:i]+`" + "`+text[i:i+1]+`" + "`+text[i+1:]+`")`)
	}
	return whole, parts
}

// Whoever writes a destructive action in another way does not get a softer answer
// for it: not a lower score, not a lower level, no softer response.
func TestADisguiseNeverSoftens(t *testing.T) {
	t.Parallel()
	c := compiled(t, nil)
	list := readDestructive(t)
	if len(list) < 60 {
		t.Fatalf("there are %d destructive examples, want at least 60", len(list))
	}
	harder := func(t *testing.T, plain Assessment, name string, a Action) {
		t.Helper()
		got := c.Assess(a, 1, nil)
		if got.Score < plain.Score || got.Level < plain.Level || got.Response.rank() < plain.Response.rank() || got.Treatment.Challenge.rank() < plain.Treatment.Challenge.rank() {
			t.Errorf("%s: %q %q is %v %v %v, plain it is %v %v %v", name, a.Code(), a.Arguments().Canonical(), got.Score, got.Level, got.Response, plain.Score, plain.Level, plain.Response)
		}
	}
	for _, d := range list {
		t.Run(d.Text, func(t *testing.T) {
			t.Parallel()
			plain := c.Assess(act(t, d.Kind, d.Text), 1, nil)
			if plain.Level < level.Medium || plain.Response == Allow {
				t.Fatalf("as it stands it is %v, %v", plain.Level, plain.Response)
			}
			for _, other := range disguises(d) {
				harder(t, plain, other.name, act(t, other.kind, other.text))
			}
			if d.Kind == "code" {
				return
			}
			whole, parts := splits(d.Text)
			plain = c.Assess(act(t, "code", whole), 1, nil)
			for _, text := range parts {
				harder(t, plain, "split string", act(t, "code", text))
			}
		})
	}
}

// What is found in a copy only says so, and names a place in the original.
func TestADisguiseIsEvidence(t *testing.T) {
	t.Parallel()
	c := compiled(t, nil)
	for _, text := range []string{`r"m" -rf /srv/x`, `гm -rf /srv/x`, `r\m -rf /srv/x`, `rm${IFS}-rf${IFS}/srv/x`, "r\ufe0fm -rf /srv/x", "ʀᴍ -ʀꜰ /srv/x", "🇷🇲 -🇷🇫 /srv/x", "r̶m̶ -rf /srv/x"} {
		as := c.Assess(act(t, "shell", "echo; "+text), 1, nil)
		found := false
		for _, e := range as.Rules.Evidence {
			if e.Pattern == scan.Obfuscated {
				found = true
				if p := e.Places[0]; p.Start != len("echo; ") || p.End < p.Start+5 || p.End > len("echo; ")+len(text) {
					t.Errorf("%q: the place is %+v", text, p)
				}
			}
		}
		if !found {
			t.Errorf("%q: no evidence of a disguise: %+v", text, as.Rules.Evidence)
		}
	}
}

// A function in disguise is read as what it passes for, and that is evidence.
func TestAFunctionInDisguise(t *testing.T) {
	t.Parallel()
	c := compiled(t, nil)
	plain := c.Assess(callOf(t, "delete_user"), 1, nil).FiveFactor.Score
	for _, name := range []string{
		"d\ufe0felete_user", "d\U000e0100elete_user", "d\uffa0elete_user", "d\u3164elete_user", "ᴅᴇʟᴇᴛᴇ_user", "ꓓelete_user", "deꓡete_user", "🇩🇪🇱🇪🇹🇪_user", "d̶e̶l̶e̶t̶e̶_user", "ᎠᎬᏞᎬᎢᎬ_user", "ⓓⓔⓛⓔⓣⓔ_user", "🅳🅴🅻🅴🆃🅴_user",
	} {
		as := c.Assess(callOf(t, name), 1, nil).FiveFactor
		if as.Score < plain {
			t.Errorf("%q scores %v, in plain letters %v", name, as.Score, plain)
		}
		found := false
		for _, e := range as.Factors[0].Evidence {
			found = found || e.Pattern == scan.Obfuscated
		}
		if !found {
			t.Errorf("%q: no evidence of a disguise: %+v", name, as.Factors[0].Evidence)
		}
	}
}

// call is an action of a function without arguments.
func callOf(t *testing.T, function string) Action {
	t.Helper()
	a, err := NewAction(canon.Object(canon.Member{Name: "function", Value: canon.String(function)}))
	if err != nil {
		t.Fatal(err)
	}
	return a
}
