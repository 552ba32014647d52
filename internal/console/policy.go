package console

import (
	"context"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/policy"
	"github.com/countersign/countersign/views/texts"
)

// The policy: reading it, trying a draft on what happened, saving or proposing it.

const (
	// replayedActions is how many of the newest actions a draft is tried on.
	replayedActions = 200
	versionsBeside  = 6
	versionsPerPage = 50
)

// settingsHome leads to the first page of the settings that this person may see.
func (s *Console) settingsHome(c call) error {
	items := settingsItems(c.say, c.member, "")
	if len(items) == 0 {
		return fault.New(fault.Denied, "your roles in this organisation show no settings")
	}
	return goTo(c, items[0].URL)
}

// policyPage shows the policy in force as a form, or as words to those who may not
// propose.
func (s *Console) policyPage(c call) error {
	now, err := s.tenants.CurrentPolicy(c.Request().Context(), c.member)
	if err != nil {
		return err
	}
	return s.showPolicy(c, http.StatusOK, drafted{say: c.say, base: now, current: now, draft: draftOf(c.say, now.Policy)})
}

// drafted is a draft with the version it was made from and the one in force.
type drafted struct {
	say           texts.Printer
	draft         draft
	base, current tenants.PolicyVersion
	wrong         []wrong
	// Where the draft was carried over to a newer version:
	meanwhile []scoring.Difference // what that one changed
	was       int64                // the version that the draft was made from
	both      []string             // settings that both changed, in words
}

// drafted reads the form of a draft. The error is for forms that no page of ours
// sends.
func (s *Console) drafted(c call) (drafted, error) {
	d, err := readDraft(c.say, c.Request().PostForm)
	if err != nil {
		return drafted{}, err
	}
	return s.versionsOf(c.Request().Context(), c.member, d)
}

// versionsOf is a draft with the version it was made from and the one in force.
func (s *Console) versionsOf(ctx context.Context, m auth.Member, of draft) (d drafted, err error) {
	d.say, d.draft = texts.From(ctx), of
	version, err := of.base()
	if err != nil {
		return d, err
	}
	if d.base, err = s.tenants.PolicyVersion(ctx, m, version); fault.Is(err, fault.Missing) {
		return d, fault.Member(fault.InvalidForm, fieldBase, "there is no version %s of the policy to make a draft from", strconv.FormatInt(version, 10))
	} else if err != nil {
		return d, err
	}
	d.current, err = s.tenants.CurrentPolicy(ctx, m)
	return d, err
}

// showDraft draws the page on which the draft was edited.
func (s *Console) showDraft(c call, status int, d drafted) error {
	if l, ok := listPages(c.say)[d.draft[fieldFrom]]; ok {
		return s.showList(c, status, l, listDraft{drafted: d})
	}
	return s.showPolicy(c, status, d)
}

// showPolicy draws the form.
func (s *Console) showPolicy(c call, status int, d drafted) error {
	ctx := c.Request().Context()
	versions, err := s.tenants.PolicyVersions(ctx, c.member, 0, versionsBeside+1)
	if err != nil {
		return err
	}
	proposals, err := s.tenants.Proposals(ctx, c.member)
	if err != nil {
		return err
	}
	admins, err := s.tenants.PolicyAdmins(ctx, c.member)
	if err != nil {
		return err
	}
	past, err := s.pastScores(ctx, c.member)
	if err != nil {
		return err
	}
	view := policyOf(c.member, d, versions, proposals, admins, past)
	if view.Balanced, err = s.balanced(ctx, c.member, d.current, c.QueryParam(tryBalanced) == "balanced"); err != nil {
		return err
	}
	p := s.page(c, c.say.Say("Policy"), views.PlaceSettings)
	p.Assets.Scripts = append(p.Assets.Scripts, s.assets.Policy())
	return show(c, status, policy.Page(p, view))
}

// pastScores are the scores of the newest decided actions, for the scale.
func (s *Console) pastScores(ctx context.Context, m auth.Member) ([]float64, error) {
	var scores []float64
	q := approvals.HistoryQuery{Edge: -1, Limit: historyPerPage}
	for len(scores) < replayedActions {
		page, err := s.approvals.History(ctx, m, q)
		if err != nil {
			return nil, err
		}
		for _, a := range page.Decided {
			scores = append(scores, a.Assessment.Score)
		}
		if q.Edge = page.Next; page.Done {
			break
		}
	}
	return scores, nil
}

// policyPreview checks a draft and shows what it would change. Two buttons of the
// form come here too: a preset fills the challenges, "keep editing" leads back.
func (s *Console) policyPreview(c call) error {
	d, err := s.drafted(c)
	if err != nil {
		return err
	}
	switch {
	case d.draft[fieldPreset] != "":
		if err := d.draft.fill(d.draft[fieldPreset]); err != nil {
			return err
		}
		return s.showPolicy(c, http.StatusOK, d)
	case d.draft[fieldEdit] != "":
		return s.showDraft(c, http.StatusOK, d)
	}
	p, wrong := d.draft.policy(c.say, d.base.Policy)
	if len(wrong) > 0 {
		d.wrong = wrong
		return s.showDraft(c, http.StatusUnprocessableEntity, d)
	}
	if d.base.Version != d.current.Version {
		return s.showStale(c, d)
	}
	return s.showPreview(c, http.StatusOK, d, p, nil)
}

// policySave takes the form below the preview: it saves, or proposes, or sends to
// a second admin, as tenants.SavePolicy decides.
func (s *Console) policySave(c call) error {
	d, err := s.drafted(c)
	if err != nil {
		return err
	}
	p, wrong := d.draft.policy(c.say, d.base.Policy)
	if len(wrong) > 0 {
		d.wrong = wrong
		return s.showDraft(c, http.StatusUnprocessableEntity, d)
	}
	if d.base.Version != d.current.Version {
		return s.showStale(c, d)
	}
	if err := c.unlocked(); err != nil {
		return s.showPreview(c, http.StatusUnauthorized, d, p, fault.As(err))
	}
	version, proposal, err := s.tenants.SavePolicy(c.Request().Context(), c.member, tenants.Change{
		Base: d.base.Version, Policy: p, Reason: d.draft[fieldReason], Typed: d.draft[fieldTyped],
	})
	switch f := fault.As(err); {
	case err == nil && version != nil:
		s.houseChanged(c.member.Tenant)
		return goTo(c, urls.Version(c.member.Tenant, version.Version))
	case err == nil:
		return goTo(c, urls.Proposal(c.member.Tenant, proposal.ID))
	case f.Code == fault.Changed:
		if d.current, err = s.tenants.CurrentPolicy(c.Request().Context(), c.member); err != nil {
			return err
		}
		return s.showStale(c, d)
	case f.Kind() == fault.Internal || f.Kind() == fault.NotFound:
		return err
	default:
		noteRefusal(c, f)
		return s.showPreview(c, httpserver.Status(f.Code), d, p, f)
	}
}

// showStale shows what changed since the draft was begun, and the draft carried
// over to the version in force.
func (s *Console) showStale(c call, d drafted) error {
	d.meanwhile, d.was = d.base.Policy.Differences(d.current.Policy), d.base.Version
	d.draft, d.both = d.draft.onto(c.say, d.base.Policy, d.current.Policy)
	d.base = d.current
	return s.showDraft(c, http.StatusConflict, d)
}

// showPreview draws the difference and the replay of a valid draft on the version
// in force; refused is why it was not saved.
func (s *Console) showPreview(c call, status int, d drafted, p scoring.Policy, refused *fault.Error) error {
	ctx := c.Request().Context()
	admins, err := s.tenants.PolicyAdmins(ctx, c.member)
	if err != nil {
		return err
	}
	view := previewOf(c.member, d, p, admins, refused)
	if view.Save != nil {
		if view.Replay, err = s.replay(ctx, c.member, p); err != nil {
			return err
		}
	}
	return show(c, status, policy.PreviewPage(s.page(c, c.say.Say("Preview of a policy"), views.PlaceSettings), view))
}

// replay tries a policy on the newest actions.
func (s *Console) replay(ctx context.Context, m auth.Member, p scoring.Policy) (*views.Replay, error) {
	say := texts.From(ctx)

	of, err := s.concerned(ctx, m, p)
	if err != nil {
		return nil, err
	}
	r, err := s.approvals.ReplayOf(ctx, m, p, of, replayedActions)
	if err != nil {
		return nil, err
	}
	v := request.ReplayOf(say, m.Tenant, r)
	if of.Function != "" && r.Actions > 0 {
		v.Note = present.SayAt(say, present.PolicyDay, texts.Key("the newest calls of %s by that agent since %s, scored again under both policies"), present.Flat(say, of.Function), r.Oldest)
	}
	return v, nil
}

// concerned chooses what a policy is tried on: where it differs from the one in force by
// entries for one function of one agent alone, its calls; else everything.
func (s *Console) concerned(ctx context.Context, m auth.Member, p scoring.Policy) (of approvals.Filter, err error) {
	now, err := s.tenants.CurrentPolicy(ctx, m)
	if err != nil {
		return of, err
	}
	was, is := now.Policy.Tidy(), p.Tidy()
	entries := changedFunctions(was.Functions, is.Functions)
	if was.Functions = is.Functions; len(entries) == 0 || len(was.Differences(is)) > 0 {
		return of, nil
	}
	one := entries[0]
	other := func(f scoring.Function) bool { return f.Glob != one.Glob || f.Agent != one.Agent }
	if one.Agent == "" || strings.ContainsAny(one.Glob, "*?") || slices.ContainsFunc(entries, other) {
		return of, nil
	}
	names, err := s.tenants.Names(ctx, m)
	for _, a := range names.Agents {
		if a.Name == one.Agent {
			of.Agent, of.Function = a.ID, one.Glob
		}
	}
	return of, err
}

// changedFunctions are the entries that stand in one list and not in the other.
func changedFunctions(a, b []scoring.Function) (all []scoring.Function) {
	in := func(list []scoring.Function, f scoring.Function) bool {
		return slices.ContainsFunc(list, func(g scoring.Function) bool { return reflect.DeepEqual(f, g) })
	}
	for _, f := range a {
		if !in(b, f) {
			all = append(all, f)
		}
	}
	for _, f := range b {
		if !in(a, f) {
			all = append(all, f)
		}
	}
	return all
}

// policyVersions lists every version.
func (s *Console) policyVersions(c call) error {
	ctx, before := c.Request().Context(), int64(0)
	if text := c.QueryParam("before"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 {
			return fault.Member(fault.InvalidParameter, "before", "before is the number of a version, a whole number from 1")
		}
		before = n
	}
	current, err := s.tenants.CurrentPolicy(ctx, c.member)
	if err != nil {
		return err
	}
	page, err := s.tenants.PolicyVersions(ctx, c.member, before, versionsPerPage)
	if err != nil {
		return err
	}
	return show(c, http.StatusOK, policy.VersionsPage(s.page(c, c.say.Say("Policy versions"), views.PlaceSettings), versionsOf(c.say, c.member, page, current.Version, before)))
}

// policyVersion is one version and its difference to the one before.
func (s *Console) policyVersion(c call) error {
	ctx := c.Request().Context()
	n, err := strconv.ParseInt(c.Param("version"), 10, 64)
	if err != nil || n < 1 {
		return fault.New(fault.Missing, "versions of the policy have a whole number from 1")
	}
	v, err := s.tenants.PolicyVersion(ctx, c.member, n)
	if err != nil {
		return err
	}
	current, err := s.tenants.CurrentPolicy(ctx, c.member)
	if err != nil {
		return err
	}
	var before *tenants.PolicyVersion
	if n > 1 {
		b, err := s.tenants.PolicyVersion(ctx, c.member, n-1)
		if err != nil {
			return err
		}
		before = &b
	}
	view, err := versionOf(c.say, c.member, v, before, current.Version)
	if err != nil {
		return err
	}
	return show(c, http.StatusOK, policy.VersionPage(s.page(c, view.Title, views.PlaceSettings), view))
}

// policyFile is the version in force as YAML.
func (s *Console) policyFile(c call) error {
	now, err := s.tenants.CurrentPolicy(c.Request().Context(), c.member)
	if err != nil {
		return err
	}
	file, err := now.Policy.YAML()
	if err != nil {
		return err
	}
	name := c.member.Tenant + "-policy-" + strconv.FormatInt(now.Version, 10) + ".yaml"
	c.Response().Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	return c.Blob(http.StatusOK, "application/yaml", file)
}

// policySchema is the JSON Schema of that file.
func (s *Console) policySchema(c call) error {
	return c.Blob(http.StatusOK, "application/schema+json", scoring.PolicySchema())
}

// proposalForm is what a proposal's id looks like; anything else is nobody's.
var proposalForm = regexp.MustCompile(`^ppl_[0-9a-f]{32}$`)

func (s *Console) proposalID(c call) (string, error) {
	id := c.Param("proposal")
	if !proposalForm.MatchString(id) {
		return "", fault.New(fault.Missing, "there is no proposal with this ID in this organisation")
	}
	return id, nil
}

// proposalPage shows a proposal, what it would change, and what this person may
// do about it.
func (s *Console) proposalPage(c call) error { return s.showProposal(c, http.StatusOK, "", nil) }

// showProposal draws a proposal; after a refusal with what was typed.
func (s *Console) showProposal(c call, status int, reason string, refused *fault.Error) error {
	ctx := c.Request().Context()
	id, err := s.proposalID(c)
	if err != nil {
		return err
	}
	about := proposed{reason: reason, refused: refused}
	if about.proposal, err = s.tenants.Proposal(ctx, c.member, id); err != nil {
		return err
	}
	if about.current, err = s.tenants.CurrentPolicy(ctx, c.member); err != nil {
		return err
	}
	if about.base, err = s.tenants.PolicyVersion(ctx, c.member, about.proposal.Base); err != nil {
		return err
	}
	if about.admins, err = s.tenants.PolicyAdmins(ctx, c.member); err != nil {
		return err
	}
	if about.consent, err = s.tenants.ProposalConsent(ctx, c.member, about.proposal); err != nil {
		return err
	}
	view := proposalOf(c.say, c.member, about)
	if about.proposal.State == tenants.ProposalOpen {
		if view.Replay, err = s.replay(ctx, c.member, about.proposal.Policy); err != nil {
			return err
		}
	}
	return show(c, status, policy.ProposalPage(s.page(c, view.Title, views.PlaceSettings), view))
}

// acceptProposal puts a proposal in force. Where it weakens something, the box
// that says so has to be ticked.
func (s *Console) acceptProposal(c call) error {
	return s.answerProposal(c, func(ctx context.Context, p tenants.Proposal) (string, error) {
		if len(p.Weakens) > 0 && c.field(fieldRead) == "" {
			return "", fault.Member(fault.InvalidForm, fieldRead, "confirm that you've read what becomes weaker")
		}
		v, err := s.tenants.AcceptProposal(ctx, c.member, p.ID)
		if err == nil {
			s.houseChanged(c.member.Tenant)
		}
		return urls.Version(c.member.Tenant, v.Version), err
	})
}

// rejectProposal ends a proposal with a reason.
func (s *Console) rejectProposal(c call) error {
	return s.answerProposal(c, func(ctx context.Context, p tenants.Proposal) (string, error) {
		return urls.Policy(c.member.Tenant), s.tenants.RejectProposal(ctx, c.member, p.ID, c.field(fieldReason))
	})
}

// withdrawProposal takes back one's own.
func (s *Console) withdrawProposal(c call) error {
	return s.answerProposal(c, func(ctx context.Context, p tenants.Proposal) (string, error) {
		return urls.Policy(c.member.Tenant), s.tenants.WithdrawProposal(ctx, c.member, p.ID)
	})
}

// fieldRead is the box of a proposal that weakens something.
const fieldRead = "read"

// answerProposal does one thing about a proposal, and shows it again where that
// was refused.
func (s *Console) answerProposal(c call, do func(context.Context, tenants.Proposal) (string, error)) error {
	ctx := c.Request().Context()
	id, err := s.proposalID(c)
	if err != nil {
		return err
	}
	p, err := s.tenants.Proposal(ctx, c.member, id)
	if err != nil {
		return err
	}
	next := ""
	if err = c.unlocked(); err == nil {
		next, err = do(ctx, p)
	}
	f := fault.As(err)
	switch {
	case err == nil:
		return goTo(c, next)
	case f.Kind() == fault.Internal || f.Kind() == fault.NotFound:
		return err
	}
	noteRefusal(c, f)
	return s.showProposal(c, httpserver.Status(f.Code), c.field(fieldReason), f)
}

// others are the people of a list without one.
func others(all []auth.Person, id string) []auth.Person {
	return slices.DeleteFunc(slices.Clone(all), func(p auth.Person) bool { return p.ID == id })
}
