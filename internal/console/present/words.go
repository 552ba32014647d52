package present

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/fault"
	shown "github.com/countersign/countersign/internal/scoring/headline"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// Domain → view-model. The present files are the only bridge: handlers pass
// domain values in, components get words and marks. Everything here is pure.

// Times are UTC everywhere, because operators and agents sit in many places.
const (
	ClockForm = "15:04:05" // where the place is small and the day is today
	IsoForm   = time.RFC3339Nano

	ClockUTC   texts.Key = "15:04:05 UTC"
	dayForm    texts.Key = "2 Jan 15:04:05"
	MomentForm texts.Key = "2 Jan 15:04:05 UTC"
	FullForm   texts.Key = "2 January 2006, 15:04:05.000000 UTC"
)

// Titled gives a notice a title that says a time.
func Titled(n views.Notice, title []views.Run) views.Notice {
	n.Title, n.Timed = untrusted.Plain(title), title
	return n
}

// LevelOf is the level as the pages draw it. Only the rule scorer says SAFE.
func LevelOf(l level.Level) views.Level {
	switch l {
	case level.Critical:
		return views.LevelCritical
	case level.High:
		return views.LevelHigh
	case level.Medium:
		return views.LevelMedium
	default:
		return views.LevelLow
	}
}

// levelWords are the levels as pages say them.
var levelWords = map[level.Level]texts.Key{
	level.Safe: texts.Key("SAFE"), level.Low: texts.Key("LOW"), level.Medium: texts.Key("MEDIUM"), level.High: texts.Key("HIGH"), level.Critical: texts.Key("CRITICAL"),
}

func LevelWord(say texts.Printer, l level.Level) string { return say.Key(levelWords[l]) }

// LevelNamed is the word of a level that stands in the record by its name.
func LevelNamed(say texts.Printer, name string) string {
	l, err := level.Parse(name)
	if err != nil {
		return name
	}
	return LevelWord(say, l)
}

// PersonOf is somebody as the reader sees them.
func PersonOf(p auth.Person) *views.Person {
	return &views.Person{Name: p.Name, Initials: Initials(p.Name), Email: p.Email}
}

// Initials are the first letters of the first and the last word.
func Initials(name string) string {
	words := strings.Fields(name)
	if len(words) == 0 {
		return "?"
	}
	first, _ := utf8.DecodeRuneInString(words[0])
	if len(words) == 1 {
		return string(unicode.ToUpper(first))
	}
	last, _ := utf8.DecodeRuneInString(words[len(words)-1])
	return string(unicode.ToUpper(first)) + string(unicode.ToUpper(last))
}

// Sentence makes a sentence of a fault's detail, which begins in lower case. What begins with an
// address, a path or an identifier keeps its case.
func Sentence(detail string) string {
	r, size := utf8.DecodeRuneInString(detail)
	word, _, _ := strings.Cut(detail, " ")
	if strings.ContainsAny(strings.TrimRight(word, ".:,"), "@/_.0123456789") || strings.ContainsFunc(word, unicode.IsUpper) || size == 0 {
		return detail
	}
	return string(unicode.ToUpper(r)) + detail[size:]
}

// InDays is from when on a time is told in days.
const InDays = 48 * time.Hour

// maxHeadline is how long a sentence may get, in characters. Its parts are shown
// in full among the facts and arguments.
const maxHeadline = approvals.MaxWords

// Headline shows a sentence on one or two lines.
func Headline(say texts.Printer, s string) []views.Run {
	rest := utf8.RuneCountInString(s) - maxHeadline
	if rest <= 0 {
		return untrusted.Runs(s)
	}
	return beginning(say, Trim(s, maxHeadline), rest)
}

// beginning shows the beginning of a sentence that goes on for rest characters.
func beginning(say texts.Printer, s string, rest int) []views.Run {
	if rest <= 0 {
		return untrusted.Runs(s)
	}
	return append(untrusted.Runs(s), views.Run{Text: " " + say.Say("… and %d more characters", rest)})
}

// Flat is a short untrusted text for a place that takes no runs: what cannot be
// seen is written out in brackets, and behind what looks like something else
// stands which character it is.
func Flat(say texts.Printer, s string) string {
	var b strings.Builder
	for _, r := range Headline(say, s) {
		if r.Kind == views.RunHidden || r.Kind == views.RunFold {
			b.WriteString("[" + r.Shown(say) + "]")
			continue
		}
		b.WriteString(strings.Map(func(c rune) rune {
			if c == '\n' || c == '\t' {
				return ' '
			}
			return c
		}, r.Text))
		if r.Kind == views.RunOdd {
			b.WriteString("[" + r.Code + "]")
		}
	}
	return b.String()
}

// HeadlineOf draws parts of a headline: what a caller chose is set as a value, and what we say as
// text around it.
func HeadlineOf(say texts.Printer, parts []shown.Part) []views.Run {
	var all []views.Run
	for i, p := range parts {
		if i > 0 {
			if joint := shown.Joint(parts[i-1], p); joint != "" {
				all = append(all, views.Run{Text: joint})
			}
		}
		if p.By == shown.Ours {
			all = append(all, views.Run{Text: oursOf(say, p)})
			continue
		}
		for _, r := range untrusted.Runs(p.Text) {
			r.Token = headlineTokens[p.Role]
			if r.Token == views.TokenNone {
				r.Token = views.TokenSaid
			}
			if p.Weight >= shown.Decisive && p.Role != shown.Name {
				r.Token = views.TokenDecisive
			}
			all = append(all, r)
		}
	}
	return untrusted.InEnglish(all)
}

var headlineTokens = map[shown.Role]views.Token{shown.Tool: views.TokenTool, shown.Function: views.TokenFunction, shown.Name: views.TokenArgument}

// oursOf are words of ours in a headline, which are recorded in English, but for a count of what is left out.
func oursOf(say texts.Printer, p shown.Part) string {
	var n int
	if _, err := fmt.Sscanf(strings.ReplaceAll(p.Text, ",", ""), "+%d value", &n); p.Role == shown.More && err == nil {
		return say.Say("+%d values", n)
	}
	return p.Text
}

// consequenceWords are what follows from a call, as the headline says it.
func ConsequenceOf(say texts.Printer, text string, reversible *bool) string {
	switch {
	case reversible == nil || strings.Contains(text, "for good"):
		return say.Key(consequences[text])
	case *reversible:
		return say.Say("%s, can be undone", say.Key(consequences[text]))
	}
	return say.Say("%s, can't be undone", say.Key(consequences[text]))
}

// consequences are the texts of a headline's consequence.
var consequences = func() map[string]texts.Key {
	all := map[string]texts.Key{}
	for _, k := range []texts.Key{
		"Passes content on", "Only reads", "Reads what is sensitive", "Deletes", "Deletes for good", "Deletes all of it", "Deletes all of it for good", "Overwrites", "Overwrites for good",
		"Ends what runs", "Ends what runs for good", "Moves", "Moves for good", "Deletes changes", "Deletes changes for good", "Grants access", "Takes access away", "Puts back an earlier state", "Ends or cancels it", "Ends or cancels it for good", "Opens what was locked", "Runs it again", "Sends data to an address", "Changes access or security", "Changes access or what runs", "Changes what runs by itself",
		"Moves money", "Moves or promises money", "Hands it over", "Publishes to everyone", "Sends to people outside", "Sends to people inside", "Sends to people",
		"Archives", "Creates or changes", "Creates, and may tell people", "Makes it public", "May send a secret out", "May switch it off", "May switch it on",
		"Moves to the trash", "Resets", "Sends a request", "Sends to subscribers", "Switches off a control",
		"Runs code that isn't understood", "Runs what isn't understood", "Creates", "Changes", "Changes, and deletes", "Changes a price or limit", "Changes where money goes", "Runs code that sends data", "Creates it without a control", "Deletes, and changes access", "Deletes, and sends data", "Not known what it does",
		"Reads, and sends data", "Grants access as administrator", "Runs code that may delete", "Disconnects it", "Submits it", "Exports data",
		"Stops it", "Starts it", "Switches it off", "Switches it on", "Opens it", "Closes it", "Cancels it", "Releases it", "Deploys it", "Runs it", "Restarts it", "Merges",
		"Approves it", "Rejects it", "Issues it", "Mutes alerts", "Books it", "Withdraws it", "Overrides it", "Replaces it",
	} {
		all[string(k)] = k
	}
	return all
}()

func LowerFirst(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	if next, _ := utf8.DecodeRuneInString(s[size:]); unicode.IsUpper(next) {
		return s // "DROP"
	}
	return string(unicode.ToLower(r)) + s[size:]
}

// IsProduction makes an environment stand out.
func IsProduction(environment string) bool {
	switch strings.ToLower(environment) {
	case "production", "prod", "prd", "live":
		return true
	}
	return strings.HasPrefix(strings.ToLower(environment), "prod-")
}

// Because is a refusal in the reader's language, as a sentence without its period.
func Because(say texts.Printer, f *fault.Error) string { return Sentence(say.Phrase(f)) }

// IDForm is what an approval's id looks like; anything else is nobody's.
var IDForm = regexp.MustCompile(`^apr_[0-9a-f]{32}$`)

// ApprovalID returns id if it can be one, else "".
func ApprovalID(id string) string {
	if !IDForm.MatchString(id) {
		return ""
	}
	return id
}

// Trim bounds a text that is only echoed.
func Trim(s string, runes int) string {
	for i := range s {
		if runes--; runes < 0 {
			return s[:i]
		}
	}
	return s
}

const DateForm texts.Key = "2 Jan 2006, 15:04 UTC" // for what may be far away
