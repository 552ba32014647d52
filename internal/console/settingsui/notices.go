package settingsui

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
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
func readChannelForm(c edge.Call) notices.Draft {
	d := notices.Draft{Kind: c.Field("kind"), Name: c.Field("name"), Values: map[string]string{}}
	d.Version, _ = strconv.ParseInt(c.Field("version"), 10, 64) // without one nobody saw any
	for name := range c.Request().PostForm {
		if field, ok := strings.CutPrefix(name, fieldValue); ok {
			d.Values[field] = c.Field(name)
		}
		if field, ok := strings.CutPrefix(name, edge.SecretPrefix); ok {
			d.Values[field] = c.Field(name)
		}
	}
	for _, k := range c.Request().PostForm["tells"] {
		d.Tells = append(d.Tells, notices.Kind(k))
	}
	return d
}

func channelID(c edge.Call) (string, error) {
	if id := c.Param("channel"); auth.IsID("chn", id) {
		return id, nil
	}
	return "", fault.New(fault.Missing, "there is no channel with this id in this organisation")
}

// noticesPage lists the channels.
func (s *Pages) noticesPage(c edge.Call) error { return s.showNotices(c, http.StatusOK, nil) }

func (s *Pages) showNotices(c edge.Call, status int, f *fault.Error) error {
	o, err := s.Notices.Overview(c.Request().Context(), c.Member)
	if err != nil {
		return err
	}
	return edge.Show(c, status, settings.NoticesPage(s.Page(c, c.Say.Say("Notices"), views.PlaceSettings), noticesOf(c.Say, c.Member, o, s.Notices.About(), f)))
}

// channelRefused shows a page again with what was wrong.
func (s *Pages) channelRefused(c edge.Call, err error, again func(status int, f *fault.Error) error) error {
	refusal := fault.As(err)
	if refusal == nil || refusal.Kind() == fault.Internal || refusal.Kind() == fault.NotFound {
		return err
	}
	edge.NoteRefusal(c, refusal)
	return again(httpserver.Status(refusal.Code), refusal)
}

// newChannelPage is the form of a new channel of the kind that the address names.
func (s *Pages) newChannelPage(c edge.Call) error {
	return s.showNewChannel(c, http.StatusOK, c.QueryParam("kind"), channelForm{})
}

func (s *Pages) showNewChannel(c edge.Call, status int, kind string, f channelForm) error {
	for _, about := range s.Notices.About() {
		if about.Kind == kind {
			page := newChannelOf(c.Say, c.Member, about, f)
			return edge.Show(c, status, settings.ChannelPage(s.Page(c, page.Title, views.PlaceSettings), page))
		}
	}
	if f.fault != nil {
		return s.showNotices(c, status, f.fault)
	}
	return edge.GoTo(c, urls.Notices(c.Member.Tenant)) // where the kinds are
}

// addChannel makes a channel, and answers with its secret where it has one: it is shown
// this once, and kept nowhere on the way.
func (s *Pages) addChannel(c edge.Call) error {
	d := readChannelForm(c)
	err := c.Awake()
	var id, once string
	if err == nil {
		id, once, err = s.Notices.Add(c.Request().Context(), c.Member, d)
	}
	if err != nil {
		return s.channelRefused(c, err, func(status int, f *fault.Error) error {
			return s.showNewChannel(c, status, d.Kind, channelForm{fault: f, draft: &d})
		})
	}
	return s.shownOnce(c, id, strings.TrimSpace(d.Name), once)
}

func (s *Pages) shownOnce(c edge.Call, id, name, once string) error {
	if once == "" {
		return edge.GoTo(c, urls.Channel(c.Member.Tenant, id))
	}
	page := channelShownOf(c.Say, c.Member, id, name, once)
	return edge.Show(c, http.StatusOK, settings.ChannelShownPage(s.Page(c, page.Title, views.PlaceSettings), page))
}

func (s *Pages) previewNewChannel(c edge.Call) error {
	d := readChannelForm(c)
	text, err := s.Notices.Preview(c.Request().Context(), c.Member, "", d)
	if err != nil {
		return s.channelRefused(c, err, func(status int, f *fault.Error) error {
			return s.showNewChannel(c, status, d.Kind, channelForm{fault: f, draft: &d})
		})
	}
	return s.showNewChannel(c, http.StatusOK, d.Kind, channelForm{draft: &d, preview: text})
}

// channelPage is one channel.
func (s *Pages) channelPage(c edge.Call) error {
	return s.showChannel(c, http.StatusOK, channelForm{})
}

func (s *Pages) showChannel(c edge.Call, status int, f channelForm) error {
	id, err := channelID(c)
	if err != nil {
		return err
	}
	l, now, err := s.Notices.Channel(c.Request().Context(), c.Member, id)
	if err != nil {
		return err
	}
	around, page := s.Page(c, l.Name, views.PlaceSettings), channelOf(c.Say, c.Member, l, now, f)
	if page.Refresh != "" {
		around.Assets.Scripts = append(around.Assets.Scripts, s.Assets.HTMX())
	}
	return edge.Show(c, status, settings.ChannelPage(around, page))
}

func (s *Pages) previewChannel(c edge.Call) error {
	id, err := channelID(c)
	if err != nil {
		return err
	}
	d := readChannelForm(c)
	text, err := s.Notices.Preview(c.Request().Context(), c.Member, id, d)
	if err != nil {
		return s.channelRefused(c, err, func(status int, f *fault.Error) error {
			return s.showChannel(c, status, channelForm{fault: f, draft: &d})
		})
	}
	return s.showChannel(c, http.StatusOK, channelForm{draft: &d, preview: text})
}

// changeChannel writes the settings of a channel.
func (s *Pages) changeChannel(c edge.Call) error {
	d := readChannelForm(c)
	return s.withChannel(c, edge.DeedSaved, &d, func(id string) error { return s.Notices.Change(c.Request().Context(), c.Member, id, d) })
}

func (s *Pages) testChannel(c edge.Call) error {
	return s.withChannel(c, "", nil, func(id string) error { return s.Notices.SendTest(c.Request().Context(), c.Member, id) })
}

func (s *Pages) pauseChannel(c edge.Call) error {
	return s.withChannel(c, edge.DeedPaused, nil, func(id string) error { return s.Notices.Pause(c.Request().Context(), c.Member, id) })
}

func (s *Pages) resumeChannel(c edge.Call) error {
	return s.withChannel(c, edge.DeedResumed, nil, func(id string) error { return s.Notices.Resume(c.Request().Context(), c.Member, id) })
}

// withChannel runs one act and shows the channel again.
func (s *Pages) withChannel(c edge.Call, what edge.Deed, d *notices.Draft, act func(id string) error) error {
	id, err := channelID(c)
	if err != nil {
		return err
	}
	if err = c.Awake(); err == nil {
		err = act(id)
	}
	if err != nil {
		return s.channelRefused(c, err, func(status int, f *fault.Error) error {
			return s.showChannel(c, status, channelForm{fault: f, draft: d})
		})
	}
	s.Did(c, what)
	return edge.GoTo(c, urls.Channel(c.Member.Tenant, id))
}

// rotateChannel answers with the new secret, which is shown this once.
func (s *Pages) rotateChannel(c edge.Call) error {
	id, err := channelID(c)
	if err != nil {
		return err
	}
	l, _, err := s.Notices.Channel(c.Request().Context(), c.Member, id)
	if err != nil {
		return err
	}
	once := ""
	if err = c.Awake(); err == nil {
		once, err = s.Notices.Rotate(c.Request().Context(), c.Member, id)
	}
	if err != nil {
		return s.channelRefused(c, err, func(status int, f *fault.Error) error { return s.showChannel(c, status, channelForm{fault: f}) })
	}
	return s.shownOnce(c, id, l.Name, once)
}

// deleteChannel takes the box as a yes.
func (s *Pages) deleteChannel(c edge.Call) error {
	id, err := channelID(c)
	if err != nil {
		return err
	}
	if err = c.Awake(); err == nil && c.Field("sure") == "" {
		err = fault.Member(fault.InvalidForm, "sure", "check the box to delete the channel")
	}
	if err == nil {
		err = s.Notices.Remove(c.Request().Context(), c.Member, id)
	}
	if err != nil {
		return s.channelRefused(c, err, func(status int, f *fault.Error) error { return s.showChannel(c, status, channelForm{fault: f}) })
	}
	s.Did(c, edge.DeedRemoved)
	return edge.GoTo(c, urls.Notices(c.Member.Tenant))
}
