package settingsui

import (
	"context"
	"net/http"
	"strconv"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
)

// When people are called themselves: Account › Notices, for each organisation apart.

const ownPath = "/t/:tenant/account/notices"

func (s *Pages) ownNoticesPage(c edge.Call) error {
	return s.showOwnNotices(c, http.StatusOK, nil, nil)
}

func (s *Pages) showOwnNotices(c edge.Call, status int, typed *notices.Own, f *fault.Error) error {
	o, err := s.Notices.OwnNotices(c.Request().Context(), c.Member)
	if err != nil {
		return err
	}
	page := ownNoticesOf(c.Say, c.Member, o, typed, f)
	if page.Away, err = s.awayOf(c, urls.OwnNotices(c.Member.Tenant), c.Member.Person, wrongAt(c.Say, f)); err != nil {
		return err
	}
	around := s.Page(c, page.Title, views.PlaceNone)
	around.Assets.Scripts = append(around.Assets.Scripts, s.Assets.Push()...)
	return edge.Show(c, status, settings.OwnNoticesPage(around, page))
}

func (s *Pages) saveOwnNotices(c edge.Call) error {
	form := c.Request().PostForm
	o := notices.Own{Levels: form["levels"], Agents: form["agents"], Quiet: readHours(c, "quiet_"), Version: planVersion(c)}
	err := c.Awake()
	if err == nil {
		err = s.Notices.SetOwn(c.Request().Context(), c.Member, o)
	}
	if err != nil {
		return refused(c, err, func(status int, f *fault.Error) error { return s.showOwnNotices(c, status, &o, f) })
	}
	s.Did(c, edge.DeedSaved)
	return edge.GoTo(c, urls.OwnNotices(c.Member.Tenant))
}

// ownDid is an act on a person's own channels.
func (s *Pages) ownDid(c edge.Call, what edge.Deed, act func() error) error {
	err := c.Awake()
	if err == nil {
		err = act()
	}
	if err != nil {
		return refused(c, err, func(status int, f *fault.Error) error { return s.showOwnNotices(c, status, nil, f) })
	}
	s.Did(c, what)
	return edge.GoTo(c, urls.OwnNotices(c.Member.Tenant))
}

func (s *Pages) addOwn(c edge.Call) error {
	return s.ownDid(c, edge.DeedSaved, func() error { return s.Notices.AddOwn(c.Request().Context(), c.Member) })
}

// ownAct is what a button of a channel does.
func (s *Pages) ownAct(what edge.Deed, act func(ctx context.Context, m auth.Member, id string) error) func(edge.Call) error {
	return func(c edge.Call) error {
		id := c.Param("channel")
		if !auth.IsID("chn", id) {
			return fault.New(fault.Missing, "you have no channel with this id in this organisation")
		}
		return s.ownDid(c, what, func() error { return act(c.Request().Context(), c.Member, id) })
	}
}

func version(v int64) views.Hidden {
	return views.Hidden{Name: "version", Value: strconv.FormatInt(v, 10)}
}
