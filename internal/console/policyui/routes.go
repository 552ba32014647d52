package policyui

import (
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/urls"
)

// Pages are the pages of the policy and of its lists.
type Pages struct{ *edge.Console }

// Routes are their addresses.
func (s *Pages) Routes() []edge.Route {
	return []edge.Route{
		edge.Get("/t/:tenant/settings", auth.ReadQueue, s.settingsHome),
		edge.Get("/t/:tenant/settings/policy", auth.ReadPolicy, s.policyPage),
		edge.Post("/t/:tenant/settings/policy", auth.ProposePolicy, s.policySave).CarriesLists(),
		edge.Post("/t/:tenant/settings/policy/preview", auth.ProposePolicy, s.policyPreview).CarriesLists(),
		edge.Get("/t/:tenant/settings/policy/versions", auth.ReadPolicy, s.policyVersions),
		edge.Get("/t/:tenant/settings/policy/versions/:version", auth.ReadPolicy, s.policyVersion),
		edge.Get("/t/:tenant/settings/policy/proposals/:proposal", auth.ReadPolicy, s.proposalPage),
		edge.Post("/t/:tenant/settings/policy/proposals/:proposal/accept", auth.ChangePolicy, s.acceptProposal),
		edge.Post("/t/:tenant/settings/policy/proposals/:proposal/reject", auth.ProposePolicy, s.rejectProposal),
		edge.Post("/t/:tenant/settings/policy/proposals/:proposal/withdraw", auth.ProposePolicy, s.withdrawProposal),
		edge.Get("/t/:tenant/settings/policy.yaml", auth.ReadPolicy, s.policyFile),
		edge.Get("/t/:tenant/settings/policy.schema.json", auth.ReadPolicy, s.policySchema),
		edge.Get(rulesPath, auth.ReadPolicy, s.listPage(urls.PlaceRules)),
		edge.Post(rulesPath, auth.ProposePolicy, s.editList(urls.PlaceRules)).CarriesLists(),
		edge.Get(patternsPath, auth.ReadPolicy, s.listPage(urls.PlacePatterns)),
		edge.Post(patternsPath, auth.ProposePolicy, s.editList(urls.PlacePatterns)).CarriesLists(),
		edge.Get(decidersPath, auth.ReadPolicy, s.listPage(urls.PlaceDeciders)),
		edge.Post(decidersPath, auth.ProposePolicy, s.editList(urls.PlaceDeciders)).CarriesLists(),
		edge.Get(FunctionsPath, auth.ReadPolicy, s.listPage(urls.PlaceFunctions)),
		edge.Post(FunctionsPath, auth.ProposePolicy, s.editList(urls.PlaceFunctions)).CarriesLists(),
	}
}
