// Package settings draws the settings beside the policy: agents, people, notices, who is
// called, and what is approved ahead.
package settings
