package effects

import (
	"slices"
	"time"

	"github.com/countersign/countersign/internal/scoring/level"
)

// Settings are a policy's judgement: at which level each effect is held at least. The
// zero value is the preset published, which policies have that were stored before there
// were effects.
type Settings struct {
	Preset Preset `json:"preset" yaml:"preset"`
	// Floors are cells that differ from those of the preset.
	Floors map[Row]Cells `json:"floors,omitempty" yaml:"floors,omitempty"`
	// SmallAmount is up to which sum money is MEDIUM; above it is HIGH.
	SmallAmount float64 `json:"small_amount" yaml:"small_amount"`
	// LargeAmount is above which sum it is CRITICAL.
	LargeAmount float64 `json:"large_amount" yaml:"large_amount"`
	// Currency is that of both, and of a call that names none; ISO 4217.
	Currency string `json:"currency" yaml:"currency"`
	// OwnDomains are those of the organisation's people. Without any, every recipient
	// is outside.
	OwnDomains []string `json:"own_domains,omitempty" yaml:"own_domains,omitempty"`
	// Nonproduction are names of environments of the organisation's own that count as
	// non-production, beside dev, test, staging, sandbox and local.
	Nonproduction []string `json:"nonproduction,omitempty" yaml:"nonproduction,omitempty"`
	// RememberDenialsHours is for how long what was denied or blocked holds its like.
	RememberDenialsHours int `json:"remember_denials_hours" yaml:"remember_denials_hours"`
}

// Preset names a table of floors.
type Preset string

const (
	Balanced  Preset = "balanced"  // of new organisations, and of files that do not say
	Strict    Preset = "strict"    // one level more for everything but plain reads
	Published Preset = "published" // none: the level is that of the models alone
)

// Presets lists them.
func Presets() []Preset { return []Preset{Balanced, Strict, Published} }

// Default is what a new organisation has.
func Default() Settings {
	return Settings{Preset: Balanced, SmallAmount: 100, LargeAmount: 10_000, Currency: "EUR", RememberDenialsHours: 24}
}

// Floored reports whether effects have floors at all.
func (s Settings) Floored() bool { return s.Preset == Balanced || s.Preset == Strict }

// Remembers is for how long what was denied or blocked holds its like; 0: it does not.
func (s Settings) Remembers() time.Duration {
	if !s.Floored() {
		return 0
	}
	return time.Duration(s.RememberDenialsHours) * time.Hour
}

// Row is an effect as the table of floors knows it.
type Row string

const (
	RowRead           Row = "read"
	RowReadSensitive  Row = "read_sensitive"
	RowWrite          Row = "write"
	RowMessageInside  Row = "message_inside"
	RowMessageOutside Row = "message_outside"
	RowMessagePublic  Row = "message_public"
	RowDelete         Row = "delete"
	RowMoney          Row = "money"
	RowPermission     Row = "permission"
	RowExecute        Row = "execute"
	RowUnknown        Row = "unknown"
)

// Rows lists them in the order in which the console draws them.
func Rows() []Row {
	return []Row{
		RowRead, RowReadSensitive, RowWrite, RowMessageInside, RowMessageOutside, RowMessagePublic,
		RowDelete, RowMoney, RowPermission, RowExecute, RowUnknown,
	}
}

// Row is the row of the table in which an effect stands.
func (e Effect) Row() Row {
	switch {
	case e.Kind == Read && e.Sensitive:
		return RowReadSensitive
	case e.Kind == Message && e.Audience == Inside:
		return RowMessageInside
	case e.Kind == Message && e.Audience == Public:
		return RowMessagePublic
	case e.Kind == Message:
		return RowMessageOutside
	case !e.Kind.Valid():
		return RowUnknown
	}
	return Row(e.Kind)
}

// Cells are the floors of a row. SAFE in Settings.Floors is the preset's own.
type Cells struct {
	// Nonproduction counts where an admin bound the agent to such an environment.
	Nonproduction level.Level `json:"nonproduction,omitempty" yaml:"nonproduction,omitempty"`
	One           level.Level `json:"one,omitempty" yaml:"one,omitempty"`
	Several       level.Level `json:"several,omitempty" yaml:"several,omitempty"`
	All           level.Level `json:"all,omitempty" yaml:"all,omitempty"`
}

const (
	low, medium, high, critical = level.Low, level.Medium, level.High, level.Critical
)

// balanced is the table of docs/policy.md. That of money says what holds where
// a call names no amount.
var balanced = map[Row]Cells{
	RowRead:           {low, low, low, low},
	RowReadSensitive:  {medium, medium, high, high},
	RowWrite:          {low, medium, medium, high},
	RowMessageInside:  {low, medium, medium, high},
	RowMessageOutside: {medium, medium, high, high},
	RowMessagePublic:  {high, high, high, high},
	RowDelete:         {medium, high, high, critical},
	RowMoney:          {medium, high, critical, critical},
	RowPermission:     {medium, high, high, critical},
	RowExecute:        {high, high, high, high},
	RowUnknown:        {medium, medium, medium, high},
}

// Cells are the floors of a row as they count: the preset's, with the policy's own in
// their place.
func (s Settings) Cells(r Row) Cells {
	c := s.presetCells(r)
	own := s.Floors[r]
	for _, cell := range []struct{ to, own *level.Level }{
		{&c.Nonproduction, &own.Nonproduction}, {&c.One, &own.One}, {&c.Several, &own.Several}, {&c.All, &own.All},
	} {
		if *cell.own != level.Safe {
			*cell.to = *cell.own
		}
	}
	return c
}

func (s Settings) presetCells(r Row) Cells {
	switch s.Preset {
	case Balanced:
		return balanced[r]
	case Strict:
		c := balanced[r]
		if r == RowRead {
			return c
		}
		return Cells{stricter(c.Nonproduction), stricter(c.One), stricter(c.Several), stricter(c.All)}
	default:
		return Cells{low, low, low, low}
	}
}

func stricter(l level.Level) level.Level { return min(l+1, critical) }

// IsNonproduction reports whether the environment that an admin bound an agent to is
// none in which anything matters.
func (s Settings) IsNonproduction(environment string) bool {
	return says("nonproduction", environment) ||
		environment != "" && slices.Contains(s.Nonproduction, environment)
}
