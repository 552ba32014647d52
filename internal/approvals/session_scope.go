package approvals

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// A session grant in a workspace covers what its scope names: pushing to this branch, this
// host, this file. What a call does there is not in its shape, so the scope is what the
// reading of the call says that it is, and it is looked at once more here.

// Scope is what a session grant in a workspace covers, and of which binding.
type Scope struct {
	workspace.Scope
	workspace.Binding
	Level level.Level `json:"level"` // the highest of a call that it covers
}

// maxScopes is how many grants with a scope an agent may have open.
const maxScopes = 100

// Text is the scope as it is stored and told; "" for none.
func (s *Scope) Text() string {
	if s == nil {
		return ""
	}
	b, err := json.Marshal(s)
	if err != nil { // texts and a level: they always can be
		return ""
	}
	return string(b)
}

// Name says in a few words what is covered; it is recorded with each use.
func (s Scope) Name() string {
	switch s.Of {
	case "install":
		return "installing packages"
	case "push":
		return "pushing to " + s.To
	case "ssh":
		return "ssh to " + s.To
	case "http":
		return "requests to " + s.To
	case "file":
		return "writing " + s.To
	case "folder":
		return "writing in " + s.To
	case "compose":
		return "compose up and down"
	case "tool":
		return "the tool " + s.To
	case "program":
		return s.To
	default:
		return "running own code"
	}
}

// ReadScope reads what Text wrote.
func ReadScope(text string) (*Scope, error) {
	if text == "" {
		return nil, nil
	}
	var s Scope
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return nil, fmt.Errorf("scope of a session grant: %w", err)
	}
	return &s, nil
}

// inWorkspace reports whether a was read in the agent's workspace, whoever decides about it.
func (a Approval) inWorkspace() bool {
	w := a.Assessment.Workspace
	return w != nil && w.Level > level.Safe
}

// Scope is what a session grant made with an approval of a would cover; why not, where
// there can be none.
func (a Approval) Scope(action scoring.Action) (*Scope, fault.Text) {
	as, w := a.Assessment, a.Assessment.Workspace
	if w == nil || !w.Decides || w.Covers == nil {
		return nil, fault.Textf("session approvals don't cover what it does")
	}
	s := &Scope{Scope: *w.Covers, Binding: w.Binding, Level: level.Medium}
	asked := scoring.ChallengeConfirm
	if s.Of == "ssh" {
		s.Level, asked = level.High, scoring.ChallengeQuiz
	}
	t := a.Treatment
	switch {
	case max(t.Level, as.Level, w.Level) > s.Level:
		return nil, fault.Textf("it's %s, and session approvals don't cover that level", max(t.Level, as.Level, w.Level))
	case as.Level != w.Level:
		return nil, fault.Textf("it's also held for other reasons than what it does in its workspace")
	case t.Response != scoring.Hold || t.Challenge != scoring.ChallengeConfirm && t.Challenge != asked || t.ApprovalsRequired > 1:
		return nil, fault.Textf("session approvals cover only calls that one person approves")
	case len(t.Needs) > 0:
		return nil, fault.Textf("the policy says who has to decide it")
	case len(a.Carried) > 0 || a.Digest != a.ShownDigest:
		return nil, fault.Textf("parts of this call are masked, and you can't approve in advance what you can't see")
	case as.Patterns.LifecyclePoint != scoring.PreToolCall || blocks(as):
		return nil, fault.Textf("it isn't a call, or a pattern in it asks to block it")
	}
	return s, s.never(as, action)
}

// never says why this is not covered, whatever the reading of the call says: production,
// deploying and publishing, secrets, other rights, deletion outside, a release branch, and
// what does what it is given to run.
func (s Scope) never(as scoring.Assessment, action scoring.Action) fault.Text {
	for _, e := range as.Effects {
		if e.Sensitive || e.Kind == effects.Permission || e.Kind == effects.Money || e.Breadth == effects.All || e.Kind == effects.Delete && s.Of != "program" {
			return fault.Textf("session approvals don't cover reading secrets, changing permissions, deleting or moving money")
		}
	}
	production := func(f facts.Fact) bool { return f.Kind == facts.Environment && facts.IsProduction(f.Value) }
	if slices.ContainsFunc(as.Facts, production) || facts.IsProduction(as.Inputs.Environment) {
		return fault.Textf("production can't be approved for a session")
	}
	switch s.Of {
	case "install", "compose":
		return fault.Text{}
	case "code":
		if s.Sandboxed {
			return fault.Textf("in a sandbox, the agent's own code already runs without asking")
		}
		return fault.Text{}
	}
	if s.To == "" || len(s.To) > maxScopeText || strings.ContainsFunc(s.To, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fault.Textf("its target is unknown")
	}
	switch {
	case s.Of == "push" && releaseBranch(s.To):
		return fault.Textf("a default or release branch, or one that isn't named, can't be approved for a session")
	case (s.Of == "ssh" || s.Of == "http") && strings.ContainsAny(s.To, "*$ "):
		return fault.Textf("its target is unknown")
	case s.Of == "file" && (!strings.HasPrefix(s.To, "/") || secretFile(s.To)):
		return fault.Textf("this file can't be approved for a session")
	case s.Of == "folder" && strings.Count(strings.TrimRight(s.To, "/"), "/") < 2:
		return fault.Textf("this folder can't be approved for a session")
	case s.Of == "tool" && runsText(action, as.Effects):
		return fault.Textf("a tool that runs what it is given can't be approved for a session")
	case s.Of == "program" && runner(s.To):
		return fault.Textf("a shell, an interpreter or a wrapper can't be approved for a session")
	case s.Of == "program" && releasing(s.To):
		return fault.Textf("deploying and publishing can't be approved for a session")
	case !slices.Contains([]string{"push", "ssh", "http", "file", "folder", "tool", "program"}, s.Of):
		return fault.Textf("calls of this kind can't be approved for a session")
	}
	return fault.Text{}
}

// maxScopeText bounds the name of a branch, a host, a path, a tool or a program.
const maxScopeText = 1024

// releaseBranch reports whether a push to this branch is never covered. One that only the
// agent's folder knows, as HEAD, may be any.
func releaseBranch(branch string) bool {
	b := strings.ToLower(strings.TrimPrefix(branch, "refs/heads/"))
	lead, _, _ := strings.Cut(b, "/")
	switch lead {
	case "main", "master", "develop", "production", "prod", "trunk", "head", "@", "refs", "default":
		return true
	}
	return strings.HasPrefix(lead, "release") || strings.ContainsAny(b, " :*^~?[\\+")
}

// secretFile reports whether a file may hold secrets, or says how others are reached.
func secretFile(path string) bool {
	parts := strings.Split(strings.ToLower(path), "/")
	base := parts[len(parts)-1]
	for _, name := range []string{".env", ".npmrc", ".netrc", ".pypirc", "id_", "credentials"} {
		if strings.HasPrefix(base, name) {
			return true
		}
	}
	return slices.ContainsFunc(parts, func(p string) bool { return slices.Contains([]string{".git", ".ssh", ".aws", ".gnupg", ".kube"}, p) })
}

// runners do what they are given to run: shells, interpreters, wrappers.
var runners = strings.Fields(`sh bash zsh dash ksh fish ash csh tcsh busybox pwsh powershell cmd
	python python2 python3 pypy pypy3 node nodejs deno bun ruby irb perl php lua luajit osascript Rscript tclsh awk gawk mawk sed jshell groovy julia
	env xargs find sudo doas su pkexec runuser timeout nohup time nice ionice stdbuf setsid watch parallel exec eval source command builtin script expect
	npx bunx pnpx uvx pipx dlx ssh tmux screen at batch crontab nix-shell direnv chroot nsenter unshare systemd-run flock strace ltrace gdb
	psql mysql mariadb sqlite3 redis-cli mongosh mongo sqlplus duckdb claude codex gemini aider opencode cursor-agent goose amp`)

// runner reports whether a program, named with its subcommand, runs what it is given.
func runner(program string) bool {
	words := strings.Fields(program)
	if len(words) == 0 || strings.Contains(words[0], "/") {
		return true
	}
	if slices.Contains(runners, words[0]) || strings.HasPrefix(words[0], "python3.") {
		return true
	}
	container := slices.Contains([]string{"docker", "podman", "nerdctl", "kubectl", "docker-compose", "podman-compose"}, words[0])
	return slices.ContainsFunc(words[1:], func(w string) bool {
		return slices.Contains([]string{"exec", "dlx", "x", "-c", "-e", "eval", "run-script"}, w) || container && w == "run"
	})
}

// releasing reports whether a program, named with its subcommand, deploys or publishes.
func releasing(program string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(program), func(r rune) bool { return strings.ContainsRune(" :-_./", r) }), func(word string) bool {
		return slices.Contains([]string{"deploy", "deployment", "publish", "release", "prod", "production", "promote", "rollout"}, word)
	})
}

// runsText reports whether a tool is given a text to run: then what it does is what that
// does.
func runsText(action scoring.Action, all []effects.Effect) bool {
	if action.Code() != "" || slices.ContainsFunc(all, func(e effects.Effect) bool { return e.Kind == effects.Execute }) {
		return true
	}
	for name := range action.Arguments().Members() {
		switch strings.ToLower(name) {
		case "command", "cmd", "commands", "script", "code", "shell", "exec", "argv", "cli", "args", "program", "source", "expression", "query", "sql":
			return true
		}
	}
	return false
}

// covers reports whether g, which has a scope, is for a.
func (s Scope) covers(g Standing, a Approval, action scoring.Action) bool {
	now, why := a.Scope(action)
	if now == nil || !why.Empty() {
		return false
	}
	same := now.Of == s.Of && now.To == s.To && slices.Equal(now.Files, s.Files) && now.Folder == s.Folder && now.Sandboxed == s.Sandboxed
	shown := func(e effects.Effect) bool {
		return slices.ContainsFunc(g.Effects, func(was effects.Effect) bool { return was.Kind == e.Kind })
	}
	_, changed := g.dependsOn(a.Assessment.Workspace.Writes)
	return same && !changed && a.Assessment.Level <= s.Level && !slices.ContainsFunc(a.Assessment.Effects, func(e effects.Effect) bool { return !shown(e) })
}

// endScopes ends the session grants that depend on a file which a writes: from then on it is
// another file than the one that was there when somebody allowed it.
func (a Approval) endScopes(w Writer) ([]audit.Event, error) {
	ws := a.Assessment.Workspace
	if ws == nil || len(ws.Writes) == 0 || a.Status == Blocked {
		return nil, nil
	}
	open, err := w.StandingGrants(StandingQuery{Agent: a.Agent.ID, Open: true, Scoped: true, Limit: maxScopes})
	if err != nil {
		return nil, err
	}
	var events []audit.Event
	for _, g := range slices.Backward(open) {
		path, changed := g.dependsOn(ws.Writes)
		if !changed {
			continue
		}
		reason := fmt.Sprintf("the agent changed %s, on which it depends", path)
		err := w.RevokeStanding(g.ID, Decider{Kind: ByAgent, ID: a.Agent.ID, Name: a.Agent.Name}, reason)
		if fault.Is(err, fault.Changed) {
			continue // somebody revoked it meanwhile
		}
		if err != nil {
			return nil, err
		}
		events = append(events, g.event(audit.StandingRevoked, a.agentActor(), member("reason", canon.String(reason)), member("left", canon.Int(int64(g.Left)))))
	}
	return events, nil
}

// dependsOn is the first of these files that g depends on.
func (g Standing) dependsOn(files []workspace.File) (path string, yes bool) {
	if g.Scope == nil {
		return "", false
	}
	for _, f := range files {
		for _, one := range g.Scope.Files {
			if f.Path == one || f.Folder && strings.HasPrefix(one, strings.TrimRight(f.Path, "/")+"/") {
				return one, true
			}
		}
	}
	return "", false
}
