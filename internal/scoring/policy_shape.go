package scoring

import (
	"maps"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/worktime"
)

// shape is one place of the policy's structure: what the reader, the writer and
// the schema know about it. The members and types are those of the structure
// itself, the limits those that Validate checks.
type shape struct {
	kind    kind
	members []named // of an object, in the order of the structure
	element *shape  // of a list
	limits
}

type named struct {
	name string
	*shape
}

type kind uint8

const (
	isObject kind = iota
	isList
	isHints // an object of any names, whose values are hints
	isValue // of an argument: a scalar, or an object or a list without anything in it
	isText
	isNumber
	isWhole // a number
	isBool
)

func (k kind) String() string {
	return [...]string{"an object", "a list", "an object of hints", "a text, a number, true, false, null, {} or []", "a text", "a number", "a whole number", "true or false"}[k]
}

// limits are what a place accepts beyond its type, and what it means.
type limits struct {
	about    string   // one line for people, with the unit
	words    []string // a text is one of them
	low      float64  // of a number
	above    bool     // low itself is not accepted
	high     float64
	unlimit  bool // a number has no upper bound
	fewest   int  // bytes of a text, elements of a list
	most     int
	unique   bool     // elements of a list
	moment   bool     // a text is a time, which YAML reads as such without quotes
	required []string // members of an object
}

// policyShape is the structure of Policy.
var policyShape = sync.OnceValue(func() *shape { return shapeOf(reflect.TypeFor[Policy](), "") })

func shapeOf(t reflect.Type, at string) *shape {
	s := &shape{limits: policyLimits()[at]}
	switch {
	case t.Kind() == reflect.Pointer:
		return shapeOf(t.Elem(), at)
	case t.Kind() == reflect.Interface:
		s.kind = isValue
	case t == reflect.TypeFor[level.Level]():
		s.kind = isText
	case t.Kind() == reflect.Struct:
		s.kind = isObject
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
			s.members = append(s.members, named{name, shapeOf(t.Field(i).Type, at+"/"+name)})
		}
	case t.Kind() == reflect.Slice:
		s.kind, s.element = isList, shapeOf(t.Elem(), at+"/*")
	case t == reflect.TypeFor[map[effects.Row]effects.Cells]():
		s.kind = isObject
		for _, row := range effects.Rows() {
			s.members = append(s.members, named{string(row), shapeOf(t.Elem(), at+"/"+string(row))})
		}
	case t.Kind() == reflect.Map:
		s.kind = isHints
	case t.Kind() == reflect.String:
		s.kind = isText
	case t.Kind() == reflect.Float64:
		s.kind = isNumber
	case t.Kind() == reflect.Int:
		s.kind = isWhole
	case t.Kind() == reflect.Bool:
		s.kind = isBool
	}
	return s
}

// member finds a member of an object.
func (s *shape) member(name string) *shape {
	for _, m := range s.members {
		if m.name == name {
			return m.shape
		}
	}
	return nil
}

const waitsAbout = "no other admin has accepted yet that it masks: it does, and what it masked can't be approved"

// policyLimits says what each place accepts and means, by its JSON pointer, in
// which * is any element of a list.
func policyLimits() map[string]limits {
	share := func(about string) limits { return limits{about: about, high: 1} }
	threshold := func(about string) limits { return limits{about: about, above: true, high: 1} }
	all := map[string]limits{
		"/thresholds":          {about: "lowest scores of three levels, strictly ascending; below medium is LOW"},
		"/thresholds/medium":   threshold("score, above 0"),
		"/thresholds/high":     threshold("score, above medium"),
		"/thresholds/critical": threshold("score, above high, at most 1"),

		"/weights":               {about: "of the five factors; together 1"},
		"/weights/function_name": share("what the function is called"),
		"/weights/arguments":     share("what the arguments contain"),
		"/weights/docstring":     share("what the documentation says"),
		"/weights/hints":         share("what the agent or the registry hints"),
		"/weights/novelty":       share("how often the session made this call before"),

		"/strategy":                      {about: "how the models become one score: max, composite or fixed", words: wordsOf(StrategyMax, StrategyComposite, StrategyFixed)},
		"/composite_weights":             {about: "of the strategy composite; normalised"},
		"/composite_weights/five_factor": {about: "not negative; not both 0", unlimit: true},
		"/composite_weights/patterns":    {about: "not negative; not both 0", unlimit: true},
		"/fixed_score":                   share("of the strategy fixed, which is for tests and dry environments"),

		"/score_override_threshold": {about: "points; a pattern score above it blocks", high: maxOverride},
		"/on_block":                 {about: "what happens to a blocked action: block, or hold as CRITICAL", words: wordsOf(OnBlockBlock, OnBlockHold)},
		"/on_requires_approval":     {about: "what the rule model requires approval for: its level decides, or a person is asked whatever its level", words: wordsOf(OnRequiresLevel, OnRequiresHold)},

		"/pattern_weights":           {about: "points that the first match of a severity adds to the pattern score; none more than a worse severity's"},
		"/pattern_weights/critical":  {low: patterns.MinCritical, high: patterns.MaxWeight},
		"/pattern_weights/high":      {high: patterns.MaxWeight},
		"/pattern_weights/medium":    {high: patterns.MaxWeight},
		"/pattern_weights/low":       {high: patterns.MaxWeight},
		"/pattern_decay":             {about: "what each further match of a severity is worth of the one before it", high: patterns.MaxDecay},
		"/severity_actions":          {about: "of patterns that name no action; what is masked as published stays masked"},
		"/severity_actions/critical": {about: "not softer than confirm", words: wordsOf(patterns.Block, patterns.Redact, patterns.Confirm)},
		"/severity_actions/high":     {words: wordsOf(patterns.Actions()...)},
		"/severity_actions/medium":   {words: wordsOf(patterns.Actions()...)},
		"/severity_actions/low":      {words: wordsOf(patterns.Actions()...)},
		"/block_all_critical":        {about: "whether every critical pattern blocks, whatever it names"},
		"/rewrite_calls":             {about: "whether an approved call is handed back without the secrets found in it; the grant binds what was sent"},

		"/challenges":            {about: "what an operator passes to approve: none, confirm, quiz, explicit_confirmation or deny"},
		"/approvals_required":    {about: "distinct operators"},
		"/min_review_seconds":    {about: "seconds from the first view before an approval counts"},
		"/early_answer":          {about: "an approval before that time: refuse, or flag and accept", words: wordsOf(EarlyRefuse, EarlyFlag)},
		"/note_required":         {about: "whether approving needs a note, which the agent receives"},
		"/fresh_sign_in_minutes": {about: "minutes; how young a sign-in is for an explicit confirmation, 0 asks for none", high: maxFreshMinutes},
		"/idle_lock_minutes":     {about: "minutes without activity after which deciding needs signing in again", low: minIdleMinutes, high: maxIdleMinutes},

		"/edit_before_approve":      {about: "whether operators may change the arguments before they approve"},
		"/expiry_seconds":           {about: "seconds that a request waits, where the agent doesn't say; then it is denied", low: 1, high: maxExpirySeconds},
		"/expiry_seconds_by_level":  {about: "seconds that a request of a level waits at most, whatever the agent says; 0 is no limit"},
		"/longest_expiry_seconds":   {about: "seconds that a request waits at most, whatever the agent or another setting says", low: 1, high: maxExpirySeconds},
		"/working_hours":            {about: "whether the time of requests and reminders counts during working hours only; a request never waits longer than 180 days"},
		"/working_hours/enabled":    {about: "off: all time counts"},
		"/working_hours/zone":       {about: "whose clock it is, an IANA name", most: worktime.MaxZone},
		"/working_hours/holidays":   {about: "days on which no time counts", most: worktime.MaxHolidays},
		"/working_hours/holidays/*": {about: "a date, with a name or without: 2026-12-25 Christmas Day", fewest: len(time.DateOnly), most: worktime.MaxHoliday},
		"/remind_at_percent":        {about: "percent of its time after which a request that waits an hour or longer is reminded of; 0 is never", high: maxRemindPercent},
		"/grant_seconds":            {about: "seconds that an approved agent has to act", low: minGrantSeconds, high: maxLifeSeconds},
		"/newer_ends_older":         {about: "whether a waiting request ends when its agent asks again for the same function and target with other arguments"},

		"/functions":                  {about: "what is known about functions", most: maxFunctions},
		"/functions/*":                {required: []string{"glob"}},
		"/functions/*/glob":           {about: "the whole name, in any case; * is any text, ? one character", fewest: 1, most: maxGlob},
		"/functions/*/hints":          {about: "true, false or numbers, as an agent sends them", most: maxHints},
		"/functions/*/docstring":      {about: "read with the agent's own", most: maxDoc},
		"/functions/*/floor":          {about: "the lowest level; SAFE is none", words: levelWords()},
		"/functions/*/expiry_seconds": {about: "seconds that a call waits at most, in place of its level's limit; 0 is none, the shortest of several counts", high: maxExpirySeconds},

		"/pattern_overrides":                        {about: "how the pattern library differs from the default"},
		"/pattern_overrides/disable":                {about: "ids that don't run", most: patterns.MaxChanges, unique: true},
		"/pattern_overrides/disable/*":              idLimits(),
		"/pattern_overrides/change":                 {about: "another severity or action for an id", most: patterns.MaxChanges},
		"/pattern_overrides/change/*":               {required: []string{"id"}},
		"/pattern_overrides/change/*/id":            idLimits(),
		"/pattern_overrides/change/*/severity":      {words: wordsOf(patterns.Severities()...)},
		"/pattern_overrides/change/*/action":        {words: wordsOf(patterns.Actions()...)},
		"/pattern_overrides/change/*/waits":         {about: waitsAbout},
		"/pattern_overrides/add":                    {about: "patterns of your own", most: patterns.MaxAdded},
		"/pattern_overrides/add/*":                  {required: []string{"id", "severity", "description", "regex", "must_match", "must_not_match"}},
		"/pattern_overrides/add/*/id":               idLimits(),
		"/pattern_overrides/add/*/severity":         {words: wordsOf(patterns.Severities()...)},
		"/pattern_overrides/add/*/action":           {about: "unset: the severity's", words: wordsOf(patterns.Actions()...)},
		"/pattern_overrides/add/*/applies_to":       {about: "unset: all"},
		"/pattern_overrides/add/*/applies_to/*":     {words: patterns.Points()},
		"/pattern_overrides/add/*/category":         {about: "unset: custom", words: patterns.Categories()},
		"/pattern_overrides/add/*/description":      {about: "why a match matters, for the operator", fewest: 1, most: patterns.MaxDescription},
		"/pattern_overrides/add/*/regex":            {about: "one match is enough", fewest: 1, most: patterns.MaxRegexes},
		"/pattern_overrides/add/*/regex/*":          {about: "RE2", fewest: 1, most: patterns.MaxRegex},
		"/pattern_overrides/add/*/member":           {about: "only values of members whose whole name this matches", most: patterns.MaxRegex},
		"/pattern_overrides/add/*/check":            {about: "a validator that a match passes", words: patterns.Checks()},
		"/pattern_overrides/add/*/min_digits":       {about: "digits that a match has in one number", unlimit: true},
		"/pattern_overrides/add/*/min_ats":          {about: "@ that a match has", unlimit: true},
		"/pattern_overrides/add/*/non_ascii":        {about: "a match has a character outside ASCII"},
		"/pattern_overrides/add/*/waits":            {about: waitsAbout},
		"/pattern_overrides/add/*/must_match":       {about: "examples, tried when the policy is saved", fewest: 1, most: patterns.MaxExamples},
		"/pattern_overrides/add/*/must_match/*":     {most: patterns.MaxExample},
		"/pattern_overrides/add/*/must_not_match":   {about: "examples, tried when the policy is saved", fewest: 1, most: patterns.MaxExamples},
		"/pattern_overrides/add/*/must_not_match/*": {most: patterns.MaxExample},
	}
	maps.Copy(all, ruleLimits())
	maps.Copy(all, scorerLimits())
	maps.Copy(all, entryLimits())
	maps.Copy(all, judgementLimits())
	maps.Copy(all, trustLimits())
	maps.Copy(all, evaluationLimits())
	maps.Copy(all, authorityLimits())
	maps.Copy(all, noticeLimits())
	maps.Copy(all, deciderLimits())
	for d := range 7 {
		all["/working_hours/"+strings.ToLower(time.Weekday(d).String())] = limits{about: "for example 09:00-12:30, 13:30-17:00; empty is a day off", most: worktime.MaxHours}
	}
	for _, l := range level.All() {
		name := "/" + strings.ToLower(l.String())
		all["/challenges"+name] = limits{words: wordsOf(Challenges()...)}
		all["/approvals_required"+name] = limits{low: 1, high: maxApprovals}
		all["/min_review_seconds"+name] = limits{high: maxReviewSeconds}
		all["/expiry_seconds_by_level"+name] = limits{high: maxExpirySeconds}
	}
	return all
}

func wordsOf[T ~string](all ...T) []string {
	list := make([]string, len(all))
	for i, w := range all {
		list[i] = string(w)
	}
	return list
}

func levelWords() []string {
	list := []string{level.Safe.String()}
	for _, l := range level.All() {
		list = append(list, l.String())
	}
	return list
}

func idLimits() limits { return limits{about: "id of a pattern", fewest: 1, most: patterns.MaxID} }
