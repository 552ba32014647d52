package console

import (
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// What a session grant in a workspace covers, in words. Its names come from the call, so
// they are shown as every text of an agent.

// scopeName says in a few words what may be done.
func scopeName(say texts.Printer, s approvals.Scope) string {
	to := flat(say, s.To)
	switch s.Of {
	case "install":
		return say.Say("install packages")
	case "push":
		return say.Say("push to %s", to)
	case "ssh":
		return say.Say("reach %s by ssh", to)
	case "http":
		return say.Say("send requests to %s", to)
	case "file":
		return say.Say("write %s", to)
	case "folder":
		return say.Say("write in %s", to)
	case "compose":
		return say.Say("compose up and down")
	case "tool":
		return say.Say("use the tool %s", to)
	case "program":
		return say.Say("run %s", to)
	default:
		return say.Say("run own code")
	}
}

// scopeSentence says exactly what is covered, and what is not.
func scopeSentence(say texts.Printer, s approvals.Scope) string {
	to := flat(say, s.To)
	switch s.Of {
	case "install":
		if len(s.Files) == 0 {
			return say.Say("Covers commands like it that install packages by name, whichever they name; not from another index.")
		}
		return say.Say("Covers commands like it that install packages by name, whichever they name; not from another index. It ends when the agent changes %s.", listed(say, filesOf(say, s.Files)))
	case "push":
		return say.Say("Covers git push to the branch %s, whatever is committed by then; not with force, and to no other branch.", to)
	case "ssh":
		return say.Say("Covers ssh to %s, whatever runs there unless it is seen to destroy something; no other host.", to)
	case "http":
		return say.Say("Covers requests to %s, whatever they send; not DELETE, and no other host.", to)
	case "file":
		return say.Say("Covers writing %s, whatever stands in it; not deleting it.", to)
	case "folder":
		return say.Say("Covers writing files of the folder %s, whatever they hold; not deleting, and no other folder.", to)
	case "compose":
		return say.Say("Covers compose up and down, without -v. It ends when the agent changes %s.", listed(say, filesOf(say, s.Files)))
	case "tool":
		return say.Say("Covers calls of the tool %s, whatever their arguments, while what they do is of the same kinds.", to)
	case "program":
		return say.Say("Covers the command %s, whatever else it is given, while it is MEDIUM at most.", to)
	default:
		return say.Say("Covers running code of the workspace without a sandbox, unless secrets, changes outside or hidden code are found in it.")
	}
}

// filesOf are the files that end a grant.
func filesOf(say texts.Printer, paths []string) []string {
	if len(paths) == 0 {
		return []string{say.Say("its files")}
	}
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = flat(say, p[strings.LastIndex(p, "/")+1:])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// grantName is what a standing grant is for: a scope, or a function.
func grantName(say texts.Printer, g approvals.Standing) []views.Run {
	if g.Scope != nil {
		return runs(sentence(scopeName(say, *g.Scope)))
	}
	return headline(say, g.Function)
}

// nextScope offers with the decision to let through what a's scope names.
func nextScope(say texts.Printer, s approvals.Scope, w *workspace.Judgement) *views.NextField {
	f := &views.NextField{Name: fieldNext, Hint: say.Say("Allowed for this session it %s It lasts 8 hours and can be ended.", lowerFirst(scopeSentence(say, s)))}
	if s.Of == "code" && w != nil {
		f.Hint += " " + foundIn(say, *w)
	}
	f.Options = append(f.Options, views.Choice{Label: say.Say("only this one"), Checked: true})
	for _, n := range []int{5, 20, approvals.MaxNext} {
		f.Options = append(f.Options, views.Choice{Value: strconv.Itoa(n), Label: say.Say("and %s, %d times in this session", scopeName(say, s), n)})
	}
	return f
}

// foundIn says what speaks against the code that a call runs.
func foundIn(say texts.Printer, w workspace.Judgement) string {
	var all []string
	for _, f := range w.Used {
		for _, one := range findingWords(say, f) {
			name, _, _ := strings.Cut(one, ":")
			all = append(all, name)
		}
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 0 {
		return say.Say("Nothing is known to speak against it.")
	}
	return say.Say("Found in it: %s.", listed(say, all))
}

// scopePairs say what a call must be that uses g.
func scopePairs(say texts.Printer, tenant string, g approvals.Standing) []views.Pair {
	sandbox := say.Say("not sandboxed")
	if g.Scope.Sandboxed {
		sandbox = say.Say("sandboxed")
	}
	pairs := []views.Pair{
		{Label: say.Say("Which calls"), Value: runs(scopeSentence(say, *g.Scope))},
		{Label: say.Say("Session"), Value: headline(say, g.Session), Mono: true, URL: sessionOneURL(tenant, g.Agent.ID, g.Session)},
		{Label: say.Say("Workspace"), Value: runs(say.Say("%s, %s", flat(say, g.Scope.Folder), sandbox))},
		{Label: say.Say("Level"), Value: runs(say.Say("%s at most", levelWord(say, g.Scope.Level)))},
		{Label: say.Say("Effects"), Value: runs(say.Say("of the same kinds as the call that was approved"))},
	}
	if len(g.Scope.Files) > 0 {
		pairs = append(pairs, views.Pair{Label: say.Say("Ends with"), Value: runs(say.Say("a change of %s by the agent", listed(say, filesOf(say, g.Scope.Files))))})
	}
	return pairs
}

// grantLabel is what a standing grant is for, where no runs can stand.
func grantLabel(say texts.Printer, g approvals.Standing) string {
	if g.Scope != nil {
		return scopeName(say, *g.Scope)
	}
	return flat(say, g.Function)
}
