package settingsui

import (
	"net/http"
	"slices"

	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/policyui"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// To whom notices say more than level, agent and link. That stands in the policy, so what is
// chosen goes through the review of the policy page, as every other change of it.

// The fields of the form.
const (
	fieldPeople  = "people"
	fieldChannel = "channel"
)

// reviewNoticeDetail leads to the review of the policy with what was chosen. It stores
// nothing.
func (s *Pages) reviewNoticeDetail(c edge.Call) error {
	ctx := c.Request().Context()
	o, err := s.Notices.Overview(ctx, c.Member)
	if err != nil {
		return err
	}
	refused := func(err error) error {
		return s.channelRefused(c, err, func(status int, f *fault.Error) error { return s.showNotices(c, status, f) })
	}
	d, err := s.Policy.VersionsOf(ctx, c.Member, policyui.Draft{policyui.FieldBase: c.Field(policyui.FieldBase)})
	if err != nil {
		return refused(err)
	}
	p := d.Base.Policy
	p.Notices = chosenDetail(p.Notices, o, c.Field(fieldPeople) != "", c.Request().PostForm[fieldChannel])
	d.Draft = policyui.DraftOn(c.Say, p, d.Base.Policy)
	switch {
	case d.Draft[edge.FieldLists] == "":
		return refused(fault.Member(fault.InvalidForm, "detail", "nothing would change: notices already say this to these channels"))
	case d.Base.Version != d.Current.Version:
		return s.Policy.ShowStale(c, d)
	}
	return s.Policy.ShowPreview(c, http.StatusOK, d, p.Tidy(), nil)
}

// chosenDetail is what the policy has to say for what was chosen: each channel as it is now.
// What it says of channels as they are stays, whatever they are called since.
func chosenDetail(was scoring.NoticeSettings, o notices.Overview, people bool, channels []string) scoring.NoticeSettings {
	is := scoring.NoticeSettings{DetailToPeople: people}
	for _, l := range o.Channels {
		if !slices.Contains(channels, l.ID) {
			continue
		}
		d := l.Detail
		if l.Detailed {
			i := slices.IndexFunc(was.DetailToChannels, func(d scoring.DetailedChannel) bool { return d.Channel == l.ID })
			d = was.DetailToChannels[i]
		}
		is.DetailToChannels = append(is.DetailToChannels, d)
	}
	return is
}

// detailPanel is the form.
func detailPanel(say texts.Printer, url string, o notices.Overview) *views.Panel {
	boxes := []views.BoxField{{ID: "detail-people", Name: fieldPeople, Value: "yes", Label: say.Say("People's own channels"), Checked: o.People}}
	for _, l := range o.Channels {
		boxes = append(boxes, views.BoxField{ID: "detail-" + l.ID, Name: fieldChannel, Value: l.ID, Label: present.Flat(say, l.Name), Note: present.Flat(say, l.Shown), Checked: l.Detailed})
	}
	return &views.Panel{
		ID: "detail", Title: say.Say("What notices say"),
		Text: untrusted.Runs(say.Say("Level, agent and link. Channels you select also get what would happen, the target and the agent's reason, except for requests that ask questions. That leaves your organisation, so another admin must accept it, and again after a channel's settings change. Links ask to sign in and decide nothing.")),
		Form: views.PlainForm{
			URL: url, Hidden: []views.Hidden{{Name: policyui.FieldBase, Value: policyui.BaseText(o.Policy)}},
			Groups: []views.BoxGroup{{ID: "detail-to", Label: say.Say("Send details to"), Boxes: boxes}},
			Button: views.Button{Label: say.Say("Review the change")},
		},
	}
}
