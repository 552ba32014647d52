package command

import (
	"time"

	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/internal/tenants"
)

// demoFolder is the workspace of the demo's coding agent: a sandbox, so the admin says.
const demoFolder = "/workspace/webshop"

// binding is what the agent of a script is bound to, as agent bind does it.
func (s demoScript) binding() tenants.NewBinding {
	b := tenants.NewBinding{Reason: "It works in a container that holds the checkout and no credentials."}
	if s.folder != "" {
		b.Workspace = workspace.Binding{Folder: s.folder, Sandboxed: true}
	}
	return b
}

// codingScript is an agent that works on code. Inside of its workspace nobody is asked; it
// is held where it pushes, and where it changes what CI runs.
func codingScript() demoScript {
	shell := func(command string) demoAction {
		return demoAction{function: "Bash", arguments: args{"command": command, "cwd": demoFolder}}
	}
	return demoScript{name: "web-coder", session: "discount-codes", folder: demoFolder, pace: 5 * time.Second, atOnce: 7, actions: []demoAction{
		shell("git status -sb && git log --oneline -%N"),
		{function: "Read", arguments: args{"file_path": demoFolder + "/src/cart/total.ts", "limit": 120}},
		{function: "Grep", arguments: args{"pattern": "cartTotal", "path": demoFolder + "/src", "head_limit": 40}},
		{function: "Edit", arguments: args{"file_path": demoFolder + "/.github/workflows/ci.yml", "old_string": "node-version: 22", "new_string": "node-version: 24"}, justification: "The shop moves to Node 24 (#%N)."},
		shell("npm test -- --run src/cart 2>&1 | tail -%N"),
		{function: "Edit", arguments: args{"file_path": demoFolder + "/src/cart/total.ts", "old_string": "return sum;", "new_string": "return Math.max(0, sum - discount); // shop-%N"}},
		shell("npx tsc --noEmit 2>&1 | head -%N"),
		{function: "Read", arguments: args{"file_path": demoFolder + "/src/cart/discount.ts"}},
		{function: "Write", arguments: args{"file_path": demoFolder + "/src/cart/discount.test.ts", "content": "import { expect, test } from 'vitest';\nimport { apply } from './discount';\n\ntest('shop-%N', () => expect(apply(1999, 10)).toBe(1799));\n"}},
		shell("cd src && grep -rn 'discount' --include='*.ts' . | wc -l"),
		shell("npm run build 2>&1 | grep -E 'error|warning' | head -%N"),
		{function: "TodoWrite", arguments: args{"todos": []args{{"content": "Discount codes in the cart", "status": "in_progress"}}}},
		shell("for f in src/cart/*.ts; do wc -l \"$f\"; done | sort -n | tail -%N"),
		shell("git add -A && git commit -m 'cart: take a discount off the total (shop-%N)'"),
		shell("git push origin HEAD:refs/heads/discount-codes-%N"),
		{function: "Glob", arguments: args{"pattern": "src/**/*.test.ts", "path": demoFolder}},
		shell("curl -s localhost:3000/api/discounts/SPRING%N | jq .kind"),
		{function: "WebFetch", arguments: args{"url": "https://vitest.dev/guide/cli", "prompt": "How is one test run by its name?"}},
		shell("sed -n '1,%Np' src/app/checkout/Summary.tsx"),
		shell("npx eslint src --max-warnings %N && rm -rf dist .next"),
	}}
}
