package clients_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
)

// Each client writes the canonical form that the shared vectors name.
func TestDigestVectors(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l *language) {
		for _, line := range lines(t, "../internal/canon/testdata/digests.jsonl") {
			var v struct{ Name, Input, Canonical string }
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatal(err)
			}
			var got struct{ Canonical string }
			l.do(t, command{"op": "vector", "text": v.Input}, &got)
			if got.Canonical != v.Canonical {
				t.Errorf("%s: %s, want %s", v.Name, got.Canonical, v.Canonical)
			}
		}
	})
}

// Each client takes and refuses the grants of the shared vectors, each for its reason.
func TestGrantVectors(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l *language) {
		for _, line := range lines(t, "../grant/testdata/grants.jsonl") {
			var v command
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatal(err)
			}
			var got struct{ Result string }
			v["op"] = "vector"
			l.do(t, v, &got)
			if got.Result != v["result"] {
				t.Errorf("%s: %s, want %s", v["name"], got.Result, v["result"])
			}
		}
	})
}

// Whatever the server reads of the corpus, each client reads, and writes in the same form;
// the bodies at the server's limits of size are left to the server.
func TestCorpus(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../internal/canon/testdata/corpus/*.json")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	each(t, func(t *testing.T, l *language) {
		compared := 0
		for _, file := range files {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tree, err := canon.Parse(body)
			if err != nil || len(body) > 50_000 {
				continue
			}
			var got struct{ Canonical string }
			l.do(t, command{"op": "vector", "text": string(body)}, &got)
			if want := string(tree.Canonical()); got.Canonical != want {
				t.Errorf("%s: %.100s, want %.100s", filepath.Base(file), got.Canonical, want)
			}
			compared++
		}
		if compared < 50 {
			t.Errorf("compared %d only", compared)
		}
	})
}

// Each client writes 10,000 doubles, and integers around every power of two and ten, as the server does.
func TestNumbersAreTheServers(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(37, 8785))
	var numbers []canon.Value
	for len(numbers) < 10_000 {
		f := math.Float64frombits(random.Uint64())
		if len(numbers)%2 == 0 { // half of them where people's numbers are
			f = (random.Float64() - 0.5) * math.Pow(10, float64(random.IntN(60)-30))
		}
		tree, err := canon.Parse([]byte(shortest(f)))
		if err == nil {
			numbers = append(numbers, tree)
		}
	}
	want := string(canon.Array(numbers[:9_990]...).Canonical())
	rest := string(canon.Array(numbers[9_990:]...).Canonical())
	var integers []string
	for _, base := range []string{
		"9007199254740991", "9007199254740992", "9007199254740993", "1152921504606846976", "18446744073709551615", "99999999999999991611392",
		"1" + strings.Repeat("0", 21), "1" + strings.Repeat("0", 20) + "1", "1" + strings.Repeat("0", 39), strings.Repeat("9", 40), "1180591620717411303424", "1180591620717411300000",
	} {
		for _, n := range []string{base, "-" + base} {
			if tree, err := canon.Parse([]byte(n)); err == nil {
				integers = append(integers, string(tree.Canonical()))
			}
		}
	}
	each(t, func(t *testing.T, l *language) {
		for _, text := range []string{want, rest, "[" + strings.Join(integers, ",") + "]"} {
			var got struct{ Canonical string }
			l.do(t, command{"op": "vector", "text": text}, &got)
			if got.Canonical != text {
				a, b := strings.Split(got.Canonical, ","), strings.Split(text, ",")
				for i := range min(len(a), len(b)) {
					if a[i] != b[i] {
						t.Fatalf("%s, want %s", a[i], b[i])
					}
				}
				t.Fatalf("%d numbers, want %d", len(a), len(b))
			}
		}
	})
}

// shortest is a double as Go writes it; the server's parser is asked whether it takes it.
func shortest(f float64) string {
	text, err := json.Marshal(f)
	if err != nil {
		return ""
	}
	return string(text)
}

// What is not JSON, or would change on its way, is refused before it is sent.
func TestWhatCannotBeSent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l *language) {
		var got struct {
			Taken []string
			Tried int
		}
		l.do(t, command{"op": "unsendable"}, &got)
		if len(got.Taken) > 0 || got.Tried < 15 {
			t.Errorf("taken: %v of %d", got.Taken, got.Tried)
		}
	})
}
