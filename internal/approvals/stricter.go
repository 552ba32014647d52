package approvals

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// moved says what is no more as it was when a was assessed: with that it was assessed as,
// under this version of the policy, and is treated more strictly.
func (a Approval) moved(as scoring.Assessment, version int64) fault.Text {
	was, now := a.Assessment.Inputs, as.Inputs
	var all []fault.Text
	if version != a.PolicyVersion {
		all = append(all, fault.Textf("the policy changed"))
	}
	switch {
	case was.Environment == now.Environment:
	case now.Environment == "":
		all = append(all, fault.Textf("the agent is no longer bound to the environment %s", was.Environment))
	default:
		all = append(all, fault.Textf("the agent was bound to another environment"))
	}
	switch {
	case was.Workspace == nil && now.Workspace == nil, was.Workspace != nil && now.Workspace != nil && *was.Workspace == *now.Workspace:
	case now.Workspace == nil:
		all = append(all, fault.Textf("the agent is no longer bound to a workspace"))
	default:
		all = append(all, fault.Textf("the agent was bound to another workspace"))
	}
	if (was.Tool == nil) != (now.Tool == nil) || was.Tool != nil && *was.Tool != *now.Tool {
		all = append(all, fault.Textf("the imported tool changed"))
	}
	if entry := a.Assessment.Floor.Entry; entry != "" && entry != as.Floor.Entry && len(all) == 0 {
		all = append(all, fault.Textf("the registry entry %s ended", entry))
	}
	if since := a.writtenSince(as); len(since) > 0 {
		all = append(all, fault.Textf("files the agent has written since then change what it does: %s", strings.Join(since, "; ")))
	}
	if len(all) == 0 {
		return fault.Textf("what it depends on changed")
	}
	return fault.Join(all, "; ")
}

// stricter voids the grant of a, which is treated more strictly now, and returns what its
// agent is told. Where that is for what was written since, the approval keeps it as the
// reason.
func (a Approval) stricter(w Writer, as scoring.Assessment, policy int64) (told, err error) {
	why, voided := a.moved(as, policy), []canon.Member{member("jti", canon.String(a.Grant.ID))}
	if len(a.writtenSince(as)) == 0 {
		err = w.Void(a.ID)
	} else {
		voided = append(voided, member("reason", canon.String(why.String())))
		err = w.Revoke(a.ID, why.String())
	}
	if err != nil {
		return nil, err
	}
	return stricterNow(why), w.Append(a.event(audit.GrantVoided, audit.Actor{Kind: "policy"}, voided...))
}

// mostSince bounds how many files are named.
const mostSince = 5

// writtenSince names the files that counted for as and did not count so for a, with what
// speaks against them now; none where the workspace's judgement is no worse than it was.
func (a Approval) writtenSince(as scoring.Assessment) (all []string) {
	now, was := as.Workspace, a.Assessment.Workspace
	if now == nil || was == nil || !now.Decides || now.Level <= was.Level {
		return nil
	}
	for _, f := range now.Used {
		at := slices.IndexFunc(was.Used, func(old workspace.File) bool { return old.Path == f.Path })
		var before []workspace.Finding
		if at >= 0 {
			before = was.Used[at].Findings
		}
		fresh := slices.DeleteFunc(slices.Clone(f.Findings), func(g workspace.Finding) bool { return slices.Contains(before, g) })
		switch {
		case len(fresh) > 0:
			words := make([]string, len(fresh))
			for i, g := range fresh {
				words[i] = string(g)
			}
			all = append(all, f.Path+" ("+strings.Join(words, ", ")+")")
		case f.Foreign && (at < 0 || !was.Used[at].Foreign):
			all = append(all, f.Path+" (foreign)")
		case at < 0 || was.Used[at].SHA256 != f.SHA256 || !reflect.DeepEqual(was.Used[at].Tasks, f.Tasks):
			all = append(all, f.Path+" ("+cmp.Or(now.Cause, "changed")+")")
		}
	}
	return all[:min(len(all), mostSince)]
}
