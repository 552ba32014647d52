package effects

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/level"
)

func TestMeasure(t *testing.T) {
	path := os.Getenv("TOOLS")
	if path == "" {
		t.Skip()
	}
	f, _ := os.Open(path)
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<22)
	count := map[string]map[string]int{}
	var misses []string
	s := Default()
	for sc.Scan() {
		var l struct {
			Server, Tool string
			LabelJudge   *string `json:"label_judge"`
			LabelAuthor  *string `json:"label_author"`
			Calls        []struct {
				Variant   string
				Arguments json.RawMessage
				Benign    any `json:"benign_payload"`
			}
		}
		if err := json.Unmarshal(sc.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		if l.LabelJudge == nil {
			continue
		}
		for _, c := range l.Calls {
			args, err := canon.Parse(c.Arguments)
			if err != nil {
				continue
			}
			r := Examine(Input{Function: l.Tool, Arguments: args})
			all := r.Effects(Given{})
			fl := s.Floor(all, false)
			m := count[*l.LabelJudge]
			if m == nil {
				m = map[string]int{}
				count[*l.LabelJudge] = m
			}
			if c.Benign != nil {
				continue
			}
			m[fl.Level.String()]++
			held := fl.Level > level.Low
			if (*l.LabelJudge == "read") == held || (fl.Level < level.High && (*l.LabelJudge == "destructive" || *l.LabelJudge == "permission" || *l.LabelJudge == "money")) {
				misses = append(misses, fmt.Sprintf("%s %s %s %s %s | %.150s", *l.LabelJudge, fl.Level, l.Tool, fl.Effect, fl.Because, c.Arguments))
			}
		}
	}
	for k, m := range count {
		fmt.Println(k, m)
	}
	sort.Strings(misses)
	for _, m := range misses {
		fmt.Println(m)
	}
}
