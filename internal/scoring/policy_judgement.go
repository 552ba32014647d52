package scoring

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/level"
)

// What a policy says of effects (effects.Settings): what is accepted, what it means, and
// when it is weaker.

const (
	maxAmount           = 1e15
	maxRememberHours    = 720
	maxOwnDomains       = 100
	maxDomainBytes      = 253
	maxNonproduction    = 50
	maxEnvironmentBytes = 64
)

var (
	isCurrency    = regexp.MustCompile(`^[A-Z]{3}$`).MatchString
	isDomain      = regexp.MustCompile(`^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$`).MatchString
	isEnvironment = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$`).MatchString
)

// EnvironmentName reports whether an agent may be bound to an environment of this name.
func EnvironmentName(name string) bool { return isEnvironment(name) }

// judgementOf are the settings in the one form in which they are kept. All of them zero,
// as in policies from before there were any, is the preset published.
func judgementOf(s effects.Settings) effects.Settings {
	if s.Preset == "" {
		d := effects.Default()
		s.Preset = effects.Published
		if s.Currency == "" {
			s.Currency, s.SmallAmount, s.LargeAmount = d.Currency, d.SmallAmount, d.LargeAmount
		}
	}
	s.OwnDomains, s.Nonproduction = orNil(s.OwnDomains), orNil(s.Nonproduction)
	floors := map[effects.Row]effects.Cells{}
	for row, cells := range s.Floors {
		if cells != (effects.Cells{}) {
			floors[row] = cells
		}
	}
	if s.Floors = floors; len(floors) == 0 {
		s.Floors = nil
	}
	return s
}

// JudgedBy is Judgement in the one form in which it is kept.
func (p Policy) JudgedBy() effects.Settings { return judgementOf(p.Judgement) }

func checkJudgement(s effects.Settings, found *problems) {
	const at = "/judgement"
	found.oneOf(at+"/preset", string(s.Preset), wordsOf(effects.Presets()...)...)
	for row, cells := range s.Floors {
		if !slices.Contains(effects.Rows(), row) {
			found.add(at+"/floors/"+canon.PointerEscape(string(row)), "isn't an effect that has floors; expected %s", strings.Join(wordsOf(effects.Rows()...), ", "))
		}
		for _, c := range columns {
			if l := *c.of(&cells); l > level.Critical {
				found.add(at+"/floors/"+string(row)+"/"+c.name, "is %v; expected one of LOW, MEDIUM, HIGH, CRITICAL", l)
			}
		}
	}
	if !(s.SmallAmount >= 0 && s.SmallAmount <= maxAmount) {
		found.add(at+"/small_amount", "is %v; expected a number from 0 to 10^15", s.SmallAmount)
	}
	switch {
	case !(s.LargeAmount >= 0 && s.LargeAmount <= maxAmount):
		found.add(at+"/large_amount", "is %v; expected a number from 0 to 10^15", s.LargeAmount)
	case s.LargeAmount < s.SmallAmount:
		found.add(at+"/large_amount", "is %v, less than small_amount; expected a number of %v or more", s.LargeAmount, s.SmallAmount)
	}
	if !isCurrency(s.Currency) {
		found.add(at+"/currency", "is %q; expected an ISO 4217 code of three capital letters, such as EUR", told(s.Currency))
	}
	found.list(at+"/own_domains", s.OwnDomains, maxOwnDomains, func(d string) (fault.Text, bool) {
		return fault.Textf("a lowercase domain such as example.com, of at most %d bytes and without wildcards", maxDomainBytes), len(d) <= maxDomainBytes && isDomain(d)
	})
	found.list(at+"/nonproduction", s.Nonproduction, maxNonproduction, func(name string) (fault.Text, bool) {
		return fault.Textf("a name of lowercase letters, digits and . _ - of at most %d bytes that doesn't mean production", maxEnvironmentBytes), isEnvironment(name) && !facts.IsProduction(name)
	})
	found.orNone(at+"/remember_denials_hours", s.RememberDenialsHours, maxRememberHours, fault.Textf("hours"))
}

// list holds each element of a list of names against what is accepted.
func (p *problems) list(member string, list []string, most int, accepts func(string) (fault.Text, bool)) {
	if len(list) > most {
		p.add(member, "has %d entries; at most %d are accepted", len(list), most)
		return
	}
	for i, one := range list {
		at := fmt.Sprintf("%s/%d", member, i)
		switch accepted, ok := accepts(one); {
		case !ok:
			p.add(at, "is %q; expected %s", told(one), accepted)
		case slices.Contains(list[:i], one):
			p.add(at, "appears twice; expected once")
		}
	}
}

func judgementLimits() map[string]limits {
	amount := func(about string) limits { return limits{about: about, high: maxAmount} }
	all := map[string]limits{
		"/judgement":                        {about: "at which level each effect is held at least; see docs/policy.md"},
		"/judgement/preset":                 {about: "balanced, strict, or published: no floors at all", words: wordsOf(effects.Presets()...)},
		"/judgement/floors":                 {about: "cells in place of the preset's"},
		"/judgement/small_amount":           amount("money up to here is MEDIUM, above HIGH"),
		"/judgement/large_amount":           amount("money above is CRITICAL; at least small_amount"),
		"/judgement/currency":               {about: "of both amounts, and of a call that names none; ISO 4217", fewest: 3, most: 3},
		"/judgement/own_domains":            {about: "recipients there are inside; without any, every recipient is outside", most: maxOwnDomains, unique: true},
		"/judgement/own_domains/*":          {fewest: 3, most: maxDomainBytes},
		"/judgement/nonproduction":          {about: "names of non-production environments, in addition to dev, test, staging, sandbox and local", most: maxNonproduction, unique: true},
		"/judgement/nonproduction/*":        {fewest: 1, most: maxEnvironmentBytes},
		"/judgement/remember_denials_hours": {about: "hours for which a denied or blocked call keeps similar calls held; 0 turns it off", high: maxRememberHours},
	}
	for _, row := range effects.Rows() {
		for _, c := range columns {
			all["/judgement/floors/"+string(row)+"/"+c.name] = limits{words: levelWords()[1:]}
		}
	}
	return all
}

// columns are those of the table of floors.
var columns = []struct {
	name          string
	of            func(*effects.Cells) *level.Level
	breadth       effects.Breadth
	nonproduction bool
}{
	{"nonproduction", func(c *effects.Cells) *level.Level { return &c.Nonproduction }, effects.One, true},
	{"one", func(c *effects.Cells) *level.Level { return &c.One }, effects.One, false},
	{"several", func(c *effects.Cells) *level.Level { return &c.Several }, effects.Several, false},
	{"all", func(c *effects.Cells) *level.Level { return &c.All }, effects.All, false},
}

// judgement compares cell by cell what counts in the end: the preset's cells with the
// policy's own in their place. A cell that the policy has of its own is told as itself,
// all others are the preset's.
func (c *comparison) judgement() {
	const at = "/judgement"
	old, new := c.old.Judgement, c.new.Judgement
	preset := tightens
	if new.Floored() && !old.Floored() {
		preset = weakens // reads are let through whatever their score is
	}
	var own []func()
	for _, row := range effects.Rows() {
		for _, col := range columns {
			e := floorEffect(old, new, row, col.breadth, col.nonproduction)
			was, is := old.Floors[row], new.Floors[row]
			a, b := *col.of(&was), *col.of(&is)
			if a == b {
				preset = max(preset, e)
				continue
			}
			own = append(own, func() { c.differ(at+"/floors/"+string(row)+"/"+col.name, absent(a), absent(b), e) })
		}
	}
	c.differ(at+"/preset", old.Preset, new.Preset, preset)
	for _, tell := range own {
		tell()
	}
	c.differ(at+"/small_amount", old.SmallAmount, new.SmallAmount, lower(old.SmallAmount, new.SmallAmount, raises))
	c.differ(at+"/large_amount", old.LargeAmount, new.LargeAmount, lower(old.LargeAmount, new.LargeAmount, raises))
	c.differ(at+"/currency", old.Currency, new.Currency, weakens)
	c.names(at+"/own_domains/", old.OwnDomains, new.OwnDomains)
	c.names(at+"/nonproduction/", old.Nonproduction, new.Nonproduction)
	c.differ(at+"/remember_denials_hours", old.RememberDenialsHours, new.RememberDenialsHours, higher(old.RememberDenialsHours, new.RememberDenialsHours, raises))
}

// floorEffect compares one cell; that of money with each size of amount, whatever is
// small and large.
func floorEffect(old, new effects.Settings, row effects.Row, breadth effects.Breadth, nonproduction bool) effect {
	e := tightens
	for _, one := range effectsOf(row, breadth) {
		e = max(e, higher(sized(old, one, nonproduction), sized(new, one, nonproduction), raises).but(sized(old, one, nonproduction) == sized(new, one, nonproduction)))
	}
	return e
}

func sized(s effects.Settings, e effects.Effect, nonproduction bool) level.Level {
	s.SmallAmount, s.LargeAmount, s.Currency = 1, 2, "EUR"
	return s.Floor([]effects.Effect{e}, nonproduction).Level
}

// effectsOf are effects that stand in a row of the table.
func effectsOf(row effects.Row, breadth effects.Breadth) []effects.Effect {
	e := effects.Effect{Kind: effects.Kind(row), Breadth: breadth}
	switch row {
	case effects.RowReadSensitive:
		e.Kind, e.Sensitive = effects.Read, true
	case effects.RowMessageInside:
		e.Kind, e.Audience = effects.Message, effects.Inside
	case effects.RowMessageOutside:
		e.Kind, e.Audience = effects.Message, effects.Outside
	case effects.RowMessagePublic:
		e.Kind, e.Audience = effects.Message, effects.Public
	case effects.RowMoney:
		all := []effects.Effect{e}
		for _, value := range []float64{1, 2, math.MaxFloat64} {
			e.Amount = &effects.Amount{Value: value, Currency: "EUR"}
			all = append(all, e)
		}
		return all
	default:
	}
	return []effects.Effect{e}
}

// names compares lists of names of which each can lower something.
func (c *comparison) names(at string, old, new []string) {
	for _, name := range union(old, new) {
		named := func(list []string) any {
			if slices.Contains(list, name) {
				return name
			}
			return nil
		}
		e := raises
		if slices.Contains(new, name) {
			e = weakens
		}
		c.differ(at+canon.PointerEscape(name), named(old), named(new), e)
	}
}
