package console

import (
	"context"
	"net/http"
	"strconv"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
)

// When people are called themselves: Account › Notices, for each organisation apart.

const ownPath = "/t/:tenant/account/notices"

func (s *Console) ownNoticesPage(c call) error {
	return s.showOwnNotices(c, http.StatusOK, nil, nil)
}

func (s *Console) showOwnNotices(c call, status int, typed *notices.Own, f *fault.Error) error {
	o, err := s.notices.OwnNotices(c.Request().Context(), c.member)
	if err != nil {
		return err
	}
	page := ownNoticesOf(c.say, c.member, o, typed, f)
	around := s.page(c, page.Title, views.PlaceNone)
	around.Assets.Scripts = append(around.Assets.Scripts, s.assets.Push()...)
	return show(c, status, settings.OwnNoticesPage(around, page))
}

func (s *Console) saveOwnNotices(c call) error {
	form := c.Request().PostForm
	o := notices.Own{Levels: form["levels"], Agents: form["agents"], Quiet: readHours(c, "quiet_"), Version: planVersion(c)}
	err := c.awake()
	if err == nil {
		err = s.notices.SetOwn(c.Request().Context(), c.member, o)
	}
	if err != nil {
		return refused(c, err, func(status int, f *fault.Error) error { return s.showOwnNotices(c, status, &o, f) })
	}
	s.did(c, deedSaved)
	return goTo(c, urls.OwnNotices(c.member.Tenant))
}

// ownDid is an act on a person's own channels.
func (s *Console) ownDid(c call, what deed, act func() error) error {
	err := c.awake()
	if err == nil {
		err = act()
	}
	if err != nil {
		return refused(c, err, func(status int, f *fault.Error) error { return s.showOwnNotices(c, status, nil, f) })
	}
	s.did(c, what)
	return goTo(c, urls.OwnNotices(c.member.Tenant))
}

func (s *Console) addOwn(c call) error {
	return s.ownDid(c, deedSaved, func() error { return s.notices.AddOwn(c.Request().Context(), c.member) })
}

// ownAct is what a button of a channel does.
func (s *Console) ownAct(what deed, act func(ctx context.Context, m auth.Member, id string) error) func(call) error {
	return func(c call) error {
		id := c.Param("channel")
		if !auth.IsID("chn", id) {
			return fault.New(fault.Missing, "you have no channel with this id in this organisation")
		}
		return s.ownDid(c, what, func() error { return act(c.Request().Context(), c.member, id) })
	}
}

func version(v int64) views.Hidden {
	return views.Hidden{Name: "version", Value: strconv.FormatInt(v, 10)}
}
