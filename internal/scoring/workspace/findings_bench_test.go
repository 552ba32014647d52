package workspace

import (
	"strings"
	"testing"
)

// What a text costs must stay in proportion to its length, whatever stands in it.
func BenchmarkFindings(b *testing.B) {
	texts := map[string]struct{ name, text string }{
		"python":           {"a.py", "import os, re, json\nfrom shop import cart\n\nclass Cart:\n    def total(self, items):\n        with open('data.json') as f:\n            data = json.load(f)\n        return sum(i.price * (1 + data['rate']) for i in items if i.sku in self.known)\n\n"},
		"javascript":       {"a.tsx", "import { useState } from 'react';\nexport function Cart({ items }) {\n  const [n, setN] = useState(0);\n  const total = items.map(i => i.price * 1.19).reduce((a, b) => a + b, 0);\n  return <div className=\"cart\"><p>It's {total}</p><button onClick={() => setN(n + 1)}>{n}</button></div>;\n}\n"},
		"python children":  {"a.py", "import subprocess\nsubprocess.run(['git', 'add', path])\nsubprocess.run('npm run build && npm test', shell=True)\n"},
		"python quotes":    {"a.py", "'''\"\"\"'''\"\"\"f'{a}"},
		"python calls":     {"a.py", "a(b(c("},
		"javascript marks": {"a.js", "/*`${`'"},
		"shell":            {"a.sh", "set -euo pipefail\nfor f in src/*.ts; do npx prettier --check \"$f\"; done\ngit diff --stat | tail -3\n"},
		"go":               {"a.go", "func main() {\n\tout, err := exec.Command(\"git\", \"status\").Output()\n\tos.WriteFile(\"dist/x\", out, 0o644)\n}\n"},
		"ruby":             {"a.rb", "system \"git status\"\nx = `ls`\n"},
		"make variables":   {"Makefile", "X += $(Y)$(Y)\nY += $(Z)$(Z)\nZ += $(W)$(W)\nW =\na:\n\t$(X)\n"},
		"make":             {"Makefile", "X := $(shell git describe)\nall: test\n\tgo build ./...\ntest:\n\tgo test ./...\n"},
	}
	for name, t := range texts {
		text := strings.Repeat(t.text, 10<<10/len(t.text)+1)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				findingsOf("", t.name, text, shop)
				tasksOf(t.name, text, shop)
			}
		})
	}
}
