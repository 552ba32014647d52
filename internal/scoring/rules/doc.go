// Package rules is the rule scorer: a list of named expressions, each with a
// level and a reason, read in order. The highest level that fires is the answer.
//
// The core rules are those of rlm_code's RiskAssessor, verbatim, and read the
// action's code only: they are noisy on purpose of fidelity (format fires on the
// word information). The extended rules are our own, precise enough for prose, and
// read the code and each string value of the arguments, so that
// bash {"command": "rm -rf /"} is caught too. A tenant's own rules read the same.
// docs/models.md names the source.
//
// A tenant's rule may also be a CEL expression over the whole action
// (expression.go), and one such expression may stand in place of the list
// (custom_assessor.go). What fails or costs too much counts as triggered.
//
//	own rules ──▶ text × pattern     scan.Prefilter, then RE2; MaxWork on one action
//	          └─▶ action × CEL       checked and estimated when saved; MaxCost, MaxTotalCost
//
// A Set never changes and is safe for concurrent use; Assess is a pure function,
// linear in the text for each rule, and bounded whatever rules a tenant has.
package rules
