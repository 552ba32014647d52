package fivefactor

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/scan"
	"pgregory.net/rapid"
)

func score(in Input) Result { return Score(in, DefaultWeights(), DefaultThresholds()) }

func TestWorkedExample(t *testing.T) {
	t.Parallel()
	got := score(Input{
		Function: "delete_user", Arguments: parse(t, `{"args":["usr_123"],"env":"production"}`),
		Docstring: "Permanently remove a user account.", CallNumber: 1,
	})
	if got.Score != 0.720 || got.Level != level.High {
		t.Errorf("got %v %v, want 0.72 HIGH", got.Score, got.Level)
	}
	want := []Factor{
		{"function_name", 0.95, 0.30, 0.285, []scan.Evidence{
			{Pattern: "destructive:delete", Places: []scan.Place{{Pointer: "/function", Start: 0, End: 6}}, Why: `contains "delete"`},
		}},
		{"arguments", 0.7, 0.25, 0.175, []scan.Evidence{
			{Pattern: "credentials:production", Places: []scan.Place{{Pointer: "/arguments/env", Start: 0, End: 10}}, Why: "a value names production"},
		}},
		{"docstring", 0.85, 0.20, 0.17, []scan.Evidence{
			{Pattern: "docstring:permanent", Places: []scan.Place{{Pointer: "/docstring", Start: 0, End: 9}}, Why: `the docstring says "permanent"`},
		}},
		{"hints", 0, 0.15, 0, []scan.Evidence{}},
		{"novelty", 0.9, 0.10, 0.09, []scan.Evidence{
			{Pattern: "novelty", Places: []scan.Place{}, Why: "earlier calls of this function that ran in this session: 0"},
		}},
	}
	if !reflect.DeepEqual(got.Factors, want) {
		t.Errorf("factors\n got %+v\nwant %+v", got.Factors, want)
	}
}

func TestFunctionName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]float64{
		"delete_user": 0.95, "HTTPDelete": 0.95, "db:drop": 0.95, "killJob": 0.95, "list_drop_targets": 0.95, "delete2": 0.95,
		"\u212aILL": 0.95, "k\u0131ll": 0.95, "KİLL": 0.95, "purge": 0.95, "de\u200blete": 0.95, "ｄｅｌｅｔｅ_user": 0.95,
		"get_and_ｄｅｌｅｔｅ": 0.95, "de\u00adlete\u202e": 0.95,
		"set_flag": 0.55, "inſert_\u017fend": 0.55, "getAndSet": 0.55,
		"get_user": 0.10, "list_deleted_users": 0.10, "CHECK": 0.10,
		"noop": 0.40, "": 0.40, "wipe": 0.40, "deleted": 0.40, "reset": 0.40, "undelete": 0.40, "deleteall": 0.40, "sets": 0.40, "デlete": 0.40,
		"g\u200bet_user": 0.40, // a disguise never makes a call look safer
	} {
		if got := functionName(name).score; got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

func TestFunctionNameEvidence(t *testing.T) {
	t.Parallel()
	got := functionName("get_de\u200blete_drop").evidence
	want := []scan.Evidence{ // the plain word decides already: nothing needs the copy
		{Pattern: "destructive:drop", Places: []scan.Place{{Pointer: "/function", Start: 14, End: 18}}, Why: `contains "drop"`},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	got = functionName("get_de\u200blete").evidence
	place := []scan.Place{{Pointer: "/function", Start: 4, End: 13}}
	if len(got) != 2 || got[0].Pattern != "destructive:delete" || got[1].Pattern != scan.Obfuscated ||
		!slices.Equal(got[0].Places, place) || !slices.Equal(got[1].Places, place) {
		t.Errorf("got %+v, want delete and obfuscated text at %v", got, place)
	}
}

// patternsIn lists what arguments finds in one string value.
func patternsIn(value string) string {
	var found []string
	for _, e := range arguments(Input{Arguments: canon.Array(canon.String(value))}).evidence {
		found = append(found, e.Pattern)
	}
	return strings.Join(found, " ")
}

func TestArgumentPatterns(t *testing.T) {
	t.Parallel()
	const (
		production = "credentials:production"
		key        = "credentials:key"
		rm         = "shell:rm"
		sudo       = "shell:sudo"
		chmod      = "shell:chmod"
		url        = "network:url"
		email      = "network:email"
		ipv4       = "network:ipv4"
		hidden     = " " + scan.Obfuscated
	)
	for value, want := range map[string]string{
		"production": production, "reproduction steps": production, "PRODUCTİON": production, "prod": production,
		"db_prod": production, "Prod-1": production, "prod2": production,
		"product": "", "a reprod": "", "prodé": "", "produce": "",
		"/srv/.env": "credentials:.env", "os.environ": "credentials:.env", "x.ENV": "credentials:.env", "env": "",
		"SECRETS": "credentials:secret", "\u017fecret": "credentials:secret", "tokenize": "credentials:token",
		"new_password": "credentials:password", "credentials": "credentials:credential",
		"api_key": key, "apiKey": key, "apikey": key, "API Key": key, "APIKey": key, "KEYS": key, "my-keys!": key,
		"userKeyId": key, "APIKEYValue": key, "APIKEYS": key, "monKey": key, "\u212aey": key, "key\u017f": key, "apikeys": key, "ApıKey": key,
		"key\u0301": key, "3key4": key, "myApikey": key,
		"monkey": "", "keyboard": "", "okapikey": "", "turkeys": "", "keyed": "", "MONKEY": "", "KEYboard": "", "keyst": "", "éapikey": "",
		"DROP TABLE x": "sql:drop", "please delete": "sql:delete", "x;Truncate": "sql:truncate", "alter": "sql:alter",
		"drop delete drop": "sql:drop sql:delete",
		"dropped":          "", "DROP_TABLE": "", "éDROP": "", "DROPé": "", "alteration": "",
		"rm -rf": rm, "RM  -FR": rm, "rm\u00a0-rf": rm, "rm -rfv": rm, "/bin/rm -rf": rm,
		"rm -r": "", "rm -f": "", "farm -rf": "", "érm -rf": "",
		"sudo": sudo, "x;SUDO y": sudo, "sudoers": "", "pseudo": "",
		"chmod 777": chmod, "chmod -R 0777 /": chmod, "chmod 0777": chmod, "chmod 7777": "", "chmod 755": "", "chmod 777x": "",
		"s3://b": url, "see HTTP://x": url, "git+ssh://h": url, "://x": "", "http:// x": "", "http://": "", "1://x": "",
		"jane@example.com": email, "jörg@bücher.example": email, "a.b+c%d-e@x.co.uk": email, "a@b": "", "@example.com": "", "a@b.": "",
		"10.0.0.1": ipv4, "(255.255.255.255)": ipv4, "at 10.0.0.1.": ipv4, "0.0.0.0/0": ipv4, "x=1.2.3.4": ipv4, "ip-1.2.3.4": ipv4, "010.0.0.01": ipv4,
		"256.1.1.1": "", "1.2.3": "", "1.2.3.4.5": "", "v1.2.3.4": "", "_1.2.3.4": "", "1..2.3.4": "", "é1.2.3.4": "", "٣1.2.3.4": "",
		"1.2.3.99999999999999999999": "", "....": "", "1.2.3.4x": ipv4,
		"":                                    "",
		"harmless text about a tour in Kyoto": "",
		// The copy without disguise.
		"r\u200bm -rf": rm + hidden, "ｓｕｄｏ": sudo + hidden, "pass\u00adword": "credentials:password" + hidden,
		"ap\u2060i_ke\u200dy": key + hidden, "１０.0.0.1": ipv4 + hidden, "sudo ｓｕｄｏ": sudo,
		"ｄｅｌｅｔｅ sudo": sudo + " sql:delete" + hidden,
	} {
		if got := patternsIn(value); got != want {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
}

func TestArgumentsReadValuesTogether(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args  string
		score float64
	}{
		{`["rm","-rf","/data"]`, 0.7},         // across the joining space
		{`{"new_password":"x","key":"y"}`, 0}, // top-level names are not values
		{`{"data":{"password":"x"}}`, 0.7},    // nested names are
		{`[{"key":"x"}]`, 0.7},                // also below an array
		{`["delete","drop","delete"]`, 0.91},  // each pattern once
		{`"sudo"`, 0.7},                       // a scalar
		{`{"a":["secret password token",null,""]}`, 0.973},
		{`["ma","il@example.com"]`, 0.4},
		{`[10.25,"0.1"]`, 0},
		{`null`, 0},
		{`{}`, 0},
		{`{"z":"-rf","a":"rm"}`, 0.7}, // canonical order, not the order of writing
	} {
		if got := round(arguments(Input{Arguments: parse(t, test.args)}).score); got != test.score {
			t.Errorf("%s: %v, want %v", test.args, got, test.score)
		}
	}
	e := arguments(Input{Arguments: parse(t, `{"argv":["rm","-rf"]}`)}).evidence
	want := []scan.Place{{Pointer: "/arguments/argv/0", Start: 0, End: 2}, {Pointer: "/arguments/argv/1", Start: 0, End: 3}}
	if len(e) != 1 || !slices.Equal(e[0].Places, want) {
		t.Errorf("a match across values: %+v, want the places %v", e, want)
	}
	if got := arguments(Input{Arguments: canon.Value{}}); got.score != 0 || got.evidence != nil {
		t.Errorf("no arguments: %+v", got)
	}
}

func TestEvidenceIsBounded(t *testing.T) {
	t.Parallel()
	r := score(Input{
		Function:  strings.Repeat("delete_", 1000),
		Arguments: canon.Array(canon.String(strings.Repeat("key 1.2.3.4 prod ", 1000))),
		Docstring: strings.Repeat("permanent ", 1000),
	})
	var many []canon.Member
	for i := range 100 {
		many = append(many, canon.Member{Name: strings.Repeat("x", i), Value: canon.Int(1)})
	}
	if f := score(Input{Hints: canon.Object(many...)}).Factors[3]; len(f.Evidence) != maxHints || !near(f.Score, 0.008) {
		t.Errorf("%d pieces of evidence for 100 hints, score %v", len(f.Evidence), f.Score)
	}
	for _, f := range r.Factors {
		for _, e := range f.Evidence {
			if len(e.Places) > maxSpans || len(f.Evidence) > maxSpans+1 {
				t.Errorf("%s: %d pieces of evidence, %d places of %s", f.Name, len(f.Evidence), len(e.Places), e.Pattern)
			}
		}
	}
}

func TestDocstring(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"": 0, "Reads a file.": 0, "Be careful.": 0.5, "WARNİNG": 0.5, "precautions": 0.5,
		"Careful: irreversible.": 0.85, "PERMANENTLY": 0.85, "destructive": 0.85, "dangerous": 0.85, "reproduction": 0.85, "critical": 0.85,
		"perma\u200bnent": 0.85, "ｃｒｉｔｉｃａｌ, be careful": 0.85, "destruct": 0,
	} {
		if got := docstring(text).score; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for _, e := range docstring("careful, critical").evidence {
		if e.Pattern != "docstring:critical" {
			t.Errorf("the less alarming %s is not why", e.Pattern)
		}
	}
}

func TestHints(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		`{}`: 0, `{"a":true}`: 0.3, `{"a":true,"b":true}`: 0.6, `{"a":true,"b":true,"c":true,"d":true}`: 1.2,
		`{"n":5000}`: 0.4, `{"n":10000}`: 0.8, `{"n":9007199254740991}`: 0.8, `{"n":-5000}`: 0, `{"n":0}`: 0, `{"n":0.5}`: 0.00004,
		`{"a":false,"b":null,"c":"true","d":[true],"e":{"f":true}}`: 0, `[true]`: 0, `true`: 0, `null`: 0,
	} {
		if got := hints(parse(t, text)).score; !near(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	if got := score(Input{Hints: parse(t, `{"a":true,"b":true,"c":true,"d":true}`)}).Factors[3].Score; got != 1 {
		t.Errorf("hints are %v, not clamped to 1", got)
	}
	e := hints(parse(t, `{"a/b":12.50}`)).evidence
	if want := (scan.Place{Pointer: "/hints/a~1b", End: 4}); len(e) != 1 || e[0].Places[0] != want {
		t.Errorf("evidence %+v, want one at %v", e, want)
	}
}

func TestNovelty(t *testing.T) {
	t.Parallel()
	for call, want := range map[int]float64{
		math.MinInt: 0.9, -1: 0.9, 0: 0.9, 1: 0.9, 2: 0.811111, 6: 0.455556, 9: 0.188889, 10: 0.1, 11: 0.1, math.MaxInt: 0.1,
	} {
		if got := round(novelty(call).score); got != want {
			t.Errorf("call %d: %v, want %v", call, got, want)
		}
	}
}

func TestThresholdsDecideOnTheRoundedScore(t *testing.T) {
	t.Parallel()
	for score, want := range map[float64]level.Level{
		0: level.Low, 0.299999: level.Low, 0.3: level.Medium, 0.599999: level.Medium, 0.6: level.High, 0.799999: level.High, 0.8: level.Critical, 1: level.Critical,
	} {
		if got := DefaultThresholds().Level(score); got != want {
			t.Errorf("%v: %v, want %v", score, got, want)
		}
	}
	// .4·.3 + .6·.15 + .9·.1 is 0.29999999999999993 before rounding.
	got := score(Input{Function: "translate", Hints: parse(t, `{"a":true,"b":true}`), CallNumber: 1})
	if got.Score != 0.3 || got.Level != level.Medium {
		t.Errorf("got %v %v, want 0.3 MEDIUM", got.Score, got.Level)
	}
	for x, want := range map[float64]float64{0.2999996: 0.3, 0.2999995: 0.299999, 0.29999949: 0.299999, 0.0078125: 0.007812, 1: 1, 0: 0} {
		if got := round(x); got != want {
			t.Errorf("round(%v) = %v, want %v", x, got, want)
		}
	}
}

func TestWithoutHintsNeverCritical(t *testing.T) {
	t.Parallel()
	got := score(Input{
		Function: "delete", Docstring: "critical", CallNumber: 1,
		Arguments: parse(t, `["prod .env secret password token credential key drop delete truncate alter rm -rf sudo chmod 777 a://b c@d.e 1.2.3.4"]`),
	})
	if got.Score > 0.795 || got.Level != level.High {
		t.Errorf("got %v %v", got.Score, got.Level)
	}
	if n := len(got.Factors[1].Evidence); n != len(argumentPatterns) {
		t.Errorf("%d patterns found, want all %d", n, len(argumentPatterns))
	}
}

func TestSettingsValidate(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for _, test := range []struct {
		w      Weights
		member string
		ok     bool
	}{
		{DefaultWeights(), "", true},
		{Weights{FunctionName: 1}, "", true},
		{Weights{FunctionName: 1 + 9e-10}, "", true},
		{Weights{FunctionName: 1 + 2e-9}, "", false},
		{Weights{}, "", false},
		{Weights{FunctionName: 1.5, Hints: -0.5}, "/hints", false},
		{Weights{Novelty: nan}, "/novelty", false},
		{Weights{Docstring: math.Inf(1)}, "/docstring", false},
	} {
		checkFault(t, test.w, test.w.Validate(), test.member, test.ok)
	}
	for _, test := range []struct {
		t      Thresholds
		member string
		ok     bool
	}{
		{DefaultThresholds(), "", true},
		{Thresholds{0.1, 0.2, 1}, "", true},
		{Thresholds{}, "/medium", false},
		{Thresholds{0.3, 0.3, 0.8}, "/high", false},
		{Thresholds{0.3, 0.6, 0.5}, "/critical", false},
		{Thresholds{0.3, 0.6, 1.1}, "/critical", false},
		{Thresholds{nan, 0.6, 0.8}, "/medium", false},
		{Thresholds{0.3, nan, 0.8}, "/high", false},
		{Thresholds{-1, 0.6, 0.8}, "/medium", false},
	} {
		checkFault(t, test.t, test.t.Validate(), test.member, test.ok)
	}
}

func checkFault(t *testing.T, in any, err error, member string, ok bool) {
	t.Helper()
	if ok != (err == nil) {
		t.Errorf("%+v: error %v", in, err)
		return
	}
	if !ok && (!fault.Is(err, fault.InvalidMember) || fault.As(err).Member != member) {
		t.Errorf("%+v: error %v, want an invalid member %q", in, err, member)
	}
}

func TestExaminationIsNotChangedByItsResults(t *testing.T) {
	t.Parallel()
	e := Examine(Input{Function: "delete", Arguments: parse(t, `["sudo"]`)})
	first := e.Score(1, DefaultWeights(), DefaultThresholds())
	for _, f := range first.Factors {
		for i := range f.Evidence {
			f.Evidence[i].Pattern = "changed"
			clear(f.Evidence[i].Places)
		}
	}
	again := e.Score(1, DefaultWeights(), DefaultThresholds())
	if again.Factors[1].Evidence[0].Pattern != "shell:sudo" || again.Factors[1].Evidence[0].Places[0].End != 4 {
		t.Errorf("a caller reached into the examination: %+v", again.Factors[1].Evidence)
	}
	if later := e.Score(10, DefaultWeights(), DefaultThresholds()); later.Score >= again.Score {
		t.Errorf("the tenth call scores %v, the first %v", later.Score, again.Score)
	}
}

func TestResultJSON(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(score(Input{Function: "noop"}))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"score":0.21,"level":"LOW","factors":[` +
		`{"name":"function_name","score":0.4,"weight":0.3,"contribution":0.12,"evidence":[{"pattern":"unlisted","places":[{"pointer":"/function","start":0,"end":4}],"why":"no risk words in the function name"}]},` +
		`{"name":"arguments","score":0,"weight":0.25,"contribution":0,"evidence":[]},` +
		`{"name":"docstring","score":0,"weight":0.2,"contribution":0,"evidence":[]},` +
		`{"name":"hints","score":0,"weight":0.15,"contribution":0,"evidence":[]},` +
		`{"name":"novelty","score":0.9,"weight":0.1,"contribution":0.09,"evidence":[{"pattern":"novelty","places":[],"why":"earlier calls of this function that ran in this session: 0"}]}]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The quick way to six decimals is the exact one.
func TestRound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(0, 1).Draw(t, "x")
		if rapid.Bool().Draw(t, "in the middle") {
			x = (float64(rapid.IntRange(0, 999_999).Draw(t, "millionths")) + 0.5) / 1e6
			for range rapid.IntRange(0, 3).Draw(t, "steps") {
				x = math.Nextafter(x, rapid.SampledFrom([]float64{0, 1}).Draw(t, "towards"))
			}
		}
		if got, want := round(x), roundDigits(x); got != want {
			t.Fatalf("%b: %v, want %v", x, got, want)
		}
	})
}
