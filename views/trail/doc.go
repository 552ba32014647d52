// Package trail draws what happened: the audit trail, the history of decisions, figures,
// and one agent at a glance.
package trail
