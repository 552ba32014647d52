package facts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
)

// BenchmarkHostile reads texts that are made to be slow. The throughput of a text
// must not fall with its size: that is what linear means.
func BenchmarkHostile(b *testing.B) {
	for _, unit := range []string{
		"a@b.c ", "a.", "FROM a, ", "SELECT ( ", "WITH a AS (", "(SELECT 1 FROM x);", "DROP TABLE x, ", "$a$", "rm a;", "A=1 ", "bash -c 'x' ;",
		"$(", "\"$(x ", "`a", "<<E ", "a${IFS}", "{\"a\":\"", "'\\'", "/*!", "eval 'x' ", "AA11 ", "1234-", "kubectl delete a b\n",
		"INTO ", "FROM TOP (", "TABLE ONLY ", "a$IFS", "$IFS", "a;git push -f --a=b c ", "-f --a=b c ", "a > b ",
	} {
		for _, size := range []int{16 << 10, 256 << 10} {
			text := "DROP TABLE " + strings.Repeat(unit, size/len(unit))
			in := &call.Call{Function: "bash_sql", Arguments: canon.Object(canon.Member{Name: "command", Value: canon.String(text)})}
			b.Run(fmt.Sprintf("%q/%d", unit, size), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					Extract(in)
				}
			})
		}
	}
}
