// Package policy draws the policy: its form, its drafts, proposals and versions, and the
// lists of rules, patterns and functions.
package policy
