package policyui

import (
	"strings"

	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// The fields of the judgement: the preset, a choice for each cell of the table of floors,
// and what money, recipients and environments are measured by.

// judgementColumn is a column of the table of floors.
type judgementColumn struct {
	name  string
	words texts.Key
	of    func(*effects.Cells) *level.Level
}

var judgementColumns = []judgementColumn{
	{"nonproduction", texts.Key("Non-production"), func(c *effects.Cells) *level.Level { return &c.Nonproduction }},
	{"one", texts.Key("One"), func(c *effects.Cells) *level.Level { return &c.One }},
	{"several", texts.Key("Several"), func(c *effects.Cells) *level.Level { return &c.Several }},
	{"all", texts.Key("All"), func(c *effects.Cells) *level.Level { return &c.All }},
}

var judgementRows = map[effects.Row]texts.Key{
	effects.RowRead: texts.Key("reads"), effects.RowReadSensitive: texts.Key("reads sensitive data"), effects.RowWrite: texts.Key("changes"),
	effects.RowMessageInside: texts.Key("messages inside"), effects.RowMessageOutside: texts.Key("messages outside"), effects.RowMessagePublic: texts.Key("publishes"),
	effects.RowDelete: texts.Key("deletes"), effects.RowMoney: texts.Key("moves money"), effects.RowPermission: texts.Key("changes access or security"),
	effects.RowExecute: texts.Key("runs what can't be read"), effects.RowUnknown: texts.Key("unknown"),
}

// presetsCell is what a cell says that is the preset's. It is not empty, so that a form
// without the field is refused and takes no floor away.
const presetsCell = "preset"

func cellName(row effects.Row, column string) string {
	return "judgement.floors." + string(row) + "." + column
}

func judgementSettings(say texts.Printer) []setting {
	type policy = scoring.Policy
	all := []setting{
		choiceSetting(say, "judgement.preset", say.Say("Floors"), func(p *policy) *effects.Preset { return &p.Judgement.Preset }, []views.Choice{
			{Value: string(effects.Balanced), Label: say.Say("Balanced"), Hint: say.Say("Anything not known to be safe is held. Reads are approved automatically unless something raises them (see below).")},
			{Value: string(effects.Strict), Label: say.Say("Strict"), Hint: say.Say("One level higher for everything except reads.")},
			{Value: string(effects.Published), Label: say.Say("Published"), Hint: say.Say("No floors: the three models alone set the level. Anything they don't recognise is LOW.")},
		}),
	}
	for _, row := range effects.Rows() {
		for _, c := range judgementColumns {
			all = append(all, cellSetting(say, row, c))
		}
	}
	all = append(all,
		realSetting(say, "judgement.small_amount", say.Say("Small amount"), say.Say("Amounts up to this are MEDIUM, above it HIGH."), "0", "1e15", "any", func(p *policy) *float64 { return &p.Judgement.SmallAmount }),
		realSetting(say, "judgement.large_amount", say.Say("Large amount"), say.Say("Amounts above this are CRITICAL."), "0", "1e15", "any", func(p *policy) *float64 { return &p.Judgement.LargeAmount }),
		lineSetting("judgement.currency", say.Say("Currency"), say.Say("Currency of the amounts"), say.Say("For both amounts and for calls that don't name one. Three letters. Other currencies are at least HIGH."), func(p *policy) *string { return &p.Judgement.Currency }),
		linesSetting("judgement.own_domains", say.Say("Your domains"), say.Say("One per line, such as example.com. Recipients at other domains count as external; if you list none, everyone does."), func(p *policy) *[]string { return &p.Judgement.OwnDomains }),
		linesSetting("judgement.nonproduction", say.Say("Your non-production names"), say.Say("One per line. Dev, test, staging, sandbox and local are built in. Applies to agents bound to one of them."), func(p *policy) *[]string { return &p.Judgement.Nonproduction }),
		wholeSetting(say, "judgement.remember_denials_hours", say.Say("Remember denials for"), say.Say("hours"), say.Say("How long a denied or blocked call keeps similar calls held."), 0, 720, func(p *policy) *int { return &p.Judgement.RememberDenialsHours }),
	)
	for i, get := range all { // of policies from before there were floors, too
		all[i].get = func(p scoring.Policy) string {
			p.Judgement = p.JudgedBy()
			return get.get(p)
		}
	}
	return all
}

// cellSetting is one cell of the table of floors.
func cellSetting(say texts.Printer, row effects.Row, c judgementColumn) setting {
	name := cellName(row, c.name)
	words := say.Say("Floor where it %s: %s", say.Key(judgementRows[row]), say.Key(c.words))
	options := []views.Choice{{Value: presetsCell, Label: say.Say("same as preset")}}
	for _, l := range level.All() {
		options = append(options, views.Choice{Value: l.String(), Label: present.LevelWord(say, l)})
	}
	return setting{
		name: name, label: words, words: words, options: options,
		get: func(p scoring.Policy) string {
			cells := p.Judgement.Floors[row]
			if l := *c.of(&cells); l != level.Safe {
				return l.String()
			}
			return presetsCell
		},
		set: func(p *scoring.Policy, text string) string {
			l, err := level.Parse(text)
			if text == presetsCell {
				l, err = level.Safe, nil
			} else if l == level.Safe {
				return say.Say("one of the options")
			}
			if err != nil {
				return say.Say("one of the options")
			}
			floors := map[effects.Row]effects.Cells{}
			for r, cells := range p.Judgement.Floors { // the version's own is not to change
				floors[r] = cells
			}
			cells := floors[row]
			*c.of(&cells) = l
			floors[row] = cells
			p.Judgement.Floors = floors
			return ""
		},
	}
}

// linesSetting is a list of names, one a line.
func linesSetting(name, words, hint string, at func(*scoring.Policy) *[]string) setting {
	return setting{
		name: name, label: words, words: words, hint: hint,
		get: func(p scoring.Policy) string { return strings.Join(*at(&p), "\n") },
		set: func(p *scoring.Policy, text string) string {
			var all []string
			for line := range strings.Lines(text) {
				if line = strings.TrimSpace(line); line != "" {
					all = append(all, line)
				}
			}
			*at(p) = all
			return ""
		},
	}
}
