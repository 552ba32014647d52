package canon_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/canon"
)

// testdata/digests.jsonl is published: {"name", "input", "canonical", "digest"}.
// It was made by ECMAScript (JSON.parse, sort by code units, JSON.stringify), so
// it tells whether both sides of a grant mean the same. It never changes; new
// lines may be added.
func TestDigestVectors(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/digests.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	count := 0
	for ; lines.Scan(); count++ {
		var c struct{ Name, Input, Canonical, Digest string }
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		v, err := canon.Parse([]byte(c.Input))
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if got := string(v.Canonical()); got != c.Canonical {
			t.Errorf("%s: canonical form %s, want %s", c.Name, got, c.Canonical)
		}
		if got := canon.Digest(v); got != c.Digest {
			t.Errorf("%s: digest %s, want %s", c.Name, got, c.Digest)
		}
	}
	if lines.Err() != nil || count < 20 {
		t.Errorf("%d vectors, %v", count, lines.Err())
	}
}

// RFC 8785 §3.2.2 prints this pair; its number 333333333.33333329 is replaced by
// the value of its double, because as written it does not survive.
func TestExampleOfRFC8785(t *testing.T) {
	t.Parallel()
	v, err := canon.Parse([]byte(`{
		"numbers": [333333333.3333333, 1E15, 4.50, 2e-3, 0.000000000000000000000000001],
		"string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
		"literals": [null, true, false]
	}`))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"literals":[null,true,false],"numbers":[333333333.3333333,1000000000000000,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`
	if got := string(v.Canonical()); got != want {
		t.Errorf("canonical form = %s\nwant             %s", got, want)
	}
}

func TestDigestOfDifferentActsDiffers(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, input := range []string{
		`{}`, `[]`, `""`, `null`, `0`, `"0"`, `false`, `{"arguments":{}}`, `{"arguments":[]}`, `{"arguments":null}`, `{"arguments":""}`,
		`["a","b"]`, `["b","a"]`, `["a,b"]`, `["ab"]`, `[["a"],"b"]`, `[["a","b"]]`, `"é"`, `"e\u0301"`, `"a"`, `"A"`, `"a "`, `"a\u200b"`,
	} {
		digest := canon.Digest(mustParse(t, input))
		if other, found := seen[digest]; found {
			t.Errorf("%s and %s have the same digest", input, other)
		}
		seen[digest] = input
	}
}

func mustParse(t interface{ Fatalf(string, ...any) }, input string) canon.Value {
	v, err := canon.Parse([]byte(input))
	if err != nil {
		t.Fatalf("Parse(%s) = %v", input, err)
	}
	return v
}

// Another implementation of RFC 8785 must write the same bytes for everything
// that the gate lets through.
func TestCanonicalAgreesWithJCS(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := tree(3).Draw(t, "tree")
		text := untidy(t, v)
		want, err := jcs.Transform(text)
		if err != nil {
			t.Fatalf("jcs refuses %s: %v", text, err)
		}
		if got := mustParse(t, string(text)).Canonical(); !bytes.Equal(got, want) {
			t.Errorf("canonical form of %s = %s, jcs says %s", text, got, want)
		}
	})
}

func TestMarshalJSON(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(struct {
		Some, None canon.Value
		List       []canon.Value
	}{Some: mustParse(t, `{"b":[1e2],"a":"x\ny"}`), List: []canon.Value{canon.Null(), canon.Int(3)}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"Some":{"a":"x\ny","b":[100]},"None":null,"List":[null,3]}`
	if string(got) != want {
		t.Errorf("encoding/json wrote %s, want %s", got, want)
	}
}
