package console

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/settings"
	"github.com/countersign/countersign/views/texts"
)

// The channels on which an organisation is told of something outside of the console.

const (
	noticesPath = "/t/:tenant/settings/notices"
	channelPath = noticesPath + "/channels/:channel"
)

// channelForm is what was typed in a form of these pages, and what was wrong with it.
type channelForm struct {
	fault   *fault.Error
	draft   *notices.Draft // nil: as it is stored
	preview string
}

// fieldValue begins the names of the fields of a channel that are no secrets.
const fieldValue = "value:"

// readChannelForm reads a draft. Secrets are read as they were typed, and never shown again.
func readChannelForm(c call) notices.Draft {
	d := notices.Draft{Kind: c.field("kind"), Name: c.field("name"), Values: map[string]string{}}
	d.Version, _ = strconv.ParseInt(c.field("version"), 10, 64) // without one nobody saw any
	for name := range c.Request().PostForm {
		if field, ok := strings.CutPrefix(name, fieldValue); ok {
			d.Values[field] = c.field(name)
		}
		if field, ok := strings.CutPrefix(name, secretPrefix); ok {
			d.Values[field] = c.field(name)
		}
	}
	for _, k := range c.Request().PostForm["tells"] {
		d.Tells = append(d.Tells, notices.Kind(k))
	}
	return d
}

func (c call) channelID() (string, error) {
	if id := c.Param("channel"); auth.IsID("chn", id) {
		return id, nil
	}
	return "", fault.New(fault.Missing, "there is no channel with this id in this organisation")
}

// noticesPage lists the channels.
func (s *Console) noticesPage(c call) error { return s.showNotices(c, http.StatusOK, nil) }

func (s *Console) showNotices(c call, status int, f *fault.Error) error {
	o, err := s.notices.Overview(c.Request().Context(), c.member)
	if err != nil {
		return err
	}
	return show(c, status, settings.NoticesPage(s.page(c, c.say.Say("Notices"), views.PlaceSettings), noticesOf(c.say, c.member, o, s.notices.About(), f)))
}

// channelRefused shows a page again with what was wrong.
func (s *Console) channelRefused(c call, err error, again func(status int, f *fault.Error) error) error {
	refusal := fault.As(err)
	if refusal == nil || refusal.Kind() == fault.Internal || refusal.Kind() == fault.NotFound {
		return err
	}
	noteRefusal(c, refusal)
	return again(httpserver.Status(refusal.Code), refusal)
}

// newChannelPage is the form of a new channel of the kind that the address names.
func (s *Console) newChannelPage(c call) error {
	return s.showNewChannel(c, http.StatusOK, c.QueryParam("kind"), channelForm{})
}

func (s *Console) showNewChannel(c call, status int, kind string, f channelForm) error {
	for _, about := range s.notices.About() {
		if about.Kind == kind {
			page := newChannelOf(c.say, c.member, about, f)
			return show(c, status, settings.ChannelPage(s.page(c, page.Title, views.PlaceSettings), page))
		}
	}
	if f.fault != nil {
		return s.showNotices(c, status, f.fault)
	}
	return goTo(c, urls.Notices(c.member.Tenant)) // where the kinds are
}

// addChannel makes a channel, and answers with its secret where it has one: it is shown
// this once, and kept nowhere on the way.
func (s *Console) addChannel(c call) error {
	d := readChannelForm(c)
	err := c.awake()
	var id, once string
	if err == nil {
		id, once, err = s.notices.Add(c.Request().Context(), c.member, d)
	}
	if err != nil {
		return s.channelRefused(c, err, func(status int, f *fault.Error) error {
			return s.showNewChannel(c, status, d.Kind, channelForm{fault: f, draft: &d})
		})
	}
	return s.shownOnce(c, id, strings.TrimSpace(d.Name), once)
}

func (s *Console) shownOnce(c call, id, name, once string) error {
	if once == "" {
		return goTo(c, urls.Channel(c.member.Tenant, id))
	}
	page := channelShownOf(c.say, c.member, id, name, once)
	return show(c, http.StatusOK, settings.ChannelShownPage(s.page(c, page.Title, views.PlaceSettings), page))
}

func (s *Console) previewNewChannel(c call) error {
	d := readChannelForm(c)
	text, err := s.notices.Preview(c.Request().Context(), c.member, "", d)
	if err != nil {
		return s.channelRefused(c, err, func(status int, f *fault.Error) error {
			return s.showNewChannel(c, status, d.Kind, channelForm{fault: f, draft: &d})
		})
	}
	return s.showNewChannel(c, http.StatusOK, d.Kind, channelForm{draft: &d, preview: text})
}

// channelPage is one channel.
func (s *Console) channelPage(c call) error { return s.showChannel(c, http.StatusOK, channelForm{}) }

func (s *Console) showChannel(c call, status int, f channelForm) error {
	id, err := c.channelID()
	if err != nil {
		return err
	}
	l, now, err := s.notices.Channel(c.Request().Context(), c.member, id)
	if err != nil {
		return err
	}
	around, page := s.page(c, l.Name, views.PlaceSettings), channelOf(c.say, c.member, l, now, f)
	if page.Refresh != "" {
		around.Assets.Scripts = append(around.Assets.Scripts, s.assets.HTMX())
	}
	return show(c, status, settings.ChannelPage(around, page))
}

func (s *Console) previewChannel(c call) error {
	id, err := c.channelID()
	if err != nil {
		return err
	}
	d := readChannelForm(c)
	text, err := s.notices.Preview(c.Request().Context(), c.member, id, d)
	if err != nil {
		return s.channelRefused(c, err, func(status int, f *fault.Error) error {
			return s.showChannel(c, status, channelForm{fault: f, draft: &d})
		})
	}
	return s.showChannel(c, http.StatusOK, channelForm{draft: &d, preview: text})
}

// changeChannel writes the settings of a channel.
func (s *Console) changeChannel(c call) error {
	d := readChannelForm(c)
	return s.withChannel(c, deedSaved, &d, func(id string) error { return s.notices.Change(c.Request().Context(), c.member, id, d) })
}

func (s *Console) testChannel(c call) error {
	return s.withChannel(c, "", nil, func(id string) error { return s.notices.SendTest(c.Request().Context(), c.member, id) })
}

func (s *Console) pauseChannel(c call) error {
	return s.withChannel(c, deedPaused, nil, func(id string) error { return s.notices.Pause(c.Request().Context(), c.member, id) })
}

func (s *Console) resumeChannel(c call) error {
	return s.withChannel(c, deedResumed, nil, func(id string) error { return s.notices.Resume(c.Request().Context(), c.member, id) })
}

// withChannel runs one act and shows the channel again.
func (s *Console) withChannel(c call, what deed, d *notices.Draft, act func(id string) error) error {
	id, err := c.channelID()
	if err != nil {
		return err
	}
	if err = c.awake(); err == nil {
		err = act(id)
	}
	if err != nil {
		return s.channelRefused(c, err, func(status int, f *fault.Error) error {
			return s.showChannel(c, status, channelForm{fault: f, draft: d})
		})
	}
	s.did(c, what)
	return goTo(c, urls.Channel(c.member.Tenant, id))
}

// rotateChannel answers with the new secret, which is shown this once.
func (s *Console) rotateChannel(c call) error {
	id, err := c.channelID()
	if err != nil {
		return err
	}
	l, _, err := s.notices.Channel(c.Request().Context(), c.member, id)
	if err != nil {
		return err
	}
	once := ""
	if err = c.awake(); err == nil {
		once, err = s.notices.Rotate(c.Request().Context(), c.member, id)
	}
	if err != nil {
		return s.channelRefused(c, err, func(status int, f *fault.Error) error { return s.showChannel(c, status, channelForm{fault: f}) })
	}
	return s.shownOnce(c, id, l.Name, once)
}

// deleteChannel takes the box as a yes.
func (s *Console) deleteChannel(c call) error {
	id, err := c.channelID()
	if err != nil {
		return err
	}
	if err = c.awake(); err == nil && c.field("sure") == "" {
		err = fault.Member(fault.InvalidForm, "sure", "check the box to delete the channel")
	}
	if err == nil {
		err = s.notices.Remove(c.Request().Context(), c.member, id)
	}
	if err != nil {
		return s.channelRefused(c, err, func(status int, f *fault.Error) error { return s.showChannel(c, status, channelForm{fault: f}) })
	}
	s.did(c, deedRemoved)
	return goTo(c, urls.Notices(c.member.Tenant))
}

// toldOf says who was called to a request; nil where nobody is.
func (s *Console) toldOf(ctx context.Context, say texts.Printer, m auth.Member, approval string, over bool) (*review.ToldBlock, error) {
	d, err := s.notices.Deliveries(ctx, m, approval)
	if err != nil {
		return nil, err
	}
	return toldBlockOf(say, d, over), nil
}
