// Package settingsui is the pages of agents, people, notices and standing approvals: for each a
// file with its handlers and one, present_….go, with what they draw.
package settingsui
