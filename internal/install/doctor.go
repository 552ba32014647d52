package install

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/countersign/countersign/client"
)

// Check is one thing that was looked at.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix"`

	open bool // where it fails, calls run unasked; otherwise nobody knows
}

// Report is what the doctor found.
type Report struct {
	Agent   string  `json:"agent"`
	Version string  `json:"version"`
	Gate    string  `json:"gate"` // closed, open or unknown
	Checks  []Check `json:"checks"`
}

// Doctor looks whether an agent's gate holds.
type Doctor struct {
	Machine Machine
	Agent   *Agent
	Program string // the agent's program; "" is the first one on the PATH
	Folder  string // the project that is looked at
	Live    bool   // start the agent, against a model of ours
	Now     func() time.Time

	report  Report
	program string
	command string // as installed
}

// Examine looks at everything, and fires the canary: through the command line that stands in
// the settings, as the agent would.
func (d *Doctor) Examine(ctx context.Context) Report {
	d.report = Report{Agent: d.Agent.Name, Checks: []Check{}}
	d.lookAtProgram(ctx)
	switch d.Agent.Name {
	case "claude-code":
		d.lookAtClaude()
	case "codex":
		d.lookAtCodex(ctx)
	default:
		d.lookAtFiles()
	}
	if server := d.lookAtServer(ctx); d.command != "" && server != nil {
		d.fireCanary(ctx, server)
		if d.Live {
			d.fireLive(ctx, server)
		}
	} else {
		d.unknown("canary", false, "not fired: there is no installed command, or no server to hear of it", "see above")
	}
	if d.Agent.Untried != "" && !d.Live {
		d.unknown("tried", false, d.Agent.Untried, "")
	}
	d.report.Gate = "closed"
	for _, c := range d.report.Checks {
		switch {
		case c.OK:
		case c.open:
			d.report.Gate = "open"
		case d.report.Gate == "closed":
			d.report.Gate = "unknown"
		}
	}
	return d.report
}

// must notes what leaves the gate open if it isn't so, and unknown what leaves it unproven.
func (d *Doctor) must(name string, ok bool, detail, fix string) { d.note(name, ok, true, detail, fix) }

func (d *Doctor) unknown(name string, ok bool, detail, fix string) {
	d.note(name, ok, false, detail, fix)
}

func (d *Doctor) note(name string, ok, open bool, detail, fix string) {
	if ok {
		fix = ""
	}
	d.report.Checks = append(d.report.Checks, Check{Name: name, OK: ok, Detail: detail, Fix: fix, open: open})
}

func (d *Doctor) reinstall() string { return "countersign hook install " + d.Agent.Name }

// oldestClaude is the first Claude Code that knows onFailure. Older ones take no notice of it
// and run the tool when the hook fails.
const oldestClaude = "2.1.295"

var versionWord = regexp.MustCompile(`\d+\.\d+\.\d+`)

// lookAtProgram asks the program that would run for its version, not a registry.
func (d *Doctor) lookAtProgram(ctx context.Context) {
	d.program = d.Program
	if d.program == "" {
		path, err := d.Machine.LookPath(d.Agent.Program)
		if err != nil {
			d.unknown("program", false, "no program "+d.Agent.Program+" is on the PATH", "install it, or name it with --program")
			return
		}
		d.program = path
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, d.program, "--version")
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	out, err := cmd.Output()
	d.report.Version = versionWord.FindString(string(out))
	if err != nil || d.report.Version == "" {
		d.unknown("program", false, fmt.Sprintf("%s --version doesn't say a version (%v)", d.program, err), "")
		return
	}
	d.unknown("program", true, d.program, "")
	if d.Agent.Name == "claude-code" {
		d.must("version", semver.Compare("v"+d.report.Version, "v"+oldestClaude) >= 0, d.report.Version,
			"update Claude Code to "+oldestClaude+" or newer: older ones run the tool when the hook fails. With npm name the version: npm takes an old one where Node is old")
		return
	}
	d.unknown("version", true, d.report.Version, "")
}

// level is one settings file that counts.
type level struct {
	name, path string
	text       []byte
	ours       []entry
	others     []entry
}

// levels reads the settings files that there are.
func (d *Doctor) levels(paths map[string][]string, order []string) []level {
	var all []level
	seen := map[string]bool{} // in the home folder a project's file can be the user's
	for _, name := range order {
		for _, path := range paths[name] {
			text, mode, err := read(path)
			if err == nil && text == nil || seen[path] {
				continue
			}
			seen[path] = true
			l := level{name: name, path: path, text: text}
			if err == nil {
				l.ours, l.others, err = d.Agent.format.hooks(text)
			}
			if err != nil {
				d.must("settings "+name, false, fmt.Sprintf("%s is not read by the agent: %v", path, err), "repair the file")
				continue
			}
			if mode&0o022 != 0 && d.Machine.OS != "windows" {
				d.unknown("mode "+name, false, fmt.Sprintf("%s can be changed by other users (mode %04o)", path, mode), "chmod go-w "+quote(path))
			}
			all = append(all, l)
		}
	}
	return all
}

// lookAtEntries wants our entry as installed in one of the levels, and says what else asks.
func (d *Doctor) lookAtEntries(levels []level) {
	var where, bad, others []string
	for _, l := range levels {
		for _, o := range l.ours {
			if len(o.Wrong) > 0 {
				bad = append(bad, fmt.Sprintf("%s, %s: %s", l.path, o.Event, strings.Join(o.Wrong, ", ")))
				continue
			}
			if o.Event == d.Agent.before {
				where, d.command = append(where, l.path), o.Command
			}
		}
		for _, o := range l.others {
			if o.Event == d.Agent.before {
				others = append(others, fmt.Sprintf("%s: %s", l.path, client.OneLine(o.Command, 80)))
			}
		}
	}
	d.must("installed", len(where) > 0, orElse(strings.Join(where, ", "), "no settings file has the hook as it should be"), d.reinstall())
	if len(where)+len(bad) > 0 {
		d.must("entry", len(bad) == 0, orElse(strings.Join(bad, "; "), "as installed: matcher, time-out, wrapper, and what happens on a failure"), d.reinstall())
	}
	d.unknown("other hooks", len(others) == 0, orElse(strings.Join(others, "; "), "no other hook can change a call after it was approved"),
		"another hook before tool calls can change the call after it was approved: take it out, or let only managed hooks run")
	if d.command == "" {
		return
	}
	path := programOf(d.command)
	info, err := os.Stat(path)
	ok := err == nil && info.Mode().IsRegular() && info.Size() > 0 && (d.Machine.OS == "windows" || info.Mode()&0o111 != 0)
	d.unknown("hook program", ok, path, "it is gone or cannot be run, so nothing runs: "+d.reinstall())
	if ok && info.Mode()&0o022 != 0 && d.Machine.OS != "windows" {
		d.unknown("mode hook program", false, fmt.Sprintf("%s can be changed by other users (mode %04o)", path, info.Mode().Perm()), "chmod go-w "+quote(path))
	}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// lookAtClaude knows Claude Code's levels. A later one wins; the managed one over all.
func (d *Doctor) lookAtClaude() {
	managed := d.Agent.managed(d.Machine)
	dropIns, _ := filepath.Glob(filepath.Join(filepath.Dir(managed), "managed-settings.d", "*.json"))
	order := []string{"user", "project", "local", "managed"}
	levels := d.levels(map[string][]string{
		"user":    {d.Agent.user(d.Machine)},
		"project": {filepath.Join(d.Folder, ".claude", "settings.json")},
		"local":   {d.Agent.File(d.Machine, d.Folder)},
		"managed": append([]string{managed}, dropIns...),
	}, order)
	disabled, only, cut, steered := "", false, "", ""
	for _, l := range levels {
		var s struct {
			DisableAllHooks, AllowManagedHooksOnly *bool
			Env                                    map[string]any
		}
		_ = json.Unmarshal(bytes.TrimPrefix(l.text, byteOrderMark), &s)
		for name := range s.Env {
			if l.name != "managed" && steers(name) {
				steered = fmt.Sprintf("%s sets %s for every hook", l.path, name)
			}
		}
		if s.DisableAllHooks != nil {
			disabled = ""
			if *s.DisableAllHooks {
				disabled, cut = l.path, l.name
			}
		}
		only = only || l.name == "managed" && s.AllowManagedHooksOnly != nil && *s.AllowManagedHooksOnly
	}
	managedOnly := func(l level) bool { return l.name != "managed" }
	if only {
		levels = slices.DeleteFunc(levels, managedOnly)
	}
	if cut != "managed" && disabled != "" { // managed hooks run all the same
		if rest := slices.DeleteFunc(slices.Clone(levels), managedOnly); slices.ContainsFunc(rest, func(l level) bool { return len(l.ours) > 0 }) {
			levels, disabled = rest, ""
		}
	}
	d.must("environment", steered == "", orElse(steered, "no level gives the hook other settings"), "take it out of env in that file: the hook would ask another server, or run another program")
	d.must("disableAllHooks", disabled == "", orElse(disabled, "no level sets it"), "take disableAllHooks out of that file")
	if only {
		d.must("allowManagedHooksOnly", slices.ContainsFunc(levels, func(l level) bool { return len(l.ours) > 0 }),
			managed+" lets only managed hooks run", "an administrator adds the hook there: "+d.reinstall()+" --managed")
	}
	d.lookAtEntries(levels)
}

// steers reports whether a variable changes which server the hook believes, or what runs in
// its place.
func steers(name string) bool {
	switch name {
	case "HOME", "XDG_CONFIG_HOME", "BASH_ENV", "ENV", "SSL_CERT_FILE", "SSL_CERT_DIR":
		return true
	}
	return strings.HasPrefix(name, "COUNTERSIGN_") || strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_")
}

// lookAtCodex asks Codex itself what it would run.
func (d *Doctor) lookAtCodex(ctx context.Context) {
	levels := d.levels(map[string][]string{
		"user": {d.Agent.user(d.Machine)}, "project": {d.Agent.File(d.Machine, d.Folder)}, "managed": {d.Agent.managed(d.Machine)},
	}, []string{"user", "project", "managed"})
	d.lookAtEntries(levels)
	if d.program == "" || d.report.Version == "" {
		d.unknown("trust", false, "not known: there is no codex to ask", pressCodex)
		return
	}
	s, err := startCodex(ctx, d.program, d.Folder)
	if err != nil {
		d.unknown("trust", false, err.Error(), pressCodex)
		return
	}
	defer s.stop()
	hooks, err := s.hooks(d.Folder, "")
	if err != nil {
		d.unknown("trust", false, err.Error(), pressCodex)
		return
	}
	err = untrusted(hooks)
	d.must("trust", err == nil, orElse(errorText(err), "Codex lists the hook as trusted, and runs it"), d.reinstall()+", or: "+pressCodex)
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// lookAtFiles is for agents whose settings are the user's, the project's and an administrator's.
func (d *Doctor) lookAtFiles() {
	paths := map[string][]string{"user": {d.Agent.user(d.Machine)}, "project": {d.Agent.File(d.Machine, d.Folder)}}
	if d.Agent.managed != nil {
		paths["managed"] = []string{d.Agent.managed(d.Machine)}
	}
	levels := d.levels(paths, []string{"user", "project", "managed"})
	if d.Agent.Name == "gemini" {
		off := ""
		for _, l := range levels {
			var s struct {
				HooksConfig struct {
					Enabled  *bool
					Disabled []string
				}
			}
			if j, err := parseJSON(l.text, lenient); err == nil {
				_ = decode(&j.root, &s)
			}
			named := slices.ContainsFunc(s.HooksConfig.Disabled, func(name string) bool { return name == "countersign" || isOurs(name) })
			if on := s.HooksConfig.Enabled; named || on != nil && !*on {
				off = l.path
			}
		}
		elsewhere := slices.ContainsFunc(levels, func(l level) bool { return l.name != "project" && len(l.ours) > 0 })
		d.unknown("trust", elsewhere || d.Live, orElse(map[bool]string{true: "the hook is not only in the project's settings"}[elsewhere], "Gemini runs a project's hooks only in a folder that it trusts"), "only --live shows whether it does: "+d.reinstall()+" needs no such trust")
		d.must("hooksConfig", off == "", orElse(off, "hooks are on, and ours is not switched off"), "set hooksConfig.enabled to true and take countersign out of hooksConfig.disabled")
	}
	d.lookAtEntries(levels)
}

// longestWait is below the time-out that is installed.
const longestWait = 3570 * time.Second

// server is what the canary needs.
type server struct {
	*client.Client
	settings client.Settings
}

// lookAtServer tries the settings, the server, the key and the clock.
func (d *Doctor) lookAtServer(ctx context.Context) *server {
	settings, err := client.Load(d.Machine.Getenv)
	var c *client.Client
	if err == nil {
		c, err = client.New(settings)
	}
	d.unknown("server settings", err == nil, orElse(errorText(err), settings.URL), "without them the hook blocks every call")
	if err != nil {
		return nil
	}
	// What the hook does not end, the agent ends, and not every one blocks then.
	d.note("wait", settings.Wait <= longestWait, d.Agent.Name != "claude-code", orElse(map[bool]string{true: settings.Wait.String()}[settings.Wait > 0], "as by default"),
		fmt.Sprintf("wait_seconds has to stay below the agent's time-out: at most %d", int(longestWait.Seconds())))
	date, err := d.serverDate(ctx, settings)
	d.unknown("server", err == nil, orElse(errorText(err), "reachable"), "start the server, or correct the address; until then the hook blocks every call")
	if err != nil {
		return nil
	}
	off := d.Now().Sub(date).Round(time.Second)
	d.unknown("clock", !date.IsZero() && off.Abs() <= time.Minute, fmt.Sprintf("off by %s", off), "set the clock: what was approved is good for a short time only, and counts as old or as not yet good")
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	who, err := c.Agent(ctx)
	d.unknown("key", err == nil, orElse(errorText(err), who.Name+" of "+who.Tenant), "give the agent a new key: countersign agent create")
	if err != nil {
		return nil
	}
	return &server{c, settings}
}

// serverDate is the server's clock.
func (d *Doctor) serverDate(ctx context.Context, s client.Settings) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	if s.CA != "" {
		pem, err := os.ReadFile(s.CA)
		if err != nil {
			return time.Time{}, err
		}
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(pem)
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(s.URL, "/")+"/.well-known/jwks.json", nil)
	if err != nil {
		return time.Time{}, err
	}
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return time.Time{}, err
	}
	defer res.Body.Close()
	date, _ := http.ParseTime(res.Header.Get("Date"))
	if res.StatusCode != http.StatusOK {
		return date, fmt.Errorf("%s answers %s", req.URL, res.Status)
	}
	return date, nil
}

// nonce is a word that nobody else uses.
func nonce() string {
	b := make([]byte, 12)
	_, _ = rand.Read(b)
	return "doctor-" + hex.EncodeToString(b)
}

// event is what the agent would send for the canary.
func (a *Agent) event(nonce, folder string) []byte {
	e := map[string]any{"hook_event_name": a.before, "session_id": nonce, "tool_use_id": nonce, "tool_name": "countersign_canary", "tool_input": map[string]any{"nonce": nonce}, "cwd": folder}
	switch a.Name {
	case "opencode":
		e = map[string]any{"event": a.before, "sessionID": nonce, "callID": nonce, "tool": "countersign_canary", "args": map[string]any{"nonce": nonce}, "cwd": folder}
	case "cursor":
		e["conversation_id"] = nonce
	case "copilot":
		e = map[string]any{"sessionId": nonce, "toolCallId": nonce, "toolName": "countersign_canary", "toolArgs": map[string]any{"nonce": nonce}, "cwd": folder}
	}
	b, _ := json.Marshal(e)
	return b
}

// denies says whether a hook's answer keeps the agent from running the call.
func denies(code int, out []byte) bool {
	if code == 2 {
		return true
	}
	var answer struct {
		HookSpecificOutput                       struct{ PermissionDecision string }
		PermissionDecision, Decision, Permission string
	}
	return code == 0 && json.Unmarshal(out, &answer) == nil &&
		slices.Contains([]string{answer.HookSpecificOutput.PermissionDecision, answer.PermissionDecision, answer.Decision, answer.Permission}, "deny")
}

// fireCanary runs the installed command line as the agent does. It has to be refused, and the
// server has to have heard of it.
func (d *Doctor) fireCanary(ctx context.Context, s *server) {
	n := nonce()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, "sh", "-c", d.command)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = d.Folder, bytes.NewReader(d.Agent.event(n, d.Folder)), &out, &errs
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	err := cmd.Run()
	code := -1
	if cmd.ProcessState != nil {
		code = cmd.ProcessState.ExitCode()
	}
	denied := denies(code, out.Bytes())
	d.must("canary denied", denied, fmt.Sprintf("exit %d: %s", code, client.OneLine(out.String()+errs.String(), 200)), fmt.Sprintf("the installed command does not refuse (%v): %s", err, d.reinstall()))
	d.heard(ctx, "canary heard", s, n)
	if !denied {
		_ = s.Canary(ctx, n, "the installed command did not refuse it") // the console says so, too
	}
}

// heard says whether the server's last canary is ours.
func (d *Doctor) heard(ctx context.Context, name string, s *server, nonce string) {
	who, err := s.Agent(ctx)
	ok := err == nil && who.LastCanary != nil && who.LastCanary.Nonce == nonce
	d.unknown(name, ok, orElse(errorText(err), map[bool]string{true: "the server heard of it", false: "the server did not hear of it"}[ok]), "the hook blocks for another reason than the server's answer: run the installed command by hand")
}
