package present

import (
	"fmt"
	"math"
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
	"github.com/countersign/countersign/internal/tenants"
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

// months are the names in which a time is told.
var months = [...]texts.Key{
	"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
}

var shortMonths = [...]texts.Key{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}

// InWords is a time in a form, a layout of package time: each language has its own
// layouts and its own months.
func InWords(say texts.Printer, form texts.Key, t time.Time) string {
	if say == (texts.Printer{}) {
		return t.Format(string(form)) // package time speaks English
	}
	layout, month := say.Key(form), months[t.Month()-1]
	before, after, ok := strings.Cut(layout, "January")
	if !ok {
		before, after, ok = strings.Cut(layout, "Jan")
		month = shortMonths[t.Month()-1]
	}
	if !ok {
		return t.Format(layout)
	}
	return t.Format(before) + say.Key(month) + t.Format(after)
}

// SayAt is a text of ours with the times among its arguments told in a form. The page shows
// them by the reader's clock.
func SayAt(say texts.Printer, form, key texts.Key, args ...any) (all []views.Run) {
	var times []time.Time
	for i, arg := range args {
		if t, ok := arg.(time.Time); ok {
			args[i], times = InWords(say, form, t), append(times, t)
		}
	}
	rest := say.Key(key, args...)
	for _, t := range times {
		said := InWords(say, form, t)
		if before, after, ok := strings.Cut(rest, said); ok {
			all, rest = append(append(all, untrusted.Runs(before)...), views.Run{Text: said, At: t.UTC().Format(IsoForm)}), after
		}
	}
	return append(all, untrusted.Runs(rest)...)
}

// WithMoments shows the times of a text, of which all are the runs, by the reader's clock.
func WithMoments(say texts.Printer, all []views.Run, text fault.Text) (told []views.Run) {
	moments := text.Moments()
	for _, r := range all {
		for len(moments) > 0 && r.Kind == views.RunText {
			before, after, ok := strings.Cut(r.Text, moments[0].String())
			if !ok {
				break
			}
			told = append(append(told, untrusted.Runs(before)...), TimeRuns(say, DateForm, moments[0].Time)...)
			r.Text, moments = after, moments[1:]
		}
		if r.Text != "" {
			told = append(told, r)
		}
	}
	return told
}

// TimeRuns is a time by itself.
func TimeRuns(say texts.Printer, form texts.Key, t time.Time) []views.Run {
	return []views.Run{{Text: InWords(say, form, t), At: t.UTC().Format(IsoForm)}}
}

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

// Sentence makes a sentence of a fault's detail, which begins in lower case.
func Sentence(detail string) string {
	r, size := utf8.DecodeRuneInString(detail)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + detail[size:]
}

// InDays is from when on a time is told in days.
const InDays = 48 * time.Hour

// Duration is "4:07" or "1:04:07", rounded up: at 0:00 it is over. From two days on it is "12 days".
func Duration(say texts.Printer, d time.Duration) string {
	s := int64(math.Ceil(max(d, 0).Seconds()))
	switch {
	case d >= InDays:
		return say.Say("%d days", s/86_400)
	case s < 3600:
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// TimeLeft is the ring and the time beside it; nothing once it is decided.
func TimeLeft(say texts.Printer, a approvals.Approval, now time.Time) views.TimeLeft {
	if a.Status.Final() {
		return views.TimeLeft{}
	}
	return TimeBetween(say, a.CreatedAt, a.ExpiresAt, now)
}

// TimeBetween is the same of what waits.
func TimeBetween(say texts.Printer, created, expires, now time.Time) views.TimeLeft {
	left, whole := max(expires.Sub(now), 0), expires.Sub(created)
	t := views.TimeLeft{
		Expires: expires.Format(IsoForm), Start: created.Format(IsoForm), Text: Duration(say, left),
		Soon: left < 2*time.Minute || left*5 < whole && left < InDays,
	}
	if whole > 0 {
		t.Percent = int(min(left*100/whole, 100))
	}
	return t
}

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
		"Ends what runs", "Ends what runs for good", "Moves", "Moves for good", "Deletes changes", "Deletes changes for good", "Grants access", "Takes access away", "Changes who is assigned", "Puts back an earlier state", "Ends or cancels it", "Ends or cancels it for good", "Opens what was locked", "Runs it again", "Sends data to an address", "Changes access or security",
		"Moves money", "Moves or promises money", "Hands it over", "Publishes to everyone", "Sends to people outside", "Sends to people inside", "Sends to people",
		"Archives", "Changes the status", "Creates or changes", "Creates, and may tell people", "Makes it public", "May send a secret out", "May switch it off", "May switch it on",
		"Moves to the trash", "Resets", "Sends a request", "Sends to subscribers", "Switches off a control",
		"Runs code that isn't understood", "Creates", "Changes", "Changes, and deletes", "Changes a price or limit", "Changes where money goes", "Moves money without a control", "Runs code that sends data", "Creates it without a control", "Deletes, and makes it public", "Deletes, and changes access", "Deletes, and sends data", "Not known what it does",
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

// VerdictWords say how an approval ended.
var VerdictWords = map[approvals.Status]texts.Key{
	approvals.Approved: texts.Key("Approved"), approvals.Blocked: texts.Key("Blocked"), approvals.Denied: texts.Key("Denied"),
	approvals.ChangesRequested: texts.Key("Changes requested"), approvals.Expired: texts.Key("Expired"), approvals.Cancelled: texts.Key("Cancelled"),
	approvals.Pending: texts.Key("Waiting"),
}

// VerdictBy are the same with who decided.
var VerdictBy = map[approvals.Status]texts.Key{
	approvals.Approved: texts.Key("Approved by %s"), approvals.Blocked: texts.Key("Blocked by %s"), approvals.Denied: texts.Key("Denied by %s"),
	approvals.ChangesRequested: texts.Key("Changes requested by %s"), approvals.Expired: texts.Key("Expired by %s"), approvals.Cancelled: texts.Key("Cancelled by %s"),
	approvals.Pending: texts.Key("Waiting for %s"),
}

// EndWords are the same within a sentence, and endWordsBy with who decided.
var EndWords = map[approvals.Status]texts.Key{
	approvals.Approved: texts.Key("approved"), approvals.Blocked: texts.Key("blocked"), approvals.Denied: texts.Key("denied"),
	approvals.ChangesRequested: texts.Key("changes requested"), approvals.Expired: texts.Key("expired"), approvals.Cancelled: texts.Key("cancelled"),
	approvals.Pending: texts.Key("waiting"),
}

var endWordsBy = map[approvals.Status]texts.Key{
	approvals.Approved: texts.Key("approved by %s"), approvals.Blocked: texts.Key("blocked by %s"), approvals.Denied: texts.Key("denied by %s"),
	approvals.ChangesRequested: texts.Key("changes requested by %s"), approvals.Expired: texts.Key("expired by %s"), approvals.Cancelled: texts.Key("cancelled by %s"),
	approvals.Pending: texts.Key("waiting for %s"),
}

// EndedBy says within a sentence how an approval ended, and by whom.
func EndedBy(say texts.Printer, a approvals.Approval) string {
	if a.Decision == nil {
		return say.Key(EndWords[a.Status])
	}
	if a.Void() {
		return say.Say("approved by %s, now void", DecidedBy(say, a))
	}
	return say.Key(endWordsBy[a.Status], DecidedBy(say, a))
}

// VerdictOf says how an approval ended. A yes that became void before it was used is none any more;
// withdrew are the people who withdrew one, by its id.
func VerdictOf(say texts.Printer, a approvals.Approval, withdrew map[string]string) (string, views.Tone) {
	switch {
	case withdrew[a.ID] != "":
		return say.Say("Withdrawn"), views.ToneWarn
	case a.Void():
		return say.Say("Void"), views.ToneWarn
	}
	return say.Key(VerdictWords[a.Status]), VerdictTone(a.Status)
}

func VerdictTone(s approvals.Status) views.Tone {
	switch s {
	case approvals.Approved:
		return views.ToneOK
	case approvals.Denied, approvals.Blocked:
		return views.ToneBad
	case approvals.ChangesRequested, approvals.Expired:
		return views.ToneWarn
	default:
		return views.TonePlain
	}
}

// DecidedBy names who decided: people by name, everything else by what it is.
func DecidedBy(say texts.Printer, a approvals.Approval) string { return Deciders(say, a.Decision) }

func Deciders(say texts.Printer, by *approvals.Decision) string {
	if by == nil {
		return ""
	}
	names := make([]string, 0, len(by.DecidedBy))
	for _, d := range by.DecidedBy {
		switch d.Kind {
		case approvals.ByPolicy:
			if strings.HasPrefix(d.ID, "stg_") {
				names = append(names, say.Say("%s's standing approval", d.StandingOf()))
				continue
			}
			names = append(names, say.Say("the policy"))
		case approvals.ByClock:
			names = append(names, say.Say("System"))
		default:
			names = append(names, d.Name)
		}
	}
	return Listed(say, names)
}

// Listed is "Ada", or "Ada and Ben".
func Listed(say texts.Printer, names []string) string {
	if len(names) == 0 {
		return ""
	}
	all := names[0]
	for _, name := range names[1:] {
		all = say.Say("%s and %s", all, name)
	}
	return all
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

// Moment is a time for a table; empty for none.
func Moment(say texts.Printer, t *time.Time) (text, iso string) {
	if t == nil {
		return "", ""
	}
	return InWords(say, DateForm, *t), t.Format(IsoForm)
}

// LastUse is how long a use is past: known to the minute.
func LastUse(say texts.Printer, t *time.Time, now time.Time) (text, iso string) {
	if t == nil {
		return "", ""
	}
	switch d := now.Sub(*t); {
	case d < 2*tenants.UsageStep:
		text = say.Say("just now")
	case d < time.Hour:
		text = say.Say("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		text = say.Say("%d h ago", int(d.Hours()))
	default:
		text = say.Say("%d days ago", int(d.Hours()/24))
	}
	return text, t.Format(IsoForm)
}

func LongDay(say texts.Printer, day string) string {
	return dayAs(say, day, texts.Key("2 January 2006"))
}

func ShortDay(say texts.Printer, day string) string { return dayAs(say, day, texts.Key("2 Jan")) }

// PolicyDay is where the time of day matters less.
const PolicyDay texts.Key = "2 Jan 2006, 15:04 UTC"

// DayOf is day and time, with the year where it is another one.
func DayOf(say texts.Printer, t, now time.Time) string {
	if t.Year() != now.Year() {
		return InWords(say, texts.Key("2 Jan 2006 15:04:05"), t)
	}
	return InWords(say, dayForm, t)
}

// dayAs writes a day of a report.
func dayAs(say texts.Printer, day string, form texts.Key) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return InWords(say, form, t)
}
