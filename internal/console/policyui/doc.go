// Package policyui is the pages of the policy: the form (form.go), the lists of rules,
// patterns and functions (lists.go), and what a draft would change (draft.go).
//
// A draft is kept by nobody: it travels in the form until it is saved or proposed.
package policyui
