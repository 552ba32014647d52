package workspace

import (
	"strings"
	"testing"
)

// limit is what reading and judging a script of 10 KiB may cost, in nanoseconds.
const limit = 5e6

func BenchmarkJudge(b *testing.B) {
	for _, c := range []struct{ name, part string }{
		{"everyday", "(cd web && npm test 2>&1 | tail -20); git add -A && git commit -m 'x' && sed -n '1,80p' src/a.ts\n"},
		{"finds", "find . -name '*.ts' -not -path './node_modules/*' | xargs sed -i 's/a/b/' ; for f in a b c; do rm \"$f\"; done\n"},
		{"writes", "cat > src/a.py <<'PY'\nimport json\nprint(json.load(open('a.json')))\nPY\npython3 src/a.py && make test\n"},
		{"pipes", "cat a | grep b | sort | uniq -c | awk '{print $1}' | head -3 | sed 's/a/b/' | tee /tmp/x | wc -l\n"},
		{"requests", "curl -s https://example.com/a/b?c=d -H 'Accept: x' -o data/x.json; kill $(lsof -ti:3000)\n"},
		{"words", "rm -f a b c d e f g h i j k l m n o p q r s t u v w x y z\n"},
	} {
		b.Run(c.name, func(b *testing.B) {
			in := bash(strings.Repeat(c.part, 10<<10/len(c.part)+1))
			for b.Loop() {
				in.Call = nil
				r := Examine(sandboxed, in)
				r.Asks()
				r.Judge(Memory{})
			}
			took := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			b.ReportMetric(limit, "limit")
			b.ReportMetric(took/limit, "ratio")
		})
	}
}
