package console

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
)

// Drafts, versions and proposals of the policy.

func baseText(version int64) string { return strconv.FormatInt(version, 10) }

// hiddenFields carry a draft through a page; the reason stands there as a field.
func hiddenFields(d draft, base int64) []views.Hidden {
	out := []views.Hidden{{Name: fieldBase, Value: baseText(base)}}
	for _, name := range []string{fieldLists, fieldFrom} {
		if d[name] != "" {
			out = append(out, views.Hidden{Name: name, Value: d[name]})
		}
	}
	for _, s := range policySettings() {
		out = append(out, views.Hidden{Name: s.name, Value: d[s.name]})
	}
	return out
}

// previewOf shows a valid draft on the version in force, with the one button that
// will not be refused.
func previewOf(m auth.Member, d drafted, p scoring.Policy, admins []auth.Person, refused *fault.Error) views.PolicyPreview {
	url, now, next := policyURL(m.Tenant), d.current.Version, sentence(versionName(d.current.Version+1))
	changes := d.current.Policy.Differences(p)
	hidden := hiddenFields(d.draft, d.base.Version)
	v := views.PolicyPreview{
		Items: settingsItems(m, settingsPolicy), Title: "Preview of a draft", Back: url,
		Summary:     "Made from " + versionName(now) + ", which stays in force until another one is saved.",
		Differences: differencesOf(changes, "Nothing: the draft is the same as "+versionName(now)+". There is nothing to save."),
		Edit:        views.PolicyEdit{URL: url + "/preview", Hidden: append(hidden, views.Hidden{Name: fieldReason, Value: d.draft[fieldReason]})},
	}
	v.Differences.Old, v.Differences.New = sentence(versionName(now)), "Draft"
	if len(changes) == 0 {
		return v
	}
	save := views.PolicySave{
		URL: url, Hidden: hidden, Button: "Save as " + lowerFirst(next),
		Reason: views.TextField{ID: fieldReason, Name: fieldReason, Label: "Reason", Value: d.draft[fieldReason], Hint: "Why this changes. It stands in the audit trail and in the list of versions."},
		Note:   "It is in force at once, also for requests that wait: those it treats more strictly are shown again before anybody can decide.",
	}
	second := others(admins, m.Person.ID)
	switch weaker := weakened(changes); {
	case !m.May(auth.ChangePolicy):
		save.Button, save.Note = "Propose", "Nothing changes until an admin accepts it. "+sentence(whoChanges(admins))
	case weaker > 0 && len(second) > 0:
		save.Button, save.Note = "Send to a second admin", "Nothing changes until "+names(second, "or")+" accepts it."
		v.Notices = append(v.Notices, views.Notice{
			Tone: views.ToneWarn, Icon: "users", Title: "This weakens the policy, so a second admin must agree",
			Text: runs(plural(weaker, "setting") + " would ask for less than now. " + save.Note),
		})
	case weaker > 0:
		save.Typed = &views.TypedWord{Say: m.Tenant, Why: "No other admin could look at this. Type the name of the organisation, and the version is marked as one person's in the audit trail."}
		v.Notices = append(v.Notices, views.Notice{
			Tone: views.ToneWarn, Icon: views.IconAlert, Title: "This weakens the policy, and you are the only admin",
			Text: runs(plural(weaker, "setting") + " would ask for less than now."),
		})
	}
	v.Save = &save
	refuse(&v, d.draft, refused)
	return v
}

func weakened(all []scoring.Difference) (n int) {
	for _, d := range all {
		if d.Weaker {
			n++
		}
	}
	return n
}

// refuse says why a draft was not saved: at its field where it has one.
func refuse(v *views.PolicyPreview, d draft, f *fault.Error) {
	if f == nil {
		return
	}
	text := sentence(f.Detail) + "."
	switch {
	case f.Member == fieldReason:
		v.Save.Reason.Error = text
		v.Errors = append(v.Errors, views.FieldError{Text: text, Field: fieldReason})
	case f.Member == fieldTyped && v.Save.Typed != nil:
		v.Save.Typed.Value, v.Save.Typed.Error = d[fieldTyped], text
		v.Errors = append(v.Errors, views.FieldError{Text: text, Field: fieldTyped})
	default:
		v.Notices = append([]views.Notice{{Tone: views.ToneBad, Icon: views.IconX, Title: "Nothing was saved", Text: runs(text)}}, v.Notices...)
	}
}

// versionsOf is a page of versions, newest first.
func versionsOf(m auth.Member, page []tenants.PolicyVersion, current, before int64) views.PolicyVersions {
	here := policyURL(m.Tenant) + "/versions"
	v := views.PolicyVersions{Items: settingsItems(m, settingsPolicy), Back: policyURL(m.Tenant), Summary: "Every version is kept. Newest first."}
	for _, p := range page {
		row := views.VersionRow{
			Number: strconv.FormatInt(p.Version, 10), URL: versionURL(m.Tenant, p.Version), When: p.CreatedAt.Format(policyDay), ISO: p.CreatedAt.Format(isoForm),
			Who: authorOf(p), Reason: headline(p.Reason), Current: p.Version == current, Single: p.SinglePerson, Accepted: "nobody had to",
		}
		if p.Accepted.ID != "" {
			row.Accepted = personName(p.Accepted)
		}
		v.Rows = append(v.Rows, row)
	}
	if len(page) == 0 {
		v.Empty = &views.Empty{Title: "There are no versions before this place", Text: runs("Versions count from 1."), Action: &views.Link{Label: "Newest versions", URL: here}}
		return v
	}
	newest, oldest := page[0].Version, page[len(page)-1].Version
	v.Range = fmt.Sprintf("Versions %s to %s", grouped(newest), grouped(oldest))
	if oldest > 1 {
		v.Older = here + "?before=" + strconv.FormatInt(oldest, 10)
	}
	if before > 0 && newest < current {
		v.Newer = here + "?before=" + strconv.FormatInt(newest+1+versionsPerPage, 10)
	}
	return v
}

// versionOf is one version with its difference to the one before; before is nil
// for the first.
func versionOf(m auth.Member, p tenants.PolicyVersion, before *tenants.PolicyVersion, current int64) (views.PolicyVersion, error) {
	file, err := p.Policy.YAML()
	if err != nil {
		return views.PolicyVersion{}, err
	}
	v := views.PolicyVersion{
		Items: settingsItems(m, settingsPolicy), Title: "Policy, " + versionName(p.Version), Back: policyURL(m.Tenant), Summary: "Not in force any more.",
		Fields:      []views.Pair{{Label: "Saved", Value: runs(p.CreatedAt.Format(fullForm))}, {Label: "By", Value: runs(authorOf(p))}},
		Differences: views.Differences{Title: "What changed", None: "It is the first one: what every organisation begins with."},
		Text:        runs(string(file)), Size: sizeOf(string(file)),
	}
	if p.Version == current {
		v.Summary = "In force since " + versionSince(p) + "."
	} else {
		v.Newer = versionURL(m.Tenant, p.Version+1)
	}
	if p.Reason != "" {
		v.Fields = append(v.Fields, views.Pair{Label: "Why", Value: runs(p.Reason)})
	}
	if p.Accepted.ID != "" {
		v.Fields = append(v.Fields, views.Pair{Label: "Accepted by", Value: runs(personName(p.Accepted))})
	}
	if p.SinglePerson {
		v.Notices = append(v.Notices, views.Notice{
			Tone: views.ToneWarn, Icon: views.IconUser, Title: "One person alone",
			Text: runs("It weakened the policy, and there was no second admin who could have looked at it. The audit trail marks it."),
		})
	}
	if before != nil {
		v.Differences = differencesOf(before.Policy.Differences(p.Policy), "Nothing: it is the same as the one before.")
		v.Differences.Title, v.Differences.Old, v.Differences.New = "What changed", sentence(versionName(before.Version)), sentence(versionName(p.Version))
		v.Older = versionURL(m.Tenant, before.Version)
	}
	return v, nil
}

// proposed is a proposal with everything that says who may do what about it.
type proposed struct {
	proposal      tenants.Proposal
	base, current tenants.PolicyVersion
	admins        []auth.Person
	reason        string // typed
	refused       *fault.Error
}

// proposalOf shows only what will not be refused, and says who can do the rest.
func proposalOf(m auth.Member, about proposed) views.PolicyProposal {
	p, now := about.proposal, about.current.Version
	url := proposalURL(m.Tenant, p.ID)
	own, stale, mayChange := p.Author.ID == m.Person.ID, p.Base != now, m.May(auth.ChangePolicy)
	v := views.PolicyProposal{
		Items: settingsItems(m, settingsPolicy), Title: "Proposal by " + personName(p.Author), Back: policyURL(m.Tenant),
		Summary:     "Made from " + versionName(p.Base) + ". It changes nothing until it is accepted.",
		Fields:      []views.Pair{{Label: "Proposed", Value: runs(p.CreatedAt.Format(momentForm))}, {Label: "Why", Value: runs(p.Reason)}},
		Differences: differencesOf(about.base.Policy.Differences(p.Policy), "Nothing."),
	}
	v.Differences.Title, v.Differences.Old, v.Differences.New = "What it would change", sentence(versionName(p.Base)), "Proposed"
	if mayChange && !own {
		v.Reject = &views.ProposalReject{URL: url + "/reject", Reason: views.TextField{ID: fieldReason, Name: fieldReason, Label: "Reason", Value: about.reason, Hint: "Why not. Whoever proposed it reads this."}}
	}
	if own && m.May(auth.ProposePolicy) {
		v.Withdraw = &views.ProposalWithdraw{URL: url + "/withdraw", Note: "It is yours: you may take it back."}
	}
	second := others(about.admins, p.Author.ID)
	switch {
	case p.State != tenants.ProposalOpen:
		ended(&v, m.Tenant, p)
	case stale:
		v.Refused = "It was made from " + versionName(p.Base) + ", and " + versionName(now) + " is in force: nobody can accept it as it stands."
		v.Redo = redoOf(m, about)
	case !mayChange:
		v.Refused = "You may read it. Accepting or rejecting is for an admin: " + names(second, "or") + "."
	case own && len(second) == 0:
		v.Refused = "Nobody accepts their own proposal, and there is no other admin. Withdraw it and save the change yourself."
	case own:
		v.Refused = "Nobody accepts their own proposal. " + names(second, "or") + " can."
	default:
		v.Accept = &views.ProposalAccept{URL: url + "/accept", Button: "Accept as " + versionName(now+1), Note: "It is in force at once."}
		if n := len(p.Weakens); n > 0 {
			v.Accept.Read = "I have read the " + plural(n, "setting") + " that would become weaker."
		}
	}
	refuseProposal(&v, about.refused)
	return v
}

// ended says how a proposal ended, and leaves nothing to do about it.
func ended(v *views.PolicyProposal, tenant string, p tenants.Proposal) {
	v.Accept, v.Reject, v.Withdraw = nil, nil, nil
	v.Summary = sentence(string(p.State)) + " by " + personName(p.ClosedBy)
	if p.ClosedAt != nil {
		v.Summary += " on " + p.ClosedAt.Format(policyDay)
	}
	v.Summary += "."
	v.Refused = "It has ended, and cannot change any more."
	if p.State == tenants.ProposalAccepted {
		v.Fields = append(v.Fields, views.Pair{Label: "Became", Value: runs(versionName(p.Base + 1)), URL: versionURL(tenant, p.Base+1)})
	}
	if p.Answer != "" {
		v.Fields = append(v.Fields, views.Pair{Label: "Answer", Value: runs(p.Answer)})
	}
}

// redoOf opens a stale proposal as a draft on the version in force.
func redoOf(m auth.Member, about proposed) *views.ProposalRedo {
	if !m.May(auth.ProposePolicy) {
		return nil
	}
	d := draftOn(about.proposal.Policy, about.base.Policy)
	d[fieldReason] = about.proposal.Reason
	d, both := d.onto(about.base.Policy, about.current.Policy)
	redo := &views.ProposalRedo{
		Button: "Open as a draft on " + versionName(about.current.Version), Note: "You can propose the same again, on top of what changed since.",
		Edit: views.PolicyEdit{URL: policyURL(m.Tenant) + "/preview", Hidden: append(hiddenFields(d, about.current.Version), views.Hidden{Name: fieldReason, Value: d[fieldReason]})},
	}
	if len(both) > 0 {
		redo.Note += " Both changed " + strings.Join(both, ", ") + "."
	}
	return redo
}

func refuseProposal(v *views.PolicyProposal, f *fault.Error) {
	if f == nil {
		return
	}
	text := sentence(f.Detail) + "."
	switch {
	case f.Member == fieldReason && v.Reject != nil:
		v.Reject.Reason.Error = text
		v.Errors = append(v.Errors, views.FieldError{Text: text, Field: fieldReason})
	case f.Member == fieldRead && v.Accept != nil:
		v.Accept.Error = text
		v.Errors = append(v.Errors, views.FieldError{Text: text, Field: fieldRead})
	default:
		v.Notices = append(v.Notices, views.Notice{Tone: views.ToneBad, Icon: views.IconX, Title: "Nothing changed", Text: runs(text)})
	}
}
