package approvals

import (
	"encoding/json"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// What the trail keeps of the pattern model: everything that its score and its action
// follow from, so that a reviewer can do the sum again from an event alone.

// maxField bounds the pointer of a match in an event, in bytes: it may hold names that an
// agent chose, and a library has hundreds of patterns. The whole one is with the approval.
const maxField = 400

// PatternData is the record of a, with the first place of each match. A clean pass is
// short.
func (a Approval) PatternData() canon.Value {
	r := a.Assessment.Patterns.Told()
	data := []canon.Member{
		member("label", canon.String(string(r.Label))),
		member("numeric_score", canon.Int(int64(r.NumericScore))),
		member("action", canon.String(string(r.Action))),
		member("action_reason", canon.String(r.ActionReason)),
		member("score_override_threshold", canon.Int(int64(r.ScoreOverrideThreshold))),
		member("pattern_library_version", text(r.PatternLibraryVersion)),
	}
	if r.MatchCount == 0 {
		return canon.Object(data...)
	}
	matches := make([]canon.Value, len(r.MatchedPatterns))
	for i, m := range r.MatchedPatterns {
		matches[i] = matchData(m)
	}
	return canon.Object(append(data,
		member("evaluation_id", text(r.EvaluationID)),
		member("match_count", canon.Int(int64(r.MatchCount))),
		member("raw_score", float(r.RawScore)),
		member("categorical_severity", canon.String(string(r.CategoricalSeverity))),
		member("severity_counts", perSeverity(r.SeverityCounts, func(n int) canon.Value { return canon.Int(int64(n)) })),
		member("weights", perSeverity(r.Weights, float)),
		member("decay", float(r.Decay)),
		member("base_action", canon.String(string(r.BaseAction))),
		member("score_override_exceeded", canon.Bool(r.ScoreOverrideExceeded)),
		member("matched_patterns", canon.Array(matches...)),
	)...)
}

func matchData(m patterns.Match) canon.Value {
	at := m.Place()
	field := at.Pointer
	for i := range field {
		if i > maxField {
			field = field[:i] + "…"
			break
		}
	}
	var key, keeps canon.Value
	if at.Key {
		key = canon.Bool(true)
	}
	if m.KeepsMask {
		keeps = canon.Bool(true)
	}
	return canon.Object(
		member("id", canon.String(m.ID)),
		member("severity", canon.String(string(m.Severity))),
		member("action", canon.String(string(m.Action))),
		member("keeps_mask", keeps),
		member("contribution", float(m.Contribution)),
		member("field", canon.String(field)),
		member("key", key),
		member("start", canon.Int(int64(at.Start))),
		member("end", canon.Int(int64(at.End))),
		member("occurrences", canon.Int(int64(len(m.Places)))),
	)
}

func perSeverity[T any](p patterns.PerSeverity[T], value func(T) canon.Value) canon.Value {
	var all []canon.Member
	for _, s := range patterns.Severities() {
		all = append(all, member(string(s), value(p.Of(s))))
	}
	return canon.Object(all...)
}

// PatternRecord is what an event tells of the pattern model, with the first place of each
// match, and how often each occurs; ok is false where it tells of none: other kinds, those
// from before, and what is sealed.
func PatternRecord(e audit.Event) (r patterns.Record, occurrences []int, ok bool) {
	data := e.Data.Get("treatment").Get("patterns")
	if data.IsAbsent() {
		return r, nil, false
	}
	var places struct {
		Matches []struct {
			Field       string `json:"field"`
			Start, End  int
			Key         bool
			Occurrences int
		} `json:"matched_patterns"`
	}
	canonical := data.Canonical()
	if json.Unmarshal(canonical, &r) != nil || json.Unmarshal(canonical, &places) != nil {
		return patterns.Record{}, nil, false
	}
	for i, m := range places.Matches {
		r.MatchedPatterns[i].Places = []scan.Place{{Pointer: m.Field, Start: m.Start, End: m.End, Key: m.Key}}
		occurrences = append(occurrences, m.Occurrences)
	}
	return r, occurrences, true
}
