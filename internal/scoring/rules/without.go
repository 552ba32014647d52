package rules

import (
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// Without is a result without the rules of ours whose evidence aside reports. Rules of a
// policy's own stay, and those that found more than their evidence lists, or something
// disguised.
func (s *Set) Without(r Result, aside func(scan.Evidence) bool) Result {
	if s.assessor != nil || len(r.Evidence) != len(r.TriggeredRules) {
		return r // an assessor decided, or there is evidence of a disguise
	}
	kept := Result{Level: level.Safe, Reversible: true, AffectedResources: r.AffectedResources, Resources: r.Resources, Recommendations: r.Recommendations}
	for i, name := range r.TriggeredRules {
		at, ok := s.index[name]
		if e := r.Evidence[i]; ok && s.rules[at].Group != GroupCustom && len(e.Places) < maxPlaces && aside(e) {
			continue
		}
		kept.TriggeredRules = append(kept.TriggeredRules, name)
		kept.Reasons = append(kept.Reasons, r.Reasons[i])
		kept.Evidence = append(kept.Evidence, r.Evidence[i])
		if ok {
			kept.Level = max(kept.Level, s.rules[at].Level)
			kept.Reversible = kept.Reversible && s.rules[at].Reversible
		}
	}
	if len(kept.TriggeredRules) == len(r.TriggeredRules) {
		return r
	}
	kept.RequiresApproval = kept.Level >= level.High
	return kept
}
