package console

import (
	"net/http"
	"strconv"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// What stands behind Ctrl+K and ?: the way to everything, and what it means.

// helpPage explains keys, levels and numbers with this tenant's own settings.
func (s *Console) helpPage(c edge.Call) error {
	v, err := s.Tenants.PolicyOf(c.Request().Context(), c.Member.Tenant)
	if err != nil {
		return err
	}
	h := views.Help{Levels: helpLevels(c.Say, v.Policy), Bands: present.BandsOf(c.Say, -1)}
	if c.Member.May(auth.ReadPolicy) {
		h.Policy = "/t/" + c.Member.Tenant + "/settings/" + urls.PlacePolicy
	}
	if h.Handbook, err = edge.HandbookLinks(c.Member.Tenant); err != nil {
		return err
	}
	return edge.Show(c, http.StatusOK, views.HelpPage(s.Page(c, c.Say.Say("Help"), views.PlaceNone), h))
}

func helpLevels(say texts.Printer, p scoring.Policy) []views.HelpLevel {
	var all []views.HelpLevel
	for _, l := range []struct {
		level level.Level
		from  float64
	}{{level.Low, 0}, {level.Medium, p.Thresholds.Medium}, {level.High, p.Thresholds.High}, {level.Critical, p.Thresholds.Critical}} {
		row := views.HelpLevel{
			Level: present.LevelOf(l.level), From: strconv.FormatFloat(l.from, 'f', 3, 64), Asks: say.Key(request.ChallengeWords[p.Challenges.At(l.level)]),
		}
		switch p.Challenges.At(l.level) {
		case scoring.ChallengeNone:
			row.Asks = say.Say("nothing: it runs and is recorded")
			all = append(all, row)
			continue
		case scoring.ChallengeDeny:
			row.Asks = say.Say("no one can: it's blocked")
			all = append(all, row)
			continue
		case scoring.ChallengeQuiz:
			row.Asks = say.Say("three questions; where the request says too little for them, type the target")
		}
		row.People = strconv.Itoa(p.ApprovalsRequired.At(l.level))
		if n := p.MinReviewSeconds.At(l.level); n > 0 {
			row.Read = say.Say("%d s", n)
		}
		waits := p.ExpirySeconds
		if limit := p.ExpirySecondsByLevel.At(l.level); limit > 0 {
			waits = min(waits, limit)
		}
		waits = min(waits, p.LongestExpirySeconds)
		row.Waits = present.Duration(say, time.Duration(waits)*time.Second)
		all = append(all, row)
	}
	return all
}
