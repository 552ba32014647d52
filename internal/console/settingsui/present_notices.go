package settingsui

import (
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/policyui"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
	"github.com/countersign/countersign/views/texts"
)

func noticesOf(say texts.Printer, m auth.Member, o notices.Overview, about []notices.About, f *fault.Error) settings.NoticesSettings {
	s := settings.NoticesSettings{Items: edge.SettingsItems(say, m, urls.PlaceNotices), DetailNow: say.Say("Notices say level, agent and link. Details go to: %s.", policyui.DetailNow(say, detailOf(o)))}
	s.Routing = &views.Link{Label: say.Say("Who is called: rules, teams, who is on call"), URL: urls.Routing(m.Tenant)}
	if f != nil {
		s.Notices = append(s.Notices, edge.NothingChanged(say, f))
	}
	for _, l := range o.Channels {
		row := settings.ChannelRow{Name: l.Name, URL: urls.Channel(m.Tenant, l.ID), Kind: say.Phrase(l.About.Label), To: untrusted.Runs(l.Shown), Tells: tellsOf(say, l.Tells)}
		row.State, row.Tone, row.Icon = channelState(say, l)
		s.Rows = append(s.Rows, row)
	}
	if len(o.Channels) == 0 {
		s.Notices = append(s.Notices, views.Notice{Tone: views.ToneWarn, Icon: views.IconAlert, Title: say.Say("No one is called"), Text: untrusted.Runs(say.Say("Without a channel, a held request waits until someone opens the queue."))})
	}
	if !m.May(auth.ManageNotices) {
		return s
	}
	for _, a := range about {
		s.Add = append(s.Add, settings.ChannelKind{Link: views.Link{Label: say.Phrase(a.Label), URL: urls.Notices(m.Tenant) + "/new?kind=" + a.Kind}, Help: say.Phrase(a.Help)})
	}
	s.Detail = detailPanel(say, urls.Notices(m.Tenant), o)
	return s
}

// detailOf is who is told more now.
func detailOf(o notices.Overview) scoring.NoticeSettings {
	is := scoring.NoticeSettings{DetailToPeople: o.People}
	for _, l := range o.Channels {
		if l.Detailed {
			is.DetailToChannels = append(is.DetailToChannels, l.Detail)
		}
	}
	return is
}

func tellsOf(say texts.Printer, kinds []notices.Kind) string {
	if len(kinds) == len(notices.Kinds()) {
		return say.Say("Everything")
	}
	all := make([]string, len(kinds))
	for i, k := range kinds {
		all[i] = say.Key(present.NoticeWords[k])
	}
	return strings.Join(all, " · ")
}

func channelState(say texts.Printer, l notices.Listed) (string, views.Tone, views.Icon) {
	switch {
	case l.State == notices.Active && l.Fails != nil:
		return say.Say("failing"), views.ToneBad, views.IconAlert
	case l.State == notices.Active:
		return say.Say("active"), views.ToneOK, views.IconCheck
	case l.State == notices.Paused:
		return say.Say("paused"), views.ToneWarn, views.IconClock
	}
	return say.Say("disabled"), views.ToneBad, views.IconBan
}

// channelFormOf is the form of a channel. Secrets are never filled in.
func channelFormOf(say texts.Printer, url string, about notices.About, d notices.Draft, set []string, f *fault.Error) views.PlainForm {
	at := func(member string) string {
		if f != nil && f.Member == member {
			return present.Because(say, f)
		}
		return ""
	}
	form := views.PlainForm{
		URL: url, Hidden: []views.Hidden{{Name: "kind", Value: about.Kind}, {Name: "version", Value: strconv.FormatInt(d.Version, 10)}},
		Lines:  []views.LineField{{ID: "name", Name: "name", Label: say.Say("Name"), Value: d.Name, Hint: say.Say("Shown on requests, for example #ops."), Error: at("name"), Required: true, Max: "60"}},
		Groups: []views.BoxGroup{{ID: "tells", Label: say.Say("Send when"), Error: at("tells")}},
		Button: views.Button{Label: say.Say("Save"), Kind: "primary"},
	}
	for _, field := range about.Form {
		id, hint := "field-"+field.Name, say.Phrase(field.Help)
		if field.Example != "" && field.Lines == 0 {
			hint = strings.TrimSpace(hint + " " + say.Say("For example %s", field.Example))
		}
		switch {
		case field.Made:
		case field.Secret:
			if containsText(set, field.Name) {
				hint = say.Say("Already set. Leave empty to keep it.")
			}
			form.Lines = append(form.Lines, views.LineField{ID: id, Name: edge.SecretPrefix + field.Name, Label: say.Phrase(field.Label), Hint: hint, Error: at(field.Name), Mono: true, Required: field.Required && !containsText(set, field.Name)})
		case field.Lines > 0:
			form.Areas = append(form.Areas, views.AreaField{ID: id, Name: fieldValue + field.Name, Label: say.Phrase(field.Label), Value: d.Values[field.Name], Hint: hint, Error: at(field.Name), Rows: strconv.Itoa(field.Lines)})
			form.Other = &views.OtherButton{Label: say.Say("Preview"), URL: url + "/preview"}
		default:
			form.Lines = append(form.Lines, views.LineField{ID: id, Name: fieldValue + field.Name, Label: say.Phrase(field.Label), Value: d.Values[field.Name], Hint: hint, Error: at(field.Name), Required: field.Required})
		}
	}
	for _, k := range notices.Kinds() {
		form.Groups[0].Boxes = append(form.Groups[0].Boxes, views.BoxField{ID: "tells-" + string(k), Name: "tells", Value: string(k), Label: say.Key(present.NoticeWords[k]), Checked: tells(d.Tells, k)})
	}
	return form
}

func containsText(all []string, one string) bool {
	for _, s := range all {
		if s == one {
			return true
		}
	}
	return false
}

func tells(all []notices.Kind, one notices.Kind) bool { return notices.Channel{Tells: all}.Tell(one) }

// channelErrors leads to the field that was refused.
func channelErrors(say texts.Printer, f *fault.Error) []views.FieldError {
	if f == nil {
		return nil
	}
	field := ""
	switch f.Member {
	case "":
	case "name", "tells", "sure":
		field = f.Member
	default:
		field = "field-" + f.Member
	}
	return []views.FieldError{{Text: present.Because(say, f), Field: field}}
}

func newChannelOf(say texts.Printer, m auth.Member, about notices.About, f channelForm) settings.ChannelSettings {
	d := notices.Draft{Tells: about.Tells, Values: map[string]string{}}
	for _, field := range about.Form {
		if field.Lines > 0 { // what most people send as it is
			d.Values[field.Name] = field.Example
		}
	}
	if f.draft != nil {
		d = *f.draft
	}
	form := channelFormOf(say, urls.Notices(m.Tenant)+"/new", about, d, nil, f.fault)
	form.Button.Label = say.Say("Add channel")
	form.Cancel = &views.Link{Label: say.Say("Cancel"), URL: urls.Notices(m.Tenant)}
	return settings.ChannelSettings{
		Items: edge.SettingsItems(say, m, urls.PlaceNotices), Back: views.Link{Label: say.Say("Notices"), URL: urls.Notices(m.Tenant)},
		Title: say.Say("Add a channel: %s", say.Phrase(about.Label)), Summary: say.Phrase(about.Help), Errors: channelErrors(say, f.fault), Form: &form, Preview: f.preview,
	}
}

func channelOf(say texts.Printer, m auth.Member, l notices.Listed, now time.Time, f channelForm) settings.ChannelSettings {
	s := settings.ChannelSettings{
		Items: edge.SettingsItems(say, m, urls.PlaceNotices), Back: views.Link{Label: say.Say("Notices"), URL: urls.Notices(m.Tenant)},
		Title: l.Name, Summary: say.Phrase(l.About.Label), Errors: channelErrors(say, f.fault), Preview: f.preview,
	}
	state, _, _ := channelState(say, l)
	if l.Why != "" {
		s.Notices = append(s.Notices, views.Notice{Tone: views.ToneBad, Icon: views.IconBan, Title: say.Say("This channel is disabled"), Text: untrusted.Runs(l.Why)})
	}
	if l.State == notices.Active && l.Fails != nil {
		s.Notices = append(s.Notices, views.Notice{Tone: views.ToneBad, Icon: views.IconAlert, Title: say.Say("The last notice didn't arrive"), Text: untrusted.Runs(l.Fails.LastError)})
	}
	if l.Test != nil && l.Test.State == notices.Waiting && l.Test.Failures == 0 {
		s.Refresh = urls.Channel(m.Tenant, l.ID)
	}
	s.Facts = append(s.Facts,
		views.Fact{Label: say.Say("To"), Value: untrusted.Runs(l.Shown)},
		views.Fact{Label: say.Say("State"), Value: untrusted.Runs(state)},
		views.Fact{Label: say.Say("Content"), Value: untrusted.Runs(saysOf(say, l))},
		views.Fact{Label: say.Say("Last test"), Value: testOf(say, l.Test, now)})
	if !m.May(auth.ManageNotices) {
		s.Facts = append(s.Facts, views.Fact{Label: say.Say("Send when"), Value: untrusted.Runs(tellsOf(say, l.Tells))})
		return s
	}
	here := urls.Channel(m.Tenant, l.ID)
	d := notices.Draft{Name: l.Name, Tells: l.Tells, Values: l.Settings.Fields, Version: l.Version}
	if f.draft != nil {
		d = *f.draft
	}
	form := channelFormOf(say, here, l.About, d, l.Set, f.fault)
	s.Form = &form
	s.Panels = channelPanels(say, here, l)
	return s
}

// saysOf is what a channel says of a request.
func saysOf(say texts.Printer, l notices.Listed) string {
	if l.Detailed {
		return say.Say("level, agent, link and details")
	}
	return say.Say("level, agent and link")
}

// channelPanels are what can be done beside changing the settings.
func channelPanels(say texts.Printer, here string, l notices.Listed) []views.Panel {
	panels := []views.Panel{{
		ID: "test", Title: say.Say("Test"), Text: untrusted.Runs(say.Say("Sends a sample notice. The result appears at the top of this page.")),
		Form: views.PlainForm{URL: here + "/test", Button: views.Button{Label: say.Say("Send a test")}},
	}}
	if l.State == notices.Active {
		panels = append(panels, views.Panel{
			ID: "pause", Title: say.Say("Pause"), Text: untrusted.Runs(say.Say("Nothing is sent while it's paused, and missed notices aren't sent later.")),
			Form: views.PlainForm{URL: here + "/pause", Button: views.Button{Label: say.Say("Pause")}},
		})
	} else {
		panels = append(panels, views.Panel{
			ID: "resume", Title: say.Say("Resume"), Text: untrusted.Runs(say.Say("Notices are sent again from now on.")),
			Form: views.PlainForm{URL: here + "/resume", Button: views.Button{Label: say.Say("Resume"), Kind: "primary"}},
		})
	}
	for _, field := range l.About.Form {
		if field.Made {
			panels = append(panels, views.Panel{
				ID: "rotate", Title: say.Say("Rotate the signing secret"), Text: untrusted.Runs(say.Say("The new secret is shown once. For 24 hours, messages are signed with both.")),
				Form: views.PlainForm{URL: here + "/rotate", Button: views.Button{Label: say.Say("Rotate")}},
			})
		}
	}
	return append(panels, views.Panel{
		ID: "delete", Title: say.Say("Delete"), Text: untrusted.Runs(say.Say("Its secrets are deleted too. Requests still show what was sent.")),
		Form: views.PlainForm{
			URL: here + "/delete", Confirm: &views.BoxField{ID: "sure", Name: "sure", Value: "yes", Label: say.Say("Delete this channel"), Required: true},
			Button: views.Button{Label: say.Say("Delete"), Kind: "final"},
		},
	})
}

func testOf(say texts.Printer, t *notices.Told, now time.Time) []views.Run {
	if t == nil {
		return untrusted.Runs(say.Say("not tested yet"))
	}
	text := present.DeliveryState(say, t.Delivery, now)
	if t.LastError != "" {
		text = append(text, untrusted.Runs(": "+t.LastError)...)
	}
	return text
}

func channelShownOf(say texts.Printer, m auth.Member, id, name, once string) settings.ChannelShown {
	return settings.ChannelShown{
		Items: edge.SettingsItems(say, m, urls.PlaceNotices), Title: say.Say("Signing secret of %s", name),
		Warn:   views.Notice{Tone: views.ToneWarn, Icon: views.IconAlert, Title: say.Say("Copy it now. You won't see it again.")},
		Secret: views.Secret{ID: "secret", Label: say.Say("Signing secret"), Value: once},
		Text:   say.Say("Give it to the receiver. Any Standard Webhooks library can verify messages with it."),
		Done:   views.Link{Label: say.Say("To the channel"), URL: urls.Channel(m.Tenant, id)},
	}
}
