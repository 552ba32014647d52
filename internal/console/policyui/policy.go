package policyui

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
	"github.com/countersign/countersign/internal/console/edge"
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
	// ReplayedActions is how many of the newest actions a draft is tried on.
	ReplayedActions = 200
	versionsBeside  = 6
	versionsPerPage = 50
	scoresRead      = 50 // of the newest requests
)

// settingsHome leads to the first page of the settings that this person may see.
func (s *Pages) settingsHome(c edge.Call) error {
	items := edge.SettingsItems(c.Say, c.Member, "")
	if len(items) == 0 {
		return fault.New(fault.Denied, "your roles in this organisation show no settings")
	}
	return edge.GoTo(c, items[0].URL)
}

// policyPage shows the policy in force as a form, or as words to those who may not
// propose.
func (s *Pages) policyPage(c edge.Call) error {
	now, err := s.Tenants.CurrentPolicy(c.Request().Context(), c.Member)
	if err != nil {
		return err
	}
	return s.showPolicy(c, http.StatusOK, Drafted{Say: c.Say, Base: now, Current: now, Draft: DraftOf(c.Say, now.Policy)})
}

// Drafted is a draft with the version it was made from and the one in force.
type Drafted struct {
	Say           texts.Printer
	Draft         Draft
	Base, Current tenants.PolicyVersion
	wrong         []wrong
	// Where the draft was carried over to a newer version:
	meanwhile []scoring.Difference // what that one changed
	was       int64                // the version that the draft was made from
	both      []string             // settings that both changed, in words
}

// drafted reads the form of a draft. The error is for forms that no page of ours
// sends.
func (s *Pages) drafted(c edge.Call) (Drafted, error) {
	d, err := readDraft(c.Say, c.Request().PostForm)
	if err != nil {
		return Drafted{}, err
	}
	return s.VersionsOf(c.Request().Context(), c.Member, d)
}

// VersionsOf is a draft with the version it was made from and the one in force.
func (s *Pages) VersionsOf(ctx context.Context, m auth.Member, of Draft) (d Drafted, err error) {
	d.Say, d.Draft = texts.From(ctx), of
	version, err := of.base()
	if err != nil {
		return d, err
	}
	if d.Base, err = s.Tenants.PolicyVersion(ctx, m, version); fault.Is(err, fault.Missing) {
		return d, fault.Member(fault.InvalidForm, FieldBase, "there is no version %s of the policy to make a draft from", strconv.FormatInt(version, 10))
	} else if err != nil {
		return d, err
	}
	d.Current, err = s.Tenants.CurrentPolicy(ctx, m)
	return d, err
}

// showDraft draws the page on which the draft was edited.
func (s *Pages) showDraft(c edge.Call, status int, d Drafted) error {
	if l, ok := listPages(c.Say)[d.Draft[FieldFrom]]; ok {
		return s.showList(c, status, l, listDraft{Drafted: d})
	}
	return s.showPolicy(c, status, d)
}

// showPolicy draws the form.
func (s *Pages) showPolicy(c edge.Call, status int, d Drafted) error {
	ctx := c.Request().Context()
	versions, err := s.Tenants.PolicyVersions(ctx, c.Member, 0, versionsBeside+1)
	if err != nil {
		return err
	}
	proposals, err := s.Tenants.Proposals(ctx, c.Member)
	if err != nil {
		return err
	}
	admins, err := s.Tenants.PolicyAdmins(ctx, c.Member)
	if err != nil {
		return err
	}
	past, err := s.pastScores(ctx, c.Member)
	if err != nil {
		return err
	}
	view := policyOf(c.Member, d, versions, proposals, admins, past)
	if view.Balanced, err = s.balanced(ctx, c.Member, d.Current, c.QueryParam(tryBalanced) == "balanced"); err != nil {
		return err
	}
	if c.Member.May(auth.ReadQueue) {
		did, err := s.Approvals.Recent(ctx, c.Member)
		if err != nil {
			return err
		}
		view.Did, view.HeldMostBy = present.Did(c.Say, did), present.HeldMostBy(c.Say, c.Member, did)
		view.Form.ByScore = heldByScore(c.Say, did)
	}
	p := s.Page(c, c.Say.Say("Policy"), views.PlaceSettings)
	p.Assets.Scripts = append(p.Assets.Scripts, s.Assets.Policy())
	return edge.Show(c, status, policy.Page(p, view))
}

// policyPreview checks a draft and shows what it would change. Two buttons of the
// form come here too: a preset fills the challenges, "keep editing" leads back.
func (s *Pages) policyPreview(c edge.Call) error {
	d, err := s.drafted(c)
	if err != nil {
		return err
	}
	switch {
	case d.Draft[fieldPreset] != "":
		if err := d.Draft.fill(d.Draft[fieldPreset]); err != nil {
			return err
		}
		return s.showPolicy(c, http.StatusOK, d)
	case d.Draft[fieldEdit] != "":
		return s.showDraft(c, http.StatusOK, d)
	}
	p, wrong := d.Draft.Policy(c.Say, d.Base.Policy)
	if len(wrong) > 0 {
		d.wrong = wrong
		return s.showDraft(c, http.StatusUnprocessableEntity, d)
	}
	if d.Base.Version != d.Current.Version {
		return s.ShowStale(c, d)
	}
	return s.ShowPreview(c, http.StatusOK, d, p, nil)
}

// policySave takes the form below the preview: it saves, or proposes, or sends to
// a second admin, as tenants.SavePolicy decides.
func (s *Pages) policySave(c edge.Call) error {
	d, err := s.drafted(c)
	if err != nil {
		return err
	}
	p, wrong := d.Draft.Policy(c.Say, d.Base.Policy)
	if len(wrong) > 0 {
		d.wrong = wrong
		return s.showDraft(c, http.StatusUnprocessableEntity, d)
	}
	if d.Base.Version != d.Current.Version {
		return s.ShowStale(c, d)
	}
	if err := c.Unlocked(); err != nil {
		return s.ShowPreview(c, http.StatusUnauthorized, d, p, fault.As(err))
	}
	version, proposal, err := s.Tenants.SavePolicy(c.Request().Context(), c.Member, tenants.Change{
		Base: d.Base.Version, Policy: p, Reason: d.Draft[FieldReason], Typed: d.Draft[fieldTyped],
	})
	switch f := fault.As(err); {
	case err == nil && version != nil:
		s.TenantChanged(c.Member.Tenant)
		return edge.GoTo(c, urls.Version(c.Member.Tenant, version.Version))
	case err == nil:
		return edge.GoTo(c, urls.Proposal(c.Member.Tenant, proposal.ID))
	case f.Code == fault.Changed:
		if d.Current, err = s.Tenants.CurrentPolicy(c.Request().Context(), c.Member); err != nil {
			return err
		}
		return s.ShowStale(c, d)
	case f.Kind() == fault.Internal || f.Kind() == fault.NotFound:
		return err
	default:
		edge.NoteRefusal(c, f)
		return s.ShowPreview(c, httpserver.Status(f.Code), d, p, f)
	}
}

// ShowStale shows what changed since the draft was begun, and the draft carried
// over to the version in force.
func (s *Pages) ShowStale(c edge.Call, d Drafted) error {
	d.meanwhile, d.was = d.Base.Policy.Differences(d.Current.Policy), d.Base.Version
	d.Draft, d.both = d.Draft.onto(c.Say, d.Base.Policy, d.Current.Policy)
	d.Base = d.Current
	return s.showDraft(c, http.StatusConflict, d)
}

// ShowPreview draws the difference and the replay of a valid draft on the version
// in force; refused is why it was not saved.
func (s *Pages) ShowPreview(c edge.Call, status int, d Drafted, p scoring.Policy, refused *fault.Error) error {
	ctx := c.Request().Context()
	admins, err := s.Tenants.PolicyAdmins(ctx, c.Member)
	if err != nil {
		return err
	}
	view := previewOf(c.Member, d, p, admins, refused)
	if view.Save != nil {
		if view.Replay, err = s.replay(ctx, c.Member, p); err != nil {
			return err
		}
	}
	return edge.Show(c, status, policy.PreviewPage(s.Page(c, c.Say.Say("Preview of a policy"), views.PlaceSettings), view))
}

// replay tries a policy on the newest actions.
func (s *Pages) replay(ctx context.Context, m auth.Member, p scoring.Policy) (*views.Replay, error) {
	say := texts.From(ctx)

	of, err := s.concerned(ctx, m, p)
	if err != nil {
		return nil, err
	}
	r, err := s.Approvals.ReplayOf(ctx, m, p, of, ReplayedActions)
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
func (s *Pages) concerned(ctx context.Context, m auth.Member, p scoring.Policy) (of approvals.Filter, err error) {
	now, err := s.Tenants.CurrentPolicy(ctx, m)
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
	names, err := s.Tenants.Names(ctx, m)
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
func (s *Pages) policyVersions(c edge.Call) error {
	ctx, before := c.Request().Context(), int64(0)
	if text := c.QueryParam("before"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 {
			return fault.Member(fault.InvalidParameter, "before", "before is the number of a version, a whole number from 1")
		}
		before = n
	}
	current, err := s.Tenants.CurrentPolicy(ctx, c.Member)
	if err != nil {
		return err
	}
	page, err := s.Tenants.PolicyVersions(ctx, c.Member, before, versionsPerPage)
	if err != nil {
		return err
	}
	return edge.Show(c, http.StatusOK, policy.VersionsPage(s.Page(c, c.Say.Say("Policy versions"), views.PlaceSettings), versionsOf(c.Say, c.Member, page, current.Version, before)))
}

// policyVersion is one version and its difference to the one before.
func (s *Pages) policyVersion(c edge.Call) error {
	ctx := c.Request().Context()
	n, err := strconv.ParseInt(c.Param("version"), 10, 64)
	if err != nil || n < 1 {
		return fault.New(fault.Missing, "versions of the policy have a whole number from 1")
	}
	v, err := s.Tenants.PolicyVersion(ctx, c.Member, n)
	if err != nil {
		return err
	}
	current, err := s.Tenants.CurrentPolicy(ctx, c.Member)
	if err != nil {
		return err
	}
	var before *tenants.PolicyVersion
	if n > 1 {
		b, err := s.Tenants.PolicyVersion(ctx, c.Member, n-1)
		if err != nil {
			return err
		}
		before = &b
	}
	view, err := versionOf(c.Say, c.Member, v, before, current.Version)
	if err != nil {
		return err
	}
	return edge.Show(c, http.StatusOK, policy.VersionPage(s.Page(c, view.Title, views.PlaceSettings), view))
}

// policyFile is the version in force as YAML.
func (s *Pages) policyFile(c edge.Call) error {
	now, err := s.Tenants.CurrentPolicy(c.Request().Context(), c.Member)
	if err != nil {
		return err
	}
	file, err := now.Policy.YAML()
	if err != nil {
		return err
	}
	name := c.Member.Tenant + "-policy-" + strconv.FormatInt(now.Version, 10) + ".yaml"
	c.Response().Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	return c.Blob(http.StatusOK, "application/yaml", file)
}

// policySchema is the JSON Schema of that file.
func (s *Pages) policySchema(c edge.Call) error {
	return c.Blob(http.StatusOK, "application/schema+json", scoring.PolicySchema())
}

// proposalForm is what a proposal's id looks like; anything else is nobody's.
var proposalForm = regexp.MustCompile(`^ppl_[0-9a-f]{32}$`)

func (s *Pages) proposalID(c edge.Call) (string, error) {
	id := c.Param("proposal")
	if !proposalForm.MatchString(id) {
		return "", fault.New(fault.Missing, "there is no proposal with this ID in this organisation")
	}
	return id, nil
}

// proposalPage shows a proposal, what it would change, and what this person may
// do about it.
func (s *Pages) proposalPage(c edge.Call) error { return s.showProposal(c, http.StatusOK, "", nil) }

// showProposal draws a proposal; after a refusal with what was typed.
func (s *Pages) showProposal(c edge.Call, status int, reason string, refused *fault.Error) error {
	ctx := c.Request().Context()
	id, err := s.proposalID(c)
	if err != nil {
		return err
	}
	about := proposed{reason: reason, refused: refused}
	if about.proposal, err = s.Tenants.Proposal(ctx, c.Member, id); err != nil {
		return err
	}
	if about.current, err = s.Tenants.CurrentPolicy(ctx, c.Member); err != nil {
		return err
	}
	if about.base, err = s.Tenants.PolicyVersion(ctx, c.Member, about.proposal.Base); err != nil {
		return err
	}
	if about.admins, err = s.Tenants.PolicyAdmins(ctx, c.Member); err != nil {
		return err
	}
	if about.consent, err = s.Tenants.ProposalConsent(ctx, c.Member, about.proposal); err != nil {
		return err
	}
	view := proposalOf(c.Say, c.Member, about)
	if about.proposal.State == tenants.ProposalOpen {
		if view.Replay, err = s.replay(ctx, c.Member, about.proposal.Policy); err != nil {
			return err
		}
	}
	return edge.Show(c, status, policy.ProposalPage(s.Page(c, view.Title, views.PlaceSettings), view))
}

// acceptProposal puts a proposal in force. Where it weakens something, the box
// that says so has to be ticked.
func (s *Pages) acceptProposal(c edge.Call) error {
	return s.answerProposal(c, func(ctx context.Context, p tenants.Proposal) (string, error) {
		if len(p.Weakens) > 0 && c.Field(FieldRead) == "" {
			return "", fault.Member(fault.InvalidForm, FieldRead, "confirm that you've read what becomes weaker")
		}
		v, err := s.Tenants.AcceptProposal(ctx, c.Member, p.ID)
		if err == nil {
			s.TenantChanged(c.Member.Tenant)
		}
		return urls.Version(c.Member.Tenant, v.Version), err
	})
}

// rejectProposal ends a proposal with a reason.
func (s *Pages) rejectProposal(c edge.Call) error {
	return s.answerProposal(c, func(ctx context.Context, p tenants.Proposal) (string, error) {
		return urls.Policy(c.Member.Tenant), s.Tenants.RejectProposal(ctx, c.Member, p.ID, c.Field(FieldReason))
	})
}

// withdrawProposal takes back one's own.
func (s *Pages) withdrawProposal(c edge.Call) error {
	return s.answerProposal(c, func(ctx context.Context, p tenants.Proposal) (string, error) {
		return urls.Policy(c.Member.Tenant), s.Tenants.WithdrawProposal(ctx, c.Member, p.ID)
	})
}

// FieldRead is the box of a proposal that weakens something.
const FieldRead = "read"

// answerProposal does one thing about a proposal, and shows it again where that
// was refused.
func (s *Pages) answerProposal(c edge.Call, do func(context.Context, tenants.Proposal) (string, error)) error {
	ctx := c.Request().Context()
	id, err := s.proposalID(c)
	if err != nil {
		return err
	}
	p, err := s.Tenants.Proposal(ctx, c.Member, id)
	if err != nil {
		return err
	}
	next := ""
	if err = c.Unlocked(); err == nil {
		next, err = do(ctx, p)
	}
	f := fault.As(err)
	switch {
	case err == nil:
		return edge.GoTo(c, next)
	case f.Kind() == fault.Internal || f.Kind() == fault.NotFound:
		return err
	}
	edge.NoteRefusal(c, f)
	return s.showProposal(c, httpserver.Status(f.Code), c.Field(FieldReason), f)
}

// others are the people of a list without one.
func others(all []auth.Person, id string) []auth.Person {
	return slices.DeleteFunc(slices.Clone(all), func(p auth.Person) bool { return p.ID == id })
}

// DetailNow says it in words.
func DetailNow(say texts.Printer, s scoring.NoticeSettings) string {
	var to []string
	for _, d := range s.DetailToChannels {
		to = append(to, present.Flat(say, d.Name))
	}
	if s.DetailToPeople {
		to = append(to, say.Say("people's own channels"))
	}
	if len(to) == 0 {
		return say.Say("no channel")
	}
	return strings.Join(to, ", ")
}
