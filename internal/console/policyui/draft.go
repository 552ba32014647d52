package policyui

import (
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/policy"
	"github.com/countersign/countersign/views/texts"
)

// Drafts, versions and proposals of the policy.

func BaseText(version int64) string { return strconv.FormatInt(version, 10) }

// hiddenFields carry a draft through a page; the reason stands there as a field.
func hiddenFields(say texts.Printer, d Draft, base int64) []views.Hidden {
	out := []views.Hidden{{Name: FieldBase, Value: BaseText(base)}}
	for _, name := range []string{edge.FieldLists, FieldFrom} {
		if d[name] != "" {
			out = append(out, views.Hidden{Name: name, Value: d[name]})
		}
	}
	for _, s := range policySettings(say) {
		out = append(out, views.Hidden{Name: s.name, Value: d[s.name]})
	}
	return out
}

// previewOf shows a valid draft on the version in force, with the one button that
// will not be refused.
func previewOf(m auth.Member, d Drafted, p scoring.Policy, admins []auth.Person, refused *fault.Error) policy.Preview {
	url, now, next := urls.Policy(m.Tenant), d.Current.Version, present.Sentence(versionName(d.Say, d.Current.Version+1))
	changes := d.Current.Policy.Differences(p)
	hidden := hiddenFields(d.Say, d.Draft, d.Base.Version)
	v := policy.Preview{
		Items: edge.SettingsItems(d.Say, m, urls.PlacePolicy), Title: d.Say.Say("Preview of a draft"), Back: url,
		Summary:     d.Say.Say("Based on %s, which stays in force until you save.", versionName(d.Say, now)),
		Differences: differencesOf(d.Say, changes, d.Say.Say("No changes: the draft is the same as %s.", versionName(d.Say, now))),
		Edit:        policy.Edit{URL: url + "/preview", Hidden: append(hidden, views.Hidden{Name: FieldReason, Value: d.Draft[FieldReason]})},
	}
	v.Differences.Old, v.Differences.New = present.Sentence(versionName(d.Say, now)), d.Say.Say("Draft")
	if n, softens := compositeNotice(d); softens {
		v.Notices = append(v.Notices, n)
	}
	if len(changes) == 0 {
		return v
	}
	save := policy.Save{
		URL: url, Hidden: hidden, Button: d.Say.Say("Save as %s", present.LowerFirst(next)),
		Reason: policy.TextField{ID: FieldReason, Name: FieldReason, Label: d.Say.Say("Reason"), Value: d.Draft[FieldReason], Hint: d.Say.Say("Why are you changing this? Kept in the audit trail and the version list.")},
		Note:   d.Say.Say("Takes effect right away, including for pending requests. Those that need stricter review are shown again before anyone can decide."),
	}
	second := others(admins, m.Person.ID)
	hours := strconv.Itoa(d.Base.Policy.Authority.OrDefault().WaitingHours)
	switch weaker := weakened(changes); {
	case !m.May(auth.ChangePolicy) && weaker > 0:
		save.Button, save.Note = d.Say.Say("Propose"), d.Say.Say("Takes effect when an admin accepts it, or automatically %s hours after another admin opens it. %s", hours, present.Sentence(whoChanges(d.Say, admins)))
	case !m.May(auth.ChangePolicy):
		save.Button, save.Note = d.Say.Say("Propose"), d.Say.Say("Nothing changes until an admin accepts it. %s", present.Sentence(whoChanges(d.Say, admins)))
	case weaker > 0 && len(second) > 0:
		save.Button, save.Note = d.Say.Say("Send to a second admin"), d.Say.Say("Takes effect when %s accepts it, or automatically %s hours after another admin opens it.", eitherOf(d.Say, second), hours)
		if current := d.Current.Policy; len(current.Differences(current.Masking(p))) > 0 {
			save.Note += " " + d.Say.Say("What it masks is masked right away, and until then no one can approve that.")
		}
		v.Notices = append(v.Notices, views.Notice{
			Tone: views.ToneWarn, Icon: "users", Title: d.Say.Say("This weakens the policy, so a second admin must agree"),
			Text: untrusted.Runs(d.Say.Say("%d settings could become less strict. %s", weaker, save.Note)),
		})
	case weaker > 0:
		save.Typed = &views.TypedWord{Say: m.Tenant, Why: d.Say.Say("No other admin can review this. Type the organisation's name to continue; the audit trail marks it as single-person.")}
		v.Notices = append(v.Notices, views.Notice{
			Tone: views.ToneWarn, Icon: views.IconAlert, Title: d.Say.Say("This weakens the policy, and you're the only admin"),
			Text: untrusted.Runs(d.Say.Say("%d settings could become less strict.", weaker)),
		})
	}
	v.Save = &save
	refuse(d.Say, &v, d.Draft, refused)
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
func refuse(say texts.Printer, v *policy.Preview, d Draft, f *fault.Error) {
	if f == nil {
		return
	}
	text := present.Because(say, f) + "."
	switch {
	case f.Member == FieldReason:
		v.Save.Reason.Error = text
		v.Errors = append(v.Errors, views.FieldError{Text: text, Field: FieldReason})
	case f.Member == fieldTyped && v.Save.Typed != nil:
		v.Save.Typed.Value, v.Save.Typed.Error = d[fieldTyped], text
		v.Errors = append(v.Errors, views.FieldError{Text: text, Field: fieldTyped})
	default:
		v.Notices = append([]views.Notice{{Tone: views.ToneBad, Icon: views.IconX, Title: say.Say("Nothing was saved"), Text: untrusted.Runs(text)}}, v.Notices...)
	}
}

// versionsOf is a page of versions, newest first.
func versionsOf(say texts.Printer, m auth.Member, page []tenants.PolicyVersion, current, before int64) policy.Versions {
	here := urls.Policy(m.Tenant) + "/versions"
	v := policy.Versions{Items: edge.SettingsItems(say, m, urls.PlacePolicy), Back: urls.Policy(m.Tenant), Summary: say.Say("Every version is kept. Newest first.")}
	for _, p := range page {
		row := policy.VersionRow{
			Number: strconv.FormatInt(p.Version, 10), URL: urls.Version(m.Tenant, p.Version), When: present.InWords(say, present.PolicyDay, p.CreatedAt), ISO: p.CreatedAt.Format(present.IsoForm),
			Who: authorOf(say, p), Reason: present.Headline(say, p.Reason), Current: p.Version == current, Single: p.SinglePerson, Accepted: say.Say("no one needed to"),
		}
		switch {
		case p.Accepted.ID != "":
			row.Accepted = PersonName(p.Accepted)
		case p.Waited:
			row.Accepted = say.Say("no one: the waiting time passed")
		}
		v.Rows = append(v.Rows, row)
	}
	if len(page) == 0 {
		v.Empty = &views.Empty{Title: say.Say("No earlier versions"), Text: untrusted.Runs(say.Say("Versions count from 1.")), Action: &views.Link{Label: say.Say("Newest versions"), URL: here}}
		return v
	}
	newest, oldest := page[0].Version, page[len(page)-1].Version
	v.Range = say.Say("Versions %d to %d", newest, oldest)
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
func versionOf(say texts.Printer, m auth.Member, p tenants.PolicyVersion, before *tenants.PolicyVersion, current int64) (policy.Version, error) {
	file, err := p.Policy.YAML()
	if err != nil {
		return policy.Version{}, err
	}
	v := policy.Version{
		Items: edge.SettingsItems(say, m, urls.PlacePolicy), Title: say.Say("Policy, %s", versionName(say, p.Version)), Back: urls.Policy(m.Tenant), Summary: untrusted.Runs(say.Say("No longer in force.")),
		Fields:      []views.Pair{{Label: say.Say("Saved"), Value: present.TimeRuns(say, present.FullForm, p.CreatedAt)}, {Label: say.Say("By"), Value: untrusted.Runs(authorOf(say, p))}},
		Differences: policy.Differences{Title: say.Say("What changed"), None: say.Say("The default policy every organisation starts with.")},
		Text:        untrusted.Runs(string(file)), Size: present.SizeOf(say, string(file)),
	}
	if p.Version == current {
		v.Summary = present.SayAt(say, present.PolicyDay, texts.Key("In force since %s."), p.CreatedAt)
	} else {
		v.Newer = urls.Version(m.Tenant, p.Version+1)
	}
	if p.Reason != "" {
		v.Fields = append(v.Fields, views.Pair{Label: say.Say("Why"), Value: untrusted.Runs(p.Reason)})
	}
	if p.Accepted.ID != "" {
		v.Fields = append(v.Fields, views.Pair{Label: say.Say("Accepted by"), Value: untrusted.Runs(PersonName(p.Accepted))})
	}
	if p.SinglePerson {
		v.Notices = append(v.Notices, views.Notice{
			Tone: views.ToneWarn, Icon: views.IconUser, Title: say.Say("One person alone"),
			Text: untrusted.Runs(say.Say("It weakened the policy and there was no second admin to review it. The audit trail marks it.")),
		})
	}
	if before != nil {
		v.Differences = differencesOf(say, before.Policy.Differences(p.Policy), say.Say("No changes from the previous version."))
		v.Differences.Title, v.Differences.Old, v.Differences.New = say.Say("What changed"), present.Sentence(versionName(say, before.Version)), present.Sentence(versionName(say, p.Version))
		v.Older = urls.Version(m.Tenant, before.Version)
	}
	return v, nil
}

// proposed is a proposal with everything that says who may do what about it.
type proposed struct {
	proposal      tenants.Proposal
	base, current tenants.PolicyVersion
	admins        []auth.Person
	consent       tenants.Consent
	reason        string // typed
	refused       *fault.Error
}

// proposalOf shows only what will not be refused, and says who can do the rest.
func proposalOf(say texts.Printer, m auth.Member, about proposed) policy.Proposal {
	p, now := about.proposal, about.current.Version
	url := urls.Proposal(m.Tenant, p.ID)
	own, stale, mayChange := p.Author.ID == m.Person.ID, p.Base != now, m.May(auth.ChangePolicy)
	v := policy.Proposal{
		Items: edge.SettingsItems(say, m, urls.PlacePolicy), Title: say.Say("Proposal by %s", PersonName(p.Author)), Back: urls.Policy(m.Tenant),
		Summary:     untrusted.Runs(say.Say("Based on %s. Nothing changes until it's accepted.", versionName(say, p.Base))),
		Fields:      []views.Pair{{Label: say.Say("Proposed"), Value: present.TimeRuns(say, present.MomentForm, p.CreatedAt)}, {Label: say.Say("Why"), Value: untrusted.Runs(p.Reason)}},
		Differences: differencesOf(say, about.base.Policy.Differences(p.Policy), say.Say("Nothing.")),
	}
	v.Differences.Title, v.Differences.Old, v.Differences.New = say.Say("What it would change"), present.Sentence(versionName(say, p.Base)), say.Say("Proposed")
	if mayChange && !own {
		v.Reject = &policy.ProposalReject{URL: url + "/reject", Reason: policy.TextField{ID: FieldReason, Name: FieldReason, Label: say.Say("Reason"), Value: about.reason, Hint: say.Say("Why not? The proposer sees this.")}}
	}
	if own && m.May(auth.ProposePolicy) {
		v.Withdraw = &policy.ProposalWithdraw{URL: url + "/withdraw", Note: say.Say("You can withdraw your own proposal.")}
	}
	c := about.consent
	if p.State == tenants.ProposalOpen && len(p.Weakens) > 0 {
		v.Summary = untrusted.Runs(say.Say("Based on %s. Takes effect when another admin accepts it, or automatically when its waiting time has passed.", versionName(say, p.Base)))
		if slices.ContainsFunc(about.base.Policy.PatternOverrides.Add, func(own patterns.Pattern) bool { return own.Waits }) {
			v.Summary = append(v.Summary, untrusted.Runs(" "+say.Say("Patterns that wait mask already; until then no one can approve what they mask."))...)
		}
		v.Fields = append(v.Fields, present.ConsentFacts(say, "", c)...)
		if c.MayObject && v.Reject == nil && m.May(auth.ProposePolicy) {
			v.Reject = &policy.ProposalReject{URL: url + "/reject", Reason: policy.TextField{ID: FieldReason, Name: FieldReason, Label: say.Say("Reason"), Value: about.reason, Hint: say.Say("Why not? The proposer sees this.")}}
		}
	}
	second := others(about.admins, p.Author.ID)
	switch {
	case p.State != tenants.ProposalOpen:
		ended(say, &v, m.Tenant, p)
	case stale:
		v.Refused = say.Say("It's based on %s, but %s is now in force, so no one can accept it as is.", versionName(say, p.Base), versionName(say, now))
		v.Redo = redoOf(say, m, about)
	case !mayChange:
		v.Refused = say.Say("Read only. An admin can accept or reject it: %s.", eitherOf(say, second))
	case own && len(p.Weakens) > 0:
		v.Refused = say.Say("You can't accept your own proposal. %s can.", present.OrNobody(say, c.Acceptors))
	case len(p.Weakens) > 0 && c.Accepting != authority.Accepts:
		v.Refused = say.Say("You can't accept your own proposal, or one by someone you invited or who invited you. Can accept: %s.", present.OrNobody(say, c.Acceptors))
	default:
		v.Accept = &policy.ProposalAccept{URL: url + "/accept", Button: say.Say("Accept as %s", versionName(say, now+1)), Note: say.Say("Takes effect right away.")}
		if n := len(p.Weakens); n > 0 {
			v.Accept.Read = say.Say("I've read the %d settings that would become weaker.", n)
		}
	}
	refuseProposal(say, &v, about.refused)
	return v
}

// proposalEnds say how a proposal ended, and by whom; on, also when.
var proposalEnds = map[tenants.ProposalState]struct{ by, on texts.Key }{
	tenants.ProposalAccepted:  {texts.Key("Accepted by %s."), texts.Key("Accepted by %s on %s.")},
	tenants.ProposalRejected:  {texts.Key("Rejected by %s."), texts.Key("Rejected by %s on %s.")},
	tenants.ProposalWithdrawn: {texts.Key("Withdrawn by %s."), texts.Key("Withdrawn by %s on %s.")},
}

// ended says how a proposal ended, and leaves nothing to do about it.
func ended(say texts.Printer, v *policy.Proposal, tenant string, p tenants.Proposal) {
	v.Accept, v.Reject, v.Withdraw = nil, nil, nil
	how, who := proposalEnds[p.State], PersonName(p.ClosedBy)
	switch {
	case p.ClosedAt == nil:
		v.Summary = untrusted.Runs(say.Key(how.by, who))
	case p.ClosedBy.ID == "":
		v.Summary = present.SayAt(say, present.PolicyDay, texts.Key("It took effect automatically on %s: no one objected in the waiting time."), *p.ClosedAt)
	default:
		v.Summary = present.SayAt(say, present.PolicyDay, how.on, who, *p.ClosedAt)
	}
	v.Refused = say.Say("It has ended and can't change.")
	if p.State == tenants.ProposalAccepted {
		v.Fields = append(v.Fields, views.Pair{Label: say.Say("Became"), Value: untrusted.Runs(versionName(say, p.Base+1)), URL: urls.Version(tenant, p.Base+1)})
	}
	if p.Answer != "" {
		v.Fields = append(v.Fields, views.Pair{Label: say.Say("Answer"), Value: untrusted.Runs(p.Answer)})
	}
}

// redoOf opens a stale proposal as a draft on the version in force.
func redoOf(say texts.Printer, m auth.Member, about proposed) *policy.ProposalRedo {
	if !m.May(auth.ProposePolicy) {
		return nil
	}
	d := DraftOn(say, about.proposal.Policy, about.base.Policy)
	d[FieldReason] = about.proposal.Reason
	d, both := d.onto(say, about.base.Policy, about.current.Policy)
	redo := &policy.ProposalRedo{
		Button: say.Say("Open as a draft on %s", versionName(say, about.current.Version)), Note: say.Say("You can propose it again on top of the latest changes."),
		Edit: policy.Edit{URL: urls.Policy(m.Tenant) + "/preview", Hidden: append(hiddenFields(say, d, about.current.Version), views.Hidden{Name: FieldReason, Value: d[FieldReason]})},
	}
	if len(both) > 0 {
		redo.Note += " " + say.Say("Both changed %s.", strings.Join(both, ", "))
	}
	return redo
}

func refuseProposal(say texts.Printer, v *policy.Proposal, f *fault.Error) {
	if f == nil {
		return
	}
	text := present.Because(say, f) + "."
	switch {
	case f.Member == FieldReason && v.Reject != nil:
		v.Reject.Reason.Error = text
		v.Errors = append(v.Errors, views.FieldError{Text: text, Field: FieldReason})
	case f.Member == FieldRead && v.Accept != nil:
		v.Accept.Error = text
		v.Errors = append(v.Errors, views.FieldError{Text: text, Field: FieldRead})
	default:
		v.Notices = append(v.Notices, views.Notice{Tone: views.ToneBad, Icon: views.IconX, Title: say.Say("Nothing changed"), Text: untrusted.Runs(text)})
	}
}
