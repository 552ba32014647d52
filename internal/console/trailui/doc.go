// Package trailui is the pages of the record: the audit trail and its files, the history,
// sessions and agents, and figures about them.
package trailui
