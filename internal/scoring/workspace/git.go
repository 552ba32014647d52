package workspace

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// git judges git (rule 8). What its subcommands are stands in programs.yaml; here is what
// their operands decide.
func git(w *walk, _ string, args []shell.Word) {
	c := program.OptionsOf("git").Take(args)
	sub := len(args)
	if len(c.At) > 0 {
		sub = c.At[0]
	}
	for _, o := range c.Options {
		switch text := o.Word.Text; {
		case o.At > sub:
		case text == "-c" && program.MildGitSetting(o.Value.Text):
		case strings.HasPrefix(text, "-c"), strings.HasPrefix(text, "--exec-path="), strings.HasPrefix(text, "--config-env"):
			w.held(level.High, effects.Execute, "settings", "git "+brief(text+" "+o.Value.Text)+" may run a program")
			return
		case (o.Name == "--git-dir" || o.Name == "--work-tree") && !w.isInside(o.Value, "git", true):
			return
		}
	}
	if sub == len(args) {
		w.harmless(effects.Read, "read", "git only shows")
		return
	}
	w.gitCommand(args[sub].Text, args[sub:])
}

func (w *walk) gitCommand(sub string, args []shell.Word) {
	p := tools().programs["git"]
	c := p.take(args)
	for _, a := range args[1:] {
		if strings.HasPrefix(a.Text, "ext::") || strings.HasPrefix(a.Text, "fd::") {
			w.held(level.High, effects.Execute, "settings", "git runs a program in place of a connection")
			return
		}
	}
	if len(c.Operands) > 0 {
		for _, o := range c.Options {
			switch name := o.Name; {
			case gitRuns(sub, name):
				w.held(level.High, effects.Execute, "settings", "git "+sub+" "+name+" may run a program")
				return
			case name == "--output" || name == "--output-directory" || name == "-o" && (sub == "format-patch" || sub == "archive"):
				w.writes(o.Value, "git writes")
			}
		}
	}
	if handle, ok := gitHandlers[sub]; ok && handle(w, c, args) {
		return
	}
	d, called := p.does(c)
	shown := strings.Join(append([]string{"git"}, called...), " ")
	if d.is == "" {
		w.unknownSubcommand("git", c, nil)
		return
	}
	switch d.is {
	case "read":
		for _, o := range c.Operands[1:] {
			if strings.Contains(o.Text, ":") {
				_, file, _ := strings.Cut(o.Text, ":")
				o.Text = file
			}
			patch := (sub == "log" || sub == "whatchanged") && c.Any(true, "-p", "-u", "--patch", "-G", "-S")
			if patch || sub == "show" || sub == "cat-file" || sub == "diff" || sub == "blame" || sub == "grep" {
				if o.Text != "" && !w.reads(o) {
					return
				}
			}
		}
		w.harmless(effects.Read, "read", shown+" only reads")
	case "edit":
		if sub == "bundle" && len(c.Operands) > 2 {
			w.writes(c.Operands[2], "git writes")
		}
		if w.b.zoneOf(w.dir.path) == outside || !w.dir.known {
			if !w.dir.known {
				w.held(level.Medium, effects.Write, "unknown-folder", "where "+shown+" works is known only when it runs")
				return
			}
			w.found(verdict{level: level.Medium, cause: "outside", because: shown + " changes a repository outside of the workspace", kind: effects.Write, finding: Outside, covers: &Scope{Of: "folder", To: w.dir.path}})
			return
		}
		w.harmless(effects.Write, "git", shown+" works on the local repository only")
	default:
		w.deed(d, p, shown, c, nil)
		switch { // what it brings back is remembered
		case d.cause != "discard":
		case sub == "restore":
			w.restored(c.Operands[1:])
		case sub == "reset" || sub == "switch":
			w.restored(nil)
		}
	}
}

// gitRuns reports whether an option of a subcommand may run a program.
func gitRuns(sub, option string) bool {
	return slices.ContainsFunc(wordlist.List("workspace.gitRuns"), func(one string) bool {
		of, begins, _ := strings.Cut(one, " ")
		return (of == "*" || of == sub) && strings.HasPrefix(option, begins) && !(sub == "rebase" && option == "--exec")
	})
}

// gitHandlers judge subcommands whose operands decide. Each reports whether it did.
var gitHandlers = map[string]func(*walk, cut, []shell.Word) bool{
	"push": gitPush, "clone": gitClone, "config": gitConfig, "checkout": gitCheckout, "pull": gitPull, "fetch": gitPull, "add": gitAdd, "rm": gitRm, "mv": gitMv,
	"apply": gitApply, "am": gitApply, "worktree": gitWorktree,
}

func gitPush(w *walk, c cut, args []shell.Word) bool {
	if c.Only("--dry-run") || c.Has("-n", true) && !c.Has("-f", true) && !c.Has("--no-dry-run", true) {
		w.harmless(effects.Read, "read", "git push --dry-run sends nothing")
		return true
	}
	forced := c.Has("-f", true) || c.Has("-d", true) || c.Any(false, wordlist.List("workspace.forcingPush")...)
	named := c.Operands
	refs := named[min(2, len(named)):]
	for _, r := range refs {
		forced = forced || strings.HasPrefix(r.Text, "+") || strings.HasPrefix(r.Text, ":")
	}
	if forced {
		w.found(verdict{level: level.High, cause: "force-push", because: "git push overwrites or deletes what others have", kind: effects.Delete, verb: "force-push", object: "repository", finding: Network})
		return true
	}
	v := verdict{level: level.Medium, cause: "push", because: "git push sends commits to others", kind: effects.Write, verb: "push", object: "repository", finding: Network}
	branch := ""
	if len(refs) == 1 && refs[0].Literal {
		branch = refs[0].Text
		if _, to, ok := strings.Cut(branch, ":"); ok {
			branch = to
		}
		branch = strings.TrimPrefix(branch, "refs/heads/")
	} else if len(refs) == 0 {
		branch = "HEAD"
	}
	v.covers = w.pushScope(c, named, branch)
	if c.Any(false, "--tags", "--follow-tags") || strings.HasPrefix(branch, "v") && strings.ContainsAny(branch, "0123456789") {
		v.because = "git push sends tags to others, which often starts a release"
		v.covers = nil
	}
	w.found(v)
	return true
}

// releaseBranch reports whether a branch is one that is released from.
func releaseBranch(branch string) bool {
	lead, _, _ := strings.Cut(strings.ToLower(branch), "/")
	switch lead {
	case wordlist.OneOf("workspace.releaseBranches", lead):
		return true
	}
	return strings.HasPrefix(lead, "release-") || strings.HasPrefix(lead, "v") && len(lead) > 1 && lead[1] >= '0' && lead[1] <= '9'
}

func gitClone(w *walk, c cut, _ []shell.Word) bool {
	all := c.Operands[1:]
	if len(all) == 0 {
		return false
	}
	to := all[len(all)-1]
	if len(all) == 1 {
		base := strings.TrimSuffix(strings.TrimSuffix(all[0].Text, "/"), ".git")
		if at := strings.LastIndexAny(base, "/:"); at >= 0 {
			base = base[at+1:]
		}
		to = shell.Word{Text: base, Literal: all[0].Literal}
	}
	s := w.word(to)
	if s.zone == outside || s.zone == nowhere {
		w.change(s, to.Text, "git clones into")
	}
	if from := w.word(all[0]); all[0].Literal && !strings.Contains(all[0].Text, "://") && !strings.Contains(all[0].Text, "@") && !strings.Contains(all[0].Text, ":") && from.zone == inside {
		w.harmless(effects.Write, "git", "git clone copies the workspace's own repository")
		w.k.set(File{Path: s.path, Folder: true}, false)
		return true
	}
	if s.zone == inside || s.zone == temporary {
		w.k.foreign(s.path, true)
	}
	w.found(verdict{level: level.Medium, cause: "foreign", because: "git clone brings in code of others", kind: effects.Write, verb: "clone", object: "repository", finding: Network, covers: &Scope{Of: "program", To: "git clone"}})
	return true
}

// gitConfig judges settings: who commits is nobody else's matter, what runs is.
func gitConfig(w *walk, c cut, args []shell.Word) bool {
	all := c.Operands[1:]
	if c.Any(false, wordlist.List("workspace.gitShowing")...) || len(all) == 1 && !c.Any(false, wordlist.List("workspace.gitSetting")...) || len(all) > 0 && (all[0].Text == "get" || all[0].Text == "list") || len(all) == 0 && len(c.Options) == 0 {
		w.harmless(effects.Read, "read", "git config only shows")
		return true
	}
	if len(all) > 0 && (all[0].Text == "set" || all[0].Text == "unset") {
		all = all[1:]
	}
	global := c.Any(false, "--global", "--system", "--file", "-f", "--blob", "--edit", "-e")
	name := ""
	if len(all) > 0 {
		name = strings.ToLower(all[0].Text)
	}
	switch section, _, _ := strings.Cut(name, "."); {
	case !global && section == "user" && (len(all) == 1 || all[1].Literal):
		w.harmless(effects.Write, "git", "git config says who commits here")
	case !global && all != nil && len(all) > 1 && program.MildGitSetting(name+"="+all[1].Text) && section != "push" && section != "submodule" && section != "safe" && section != "init":
		w.harmless(effects.Write, "git", "git config sets what runs nothing")
	case strings.HasPrefix(section, "alias"), section == "core" && !program.MildGitSetting(name+"=x") || strings.Contains(name, "hook") || strings.Contains(name, "ssh") || wordlist.Is("workspace.gitGuarded", section):
		w.held(level.High, effects.Permission, "settings", "git config "+brief(name)+" decides what runs or where it connects")
	case global:
		w.held(level.High, effects.Permission, "settings", "git config changes settings for all repositories")
	default:
		w.held(level.Medium, effects.Permission, "settings", "git config "+brief(name)+" changes how git works")
	}
	return true
}

// gitPull judges pull and fetch: from a configured remote they bring in what the
// workspace's owners pushed; from an address anything.
func gitPull(w *walk, c cut, _ []shell.Word) bool {
	for _, o := range c.Operands[1:] {
		if strings.Contains(o.Text, "://") || strings.Contains(o.Text, "@") && strings.Contains(o.Text, ":") || strings.HasPrefix(o.Text, "/") || strings.HasPrefix(o.Text, "..") || strings.HasPrefix(o.Text, "~") {
			w.held(level.Medium, effects.Write, "foreign", "git "+c.Operands[0].Text+" brings in code from "+brief(o.Text)+", which is no configured remote")
			return true
		}
		if strings.HasPrefix(o.Text, "pull/") || strings.HasPrefix(o.Text, "refs/pull/") || strings.HasPrefix(o.Text, "merge-requests/") {
			w.held(level.Medium, effects.Write, "foreign", "git "+c.Operands[0].Text+" brings in what someone proposed")
			return true
		}
	}
	return false
}

// gitAdd judges what is put into the next commit: secrets do not belong there.
func gitAdd(w *walk, c cut, _ []shell.Word) bool {
	for _, o := range c.Operands[1:] {
		if s := w.word(o); w.b.secretIn(s) != "" && !strings.ContainsAny(o.Text, "*") {
			w.found(verdict{level: level.Medium, cause: "secret", because: "git add puts " + brief(o.Text) + " into the next commit, which holds secrets", kind: effects.Write, sensitive: true, finding: Outside})
			return true
		}
	}
	return false
}

func gitRm(w *walk, c cut, _ []shell.Word) bool {
	if c.Any(false, "--cached") || c.Any(false, "--dry-run", "-n") && !c.Has("--no-dry-run", true) {
		return false
	}
	for _, o := range c.Operands[1:] {
		w.deletes(o, c.Has("-r", true))
	}
	return true
}

func gitMv(w *walk, c cut, _ []shell.Word) bool {
	all := c.Operands[1:]
	if len(all) < 2 {
		return false
	}
	to := w.writes(all[len(all)-1], "it writes")
	for _, f := range all[:len(all)-1] {
		s := w.word(f)
		w.movedAway(s, f)
		if to.zone == inside {
			w.k.move(s.path, to.path)
		}
	}
	return true
}

// gitApply judges patches: their text is not computed.
func gitApply(w *walk, c cut, _ []shell.Word) bool {
	if c.Any(false, "--check", "--stat", "--numstat", "--summary", "--abort", "--show-current-patch") {
		w.harmless(effects.Read, "read", "git apply only looks")
		return true
	}
	if c.Has("--unsafe-paths", false) || c.Has("--directory", false) {
		w.held(level.Medium, effects.Write, "outside", "git apply is told to write elsewhere")
		return true
	}
	text, ok := "", false
	if w.c.Input != nil {
		text, ok = w.c.Input.Text, true
	}
	if !ok { // which files the patch names nobody sees
		if c.Any(false, "--continue", "--skip", "--quit", "--resolved") {
			return false
		}
		w.patchFiles(c.Operands[1:])
		return true
	}
	w.patch(text)
	return true
}

// patchFiles judges files with patches, by what is remembered of them.
func (w *walk) patchFiles(files []shell.Word) {
	if file := w.fromFile(); file != nil {
		files = []shell.Word{*file}
	}
	if len(files) == 0 {
		w.held(level.Medium, effects.Write, "unknown-target", "which files the patch changes couldn't be read")
		return
	}
	for _, file := range files {
		s := w.word(file)
		f, ok := w.k.look(s.path)
		switch {
		case s.zone == nowhere || s.zone == outside || s.zone == temporary && !ok:
			w.held(level.Medium, effects.Write, "unknown-target", "which files the patch changes couldn't be read")
		case f.Foreign:
			w.held(level.Medium, effects.Write, "foreign", "it applies "+brief(file.Text)+", which was downloaded")
		case slices.Contains(f.Findings, Outside):
			w.held(level.High, effects.Write, "guarded", "it applies "+brief(file.Text)+", which changes what decides what runs or how agents are held")
		default:
			w.harmless(effects.Write, "edit", "it changes files of the workspace as a patch of it says")
		}
	}
}

func gitWorktree(w *walk, c cut, _ []shell.Word) bool {
	all := c.Operands[1:]
	if len(all) == 0 {
		return false
	}
	if all[0].Text != "add" || len(all) < 2 {
		return false
	}
	s := w.word(all[1])
	if s.zone == outside && strings.HasPrefix(all[1].Text, "../") {
		w.found(verdict{level: level.Medium, cause: "outside", because: "git worktree makes a folder outside of the workspace", kind: effects.Write, covers: &Scope{Of: "folder", To: s.path}})
		return true
	}
	w.change(s, all[1].Text, "git makes")
	if s.zone == inside || s.zone == temporary {
		w.k.set(File{Path: s.path, Folder: true}, false)
	}
	return true
}
