package request

import (
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// What a session grant in a workspace covers, in words. Its names come from the call, so
// they are shown as every text of an agent.

// scopeWords say in a few words what may be done, and in a sentence exactly what is covered, and
// what is not.
func scopeWords(say texts.Printer, s approvals.Scope) (name, covers string) {
	to := present.Flat(say, s.To)
	files := func() string { return present.Listed(say, filesOf(say, s.Files)) }
	switch s.Of {
	case "install":
		if len(s.Files) == 0 {
			return say.Say("install packages"), say.Say("Covers commands that install packages by name from the same index.")
		}
		return say.Say("install packages"), say.Say("Covers commands that install packages by name from the same index. Ends when the agent changes %s.", files())
	case "push":
		return say.Say("push to %s", to), say.Say("Covers git push to the branch %s, whatever the commits. Not force pushes or other branches.", to)
	case "ssh":
		return say.Say("reach %s by ssh", to), say.Say("Covers SSH to %s, unless the command is destructive. Not other hosts.", to)
	case "http":
		return say.Say("send requests to %s", to), say.Say("Covers requests to %s, whatever they send. Not DELETE or other hosts.", to)
	case "file":
		return say.Say("write %s", to), say.Say("Covers writing %s, whatever its content. Not deleting it.", to)
	case "folder":
		return say.Say("write in %s", to), say.Say("Covers writing files in the folder %s, whatever their content. Not deleting files or other folders.", to)
	case "compose":
		return say.Say("compose up and down"), say.Say("Covers compose up and down, without -v. Ends when the agent changes %s.", files())
	case "tool":
		return say.Say("use the tool %s", to), say.Say("Covers calls of the tool %s with any arguments, as long as the effects are the same.", to)
	case "program":
		return say.Say("run %s", to), say.Say("Covers the command %s with any other arguments, up to MEDIUM.", to)
	default:
		return say.Say("run own code"), say.Say("Covers running workspace code without a sandbox, unless it contains secrets, outside changes or hidden code.")
	}
}

// filesOf are the files that end a grant.
func filesOf(say texts.Printer, paths []string) []string {
	if len(paths) == 0 {
		return []string{say.Say("its files")}
	}
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = present.Flat(say, p[strings.LastIndex(p, "/")+1:])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// GrantName is what a standing grant is for: a scope, or a function.
func GrantName(say texts.Printer, g approvals.Standing) []views.Run {
	if g.Scope != nil {
		name, _ := scopeWords(say, *g.Scope)
		return untrusted.Runs(present.Sentence(name))
	}
	return present.Headline(say, g.Function)
}

// nextScope offers with the decision to let through what a's scope names.
func nextScope(say texts.Printer, s approvals.Scope, w *workspace.Judgement) *review.NextField {
	name, covers := scopeWords(say, s)
	f := &review.NextField{Name: FieldNext, Hint: say.Say("%s Lasts 8 hours. You can end it any time.", covers)}
	if s.Of == "code" && w != nil {
		f.Hint += " " + foundIn(say, *w)
	}
	f.Options = append(f.Options, views.Choice{Label: say.Say("Only this one"), Checked: true})
	for _, n := range []int{5, 20, approvals.MaxNext} {
		f.Options = append(f.Options, views.Choice{Value: strconv.Itoa(n), Label: say.Say("and %s, %d times in this session", name, n)})
	}
	return f
}

// foundIn says what speaks against the code that a call runs.
func foundIn(say texts.Printer, w workspace.Judgement) string {
	var all []string
	for _, f := range w.Used {
		for _, one := range present.FindingWords(say, f) {
			name, _, _ := strings.Cut(one, ":")
			all = append(all, name)
		}
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 0 {
		return say.Say("No known concerns.")
	}
	return say.Say("Found in it: %s.", present.Listed(say, all))
}

// ScopePairs say what a call must be that uses g.
func ScopePairs(say texts.Printer, tenant string, g approvals.Standing) []views.Pair {
	sandbox := say.Say("not sandboxed")
	if g.Scope.Sandboxed {
		sandbox = say.Say("sandboxed")
	}
	_, covers := scopeWords(say, *g.Scope)
	pairs := []views.Pair{
		{Label: say.Say("Which calls"), Value: untrusted.Runs(covers)},
		{Label: say.Say("Session"), Value: present.Headline(say, g.Session), Mono: true, URL: urls.Session(tenant, g.Agent.ID, g.Session)},
		{Label: say.Say("Workspace"), Value: untrusted.Runs(say.Say("%s, %s", present.Flat(say, g.Scope.Folder), sandbox))},
		{Label: say.Say("Level"), Value: untrusted.Runs(say.Say("up to %s", present.LevelWord(say, g.Scope.Level)))},
		{Label: say.Say("Effects"), Value: untrusted.Runs(say.Say("of the same kinds as the call that was approved"))},
	}
	if len(g.Scope.Files) > 0 {
		pairs = append(pairs, views.Pair{Label: say.Say("Ends with"), Value: untrusted.Runs(say.Say("a change of %s by the agent", present.Listed(say, filesOf(say, g.Scope.Files))))})
	}
	return pairs
}

// GrantLabel is what a standing grant is for, where no runs can stand.
func GrantLabel(say texts.Printer, g approvals.Standing) string {
	if g.Scope != nil {
		name, _ := scopeWords(say, *g.Scope)
		return name
	}
	return present.Flat(say, g.Function)
}
