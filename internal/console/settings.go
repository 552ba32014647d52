package console

import (
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// The pages of the settings, by the last part of their address.
const (
	settingsPolicy    = "policy"
	settingsRules     = "rules"
	settingsPatterns  = "patterns"
	settingsFunctions = "functions"
	settingsStanding  = "standing-grants"
	settingsAgents    = "agents"
	settingsPeople    = "people"
	settingsNotices   = "notices"
	settingsReasons   = "reasons"
)

// settingsItems are the settings that this person's roles may see, in the order
// of the navigation. The first one is where "Settings" leads.
func settingsItems(say texts.Printer, m auth.Member, here string) []views.SettingsItem {
	var items []views.SettingsItem
	for _, page := range []struct {
		place, label string
		icon         views.Icon
		need         auth.Permission
	}{
		{settingsPolicy, say.Say("Policy"), views.IconSettings, auth.ReadPolicy},
		{settingsRules, say.Say("Rules"), views.IconRule, auth.ReadPolicy},
		{settingsPatterns, say.Say("Patterns"), views.IconPattern, auth.ReadPolicy},
		{settingsFunctions, say.Say("Functions"), "fn", auth.ReadPolicy},
		{settingsStanding, say.Say("Standing approvals"), "history", auth.ReadQueue},
		{settingsAgents, say.Say("Agents"), "bot", auth.ReadAgents},
		{settingsPeople, say.Say("People"), "users", auth.ReadPeople},
		{settingsNotices, say.Say("Notices"), "bell", auth.ReadNotices},
		{settingsReasons, say.Say("Reasons"), "quote", auth.ReadPolicy},
		{settingsWaiting, say.Say("Waiting changes"), views.IconInfo, auth.ReadPolicy},
	} {
		if m.May(page.need) {
			items = append(items, views.SettingsItem{
				Label: page.label, Icon: page.icon, Here: page.place == here, URL: settingsURL(m.Tenant, page.place),
			})
		}
	}
	return items
}

func settingsURL(tenant, page string) string { return "/t/" + tenant + "/settings/" + page }
