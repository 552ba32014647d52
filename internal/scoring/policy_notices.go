package scoring

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/countersign/countersign/internal/canon"
)

// What a policy says of notices, which leave the organisation. None of it decides about an
// action: that notices say more is a weakening, because somebody outside then reads what an
// agent asks for.

// NoticeSettings say to whom a notice says more than level, agent and link.
type NoticeSettings struct {
	// DetailToPeople are the channels that people have for themselves: the e-mail address of
	// their account, and their devices.
	DetailToPeople bool `json:"detail_to_people" yaml:"detail_to_people"`
	// DetailToChannels are channels of the organisation.
	DetailToChannels []DetailedChannel `json:"detail_to_channels" yaml:"detail_to_channels"`
}

// DetailedChannel is a channel as it was when somebody accepted that it says more. With
// other settings it leads elsewhere, and says no more than any other.
type DetailedChannel struct {
	Channel string `json:"channel" yaml:"channel"` // id
	Name    string `json:"name" yaml:"name"`
	To      string `json:"to" yaml:"to"` // where it leads, as its page shows it
	// Settings is a digest of all its settings, with a key that no policy has.
	Settings string `json:"settings" yaml:"settings"`
}

const (
	maxDetailed      = 50
	channelIDBytes   = 36
	maxDetailedName  = 240
	maxDetailedTo    = 1000
	settingsSumBytes = 64
)

var (
	isChannelID   = regexp.MustCompile(`^chn_[0-9a-f]{32}$`).MatchString
	isSettingsSum = regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString
)

// Detailed reports whether a channel of the organisation says more, with the settings that
// it has.
func (s NoticeSettings) Detailed(channel, settings string) bool {
	return slices.ContainsFunc(s.DetailToChannels, func(d DetailedChannel) bool { return d.Channel == channel && d.Settings == settings })
}

func (s NoticeSettings) check(found *problems) {
	const at = "/notices/detail_to_channels"
	if len(s.DetailToChannels) > maxDetailed {
		found.add(at, "has %d channels; at most %d are accepted", len(s.DetailToChannels), maxDetailed)
	}
	known := map[string]bool{}
	for i, d := range s.DetailToChannels {
		below := at + "/" + strconv.Itoa(i)
		switch {
		case !isChannelID(d.Channel):
			found.add(below+"/channel", "is %q; expected the id of a channel: chn_ and 32 hexadecimal digits", told(d.Channel))
		case known[d.Channel]:
			found.add(below+"/channel", "appears twice; expected each channel once")
		}
		known[d.Channel] = true
		if len(d.Name) > maxDetailedName || canon.String(d.Name).Text() != d.Name {
			found.add(below+"/name", "has %d bytes; expected a name of at most %d bytes", len(d.Name), maxDetailedName)
		}
		if len(d.To) > maxDetailedTo || canon.String(d.To).Text() != d.To {
			found.add(below+"/to", "has %d bytes; at most %d are accepted", len(d.To), maxDetailedTo)
		}
		if !isSettingsSum(d.Settings) {
			found.add(below+"/settings", "is %q; expected the digest of the channel's settings, 64 hexadecimal digits", told(d.Settings))
		}
	}
}

func noticeLimits() map[string]limits {
	const channels = "/notices/detail_to_channels"
	return map[string]limits{
		"/notices":                  {about: "what notices say outside of the console; see docs/notices.md"},
		"/notices/detail_to_people": {about: "whether people's own channels say what would happen, too"},
		channels:                    {about: "channels of the organisation that do, each as it was when that was accepted", most: maxDetailed},
		channels + "/*":             {required: []string{"channel", "settings"}},
		channels + "/*/channel":     {about: "its id", fewest: channelIDBytes, most: channelIDBytes},
		channels + "/*/name":        {about: "what it is called, for people", most: maxDetailedName},
		channels + "/*/to":          {about: "where it leads, for people", most: maxDetailedTo},
		channels + "/*/settings":    {about: "digest of its settings; with others it says level, agent and link", fewest: settingsSumBytes, most: settingsSumBytes},
	}
}

// notices: who is told more, or told at another address, was not before.
func (c *comparison) notices() {
	old, new := c.old.Notices, c.new.Notices
	c.differ("/notices/detail_to_people", old.DetailToPeople, new.DetailToPeople, weakensUnless(!new.DetailToPeople))
	find := func(all []DetailedChannel, id string) any {
		if i := slices.IndexFunc(all, func(d DetailedChannel) bool { return d.Channel == id }); i >= 0 {
			return all[i]
		}
		return nil
	}
	ids := func(all []DetailedChannel) (ids []string) {
		for _, d := range all {
			ids = append(ids, d.Channel)
		}
		return ids
	}
	for _, id := range union(ids(old.DetailToChannels), ids(new.DetailToChannels)) {
		is := find(new.DetailToChannels, id)
		c.differ("/notices/detail_to_channels/"+canon.PointerEscape(id), find(old.DetailToChannels, id), is, weakensUnless(is == nil))
	}
}
