package install

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/countersign/countersign/client"
	"github.com/countersign/countersign/internal/install/mockmodel"
)

// fireLive starts the agent as the user would, but for the model: one of ours, on loopback, asks
// for a shell command that would create a file. The command begins with “countersign canary”,
// which the hook refuses always; so whether the file is there says whether the hook was asked
// and obeyed. Everything else is the agent's own: its settings, its home, its folder.
func (d *Doctor) fireLive(ctx context.Context, s *server) {
	const name, again = "live", "see what the agent says: "
	if d.program == "" || d.report.Version == "" {
		d.unknown(name, false, "there is no program to start", "name it with --program")
		return
	}
	// The file is in /tmp, where every sandbox may write. Gemini reads no settings there, because
	// others may write, too.
	dir, err := os.MkdirTemp("", "countersign-doctor")
	if err != nil {
		d.unknown(name, false, err.Error(), "")
		return
	}
	defer os.RemoveAll(dir)
	private, err := os.MkdirTemp(d.Machine.Home, ".countersign-doctor-")
	if err != nil {
		d.unknown(name, false, err.Error(), "")
		return
	}
	defer os.RemoveAll(private)
	n, marker := nonce(), filepath.Join(dir, "ran")
	model, err := mockmodel.Start(mockmodel.InOrder(mockmodel.Call{Command: fmt.Sprintf("countersign canary %s; : > %s", n, quote(marker))}))
	if err != nil {
		d.unknown(name, false, err.Error(), "")
		return
	}
	defer model.Close()
	args, env, err := d.live(model.URL, private)
	if err != nil {
		d.unknown(name, false, err.Error(), "")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, d.program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = d.Folder, &out, &out, append(os.Environ(), env...)
	cmd.WaitDelay = 5 * time.Second
	ownGroup(cmd)
	err = cmd.Run()
	said := again + client.OneLine(out.String(), 400)
	if _, gone := os.Stat(marker); gone == nil {
		d.must(name, false, "the agent ran the call that has to be refused", said)
		_ = s.Canary(ctx, n, "the agent ran the call that has to be refused") // the console says so, too
		return
	}
	if results := model.Results(); len(results) == 0 {
		d.unknown(name, false, fmt.Sprintf("the agent never came to call a tool (%v)", err), said)
		return
	}
	d.must(name, true, "the agent was started, asked for a harmless command, and did not run it", "")
	d.heard(ctx, "live heard", s, n)
}

// live is how the agent is started with a model of ours, its settings being what they are.
func (d *Doctor) live(model, dir string) (args, env []string, err error) {
	const prompt = "countersign hook doctor"
	switch d.Agent.Name {
	case "claude-code":
		// The flag wins over a model that the settings name.
		settings, _ := json.Marshal(map[string]any{"env": map[string]string{"ANTHROPIC_BASE_URL": model, "ANTHROPIC_API_KEY": "none"}})
		return []string{"-p", prompt, "--allowedTools", "Bash", "--settings", string(settings)},
			[]string{"ANTHROPIC_BASE_URL=" + model, "ANTHROPIC_API_KEY=none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1"}, nil
	case "codex":
		provider := fmt.Sprintf(`{name="doctor",base_url=%s,wire_api="responses",env_key="COUNTERSIGN_DOCTOR"}`, tomlString(model+"/v1"))
		return []string{
			"exec", "--skip-git-repo-check", "-C", d.Folder, "-s", "workspace-write", "-m", "gpt-5.5",
			"-c", "model_providers.countersign_doctor=" + provider, "-c", `model_provider="countersign_doctor"`, prompt,
		}, []string{"COUNTERSIGN_DOCTOR=none"}, nil
	case "gemini":
		// The way to sign in is a setting that only the machine's file overrides: the run gets a
		// copy of that file with this one changed.
		text, _, err := read(d.Agent.managed(d.Machine))
		if err != nil {
			return nil, nil, err
		}
		j, err := parseJSON(text, lenient)
		if err == nil {
			err = j.set("gemini-api-key", "security", "auth", "selectedType")
		}
		system := filepath.Join(dir, "settings.json")
		if err == nil {
			err = os.WriteFile(system, j.bytes(), 0o600)
		}
		return []string{"-m", "gemini-2.5-pro", "--yolo", "--skip-trust", "-p", prompt},
			[]string{"GOOGLE_GEMINI_BASE_URL=" + model, "GEMINI_API_KEY=none", geminiSystem + "=" + system}, err
	}
	return nil, nil, fmt.Errorf("%s cannot be started without a person signed in: see one call held, and refuse it", d.Agent.Name)
}
