package canon_test

import (
	"testing"

	"github.com/countersign/countersign/internal/canon"
)

func TestSmoke(t *testing.T) {
	for _, s := range []string{`{"b":[1,2.50,1e3,{"a":"\u00e9\ud83d\ude00"}],"a":null}`, `[]`, ` 12 `, `{"a":1,"a":2}`, `{"arguments":{"x":1,"id":9007199254740993}}`, `[1,]`, `[01]`, `[-0]`, `[-]`, `"\ud800"`, `[1e400]`, `{"a":[NaN]}`, `nul`, `{"a":tru`, `{"a`, `[1 2]`, `{"a" 1}`, `{"a":1,}`, "\"a\tb\"", `{'a':1}`, "\"\xff\"", `""x`, ``, `9007199254740992`} {
		v, err := canon.Parse([]byte(s))
		t.Logf("%s => %s %v", s, v.Canonical(), err)
	}
}
