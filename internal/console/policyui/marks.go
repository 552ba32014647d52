package policyui

import (
	"strings"

	"github.com/countersign/countersign/views/policy"
)

// What a draft of the policy changes, by the sections of its page.

// marks count what is changed and what is wrong, by section; changed is all of the first.
func (f formFields) marks() (all map[string]policy.SectionMark, changed int) {
	all = map[string]policy.SectionMark{}
	for _, s := range policySettings(f.say) {
		at := sectionOf(s.name)
		mark := all[at]
		if words, _ := f.was(s); words != "" {
			mark.Changed++
			changed++
		}
		if f.wrong[s.name] != "" {
			mark.Wrong++
		}
		all[at] = mark
	}
	return all, changed
}

// sectionOf is the id of the part of the page in which a setting stands.
func sectionOf(name string) string {
	part, _, _ := strings.Cut(name, ".")
	switch part {
	case "judgement", "thresholds", "trust", "evaluations", "scorers":
		return part
	case "challenges", "approvals_required", "min_review_seconds", "expiry_seconds_by_level", "edit_before_approve", "note_required":
		return "challenges"
	case "strategy", "composite_weights", "fixed_score", "weights":
		return "combination"
	case "score_override_threshold", "on_block", "on_requires_approval":
		return "blocks"
	case "pattern_weights", "pattern_decay", "severity_actions", "block_all_critical", "rewrite_calls":
		return "patterns"
	case "early_answer", "expiry_seconds", "longest_expiry_seconds", "remind_at_percent", "working_hours", "grant_seconds", "newer_ends_older", "fresh_sign_in_minutes", "idle_lock_minutes", "authority":
		return "times"
	}
	return ""
}

// elsewhereChanged is how many settings of other pages a draft changes.
func elsewhereChanged(d Drafted) int {
	lists, err := d.Draft.lists(d.Base.Policy)
	if err != nil {
		return 0
	}
	return len(d.Current.Policy.Differences(lists.in(d.Current.Policy)))
}
