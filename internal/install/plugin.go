package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// plugin is opencode's way: a script in a folder of its own, which asks our hook and throws
// where it says no. The file is ours as a whole.
type plugin struct{}

// opencodePlugin starts the hook for each call. What is no complete answer throws, and opencode
// does not run a tool whose hook throws.
const opencodePlugin = `// Countersign decides about every tool call. Added by “countersign hook install opencode”.
import { spawn } from "node:child_process"

const command = %s

const ask = (event) =>
  new Promise((resolve, reject) => {
    const hook = spawn("/bin/sh", ["-c", command], { stdio: ["pipe", "pipe", "pipe"] })
    let out = "", err = ""
    hook.stdout.on("data", (d) => (out += d))
    hook.stderr.on("data", (d) => (err += d))
    hook.on("error", reject)
    hook.stdin.on("error", () => {})
    hook.on("close", (code) => {
      if (code !== 0) return reject(new Error(err.trim() || "Countersign: the hook failed"))
      try {
        resolve(JSON.parse(out))
      } catch {
        reject(new Error("Countersign: the hook's answer is not JSON"))
      }
    })
    hook.stdin.end(JSON.stringify(event))
  })

export const Countersign = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const answer = await ask({ event: "tool.execute.before", sessionID: input.sessionID, callID: input.callID, cwd: directory, tool: input.tool, args: output.args })
    if (answer.decision !== "allow") throw new Error(answer.reason || "Countersign: denied")
    if (answer.args) output.args = answer.args
  },
  "tool.execute.after": async (input, output) => {
    await ask({ event: "tool.execute.after", sessionID: input.sessionID, callID: input.callID, cwd: directory, tool: input.tool }).catch(() => {})
  },
})
`

func (plugin) add(text []byte, command string) ([]byte, error) {
	if len(text) > 0 && !bytes.Contains(text, []byte("countersign hook install opencode")) {
		return nil, errors.New("the file is somebody else's: move it away")
	}
	return fmt.Appendf(nil, opencodePlugin, style{}.text(command, 0)), nil
}

// remove leaves nothing of a file that is ours.
func (plugin) remove(text []byte) ([]byte, bool, error) {
	if !bytes.Contains(text, []byte("countersign hook install opencode")) {
		return text, false, nil
	}
	return nil, true, nil
}

func (p plugin) hooks(text []byte) (ours, others []entry, err error) {
	for line := range strings.Lines(string(text)) {
		literal, ok := strings.CutPrefix(line, "const command = ")
		var command string
		if !ok || json.Unmarshal([]byte(literal), &command) != nil {
			continue
		}
		var wrong []string
		if want, err := p.add(text, command); err != nil || !bytes.Equal(want, text) || programOf(command) == "" {
			wrong = append(wrong, "the file is not as installed")
		}
		for _, event := range []string{"tool.execute.before", "tool.execute.after"} {
			ours = append(ours, entry{event, command, wrong})
		}
	}
	return ours, nil, nil
}

func (plugin) managed(string) string { return "" }
