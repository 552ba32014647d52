package edge

import (
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// SettingsItems are the settings that this person's roles may see, in the order
// of the navigation. The first one is where "Settings" leads.
func SettingsItems(say texts.Printer, m auth.Member, here string) []views.SettingsItem {
	var items []views.SettingsItem
	for _, page := range []struct {
		place, label string
		icon         views.Icon
		need         auth.Permission
	}{
		{urls.PlacePolicy, say.Say("Policy"), views.IconSettings, auth.ReadPolicy},
		{urls.PlaceRules, say.Say("Rules"), views.IconRule, auth.ReadPolicy},
		{urls.PlacePatterns, say.Say("Patterns"), views.IconPattern, auth.ReadPolicy},
		{urls.PlaceFunctions, say.Say("Functions"), "fn", auth.ReadPolicy},
		{urls.PlaceDeciders, say.Say("Who decides"), "users", auth.ReadPolicy},
		{urls.PlaceStanding, say.Say("Standing approvals"), "history", auth.ReadQueue},
		{urls.PlaceAgents, say.Say("Agents"), "bot", auth.ReadAgents},
		{urls.PlacePeople, say.Say("People"), "users", auth.ReadPeople},
		{urls.PlaceNotices, say.Say("Notices"), "bell", auth.ReadNotices},
		{urls.PlaceReasons, say.Say("Reasons"), "quote", auth.ReadPolicy},
		{urls.PlaceWaiting, say.Say("Waiting changes"), views.IconInfo, auth.ReadPolicy},
	} {
		if m.May(page.need) {
			items = append(items, views.SettingsItem{
				Label: page.label, Icon: page.icon, Here: page.place == here, URL: urls.Settings(m.Tenant, page.place),
			})
		}
	}
	return items
}
