package filter

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// Lists keep their whole state in the address: every filter and every page can be
// sent to somebody else. One state has one address: parameters stand in one order,
// empty ones are left out, and a form's address that is written otherwise leads to
// it. What cannot be understood is refused with the form as it was typed.

// Address reads the parameters of a list.
type Address struct {
	Say    texts.Printer
	Order  []string // the parameters that there are, in canonical order
	Given  url.Values
	Clean  url.Values // what was understood, as it is written again
	Errors map[string]fault.Text
	// Problem is what is wrong beside the fields: an unknown parameter, an address
	// that is none.
	Problem fault.Text
}

// maxTyped bounds a value of an address, in characters.
const maxTyped = 200

// maxChoices bounds how often one parameter may stand in an address.
const maxChoices = 60

// Read takes a query string. Every name that is not in order is refused.
func Read(say texts.Printer, query string, order ...string) *Address {
	given, err := url.ParseQuery(query)
	a := Take(say, given, order...)
	if err != nil {
		a.Problem = fault.Textf("the address can't be read; start again from the form")
	}
	return a
}

// Take takes parameters that were parsed already.
func Take(say texts.Printer, given url.Values, order ...string) *Address {
	a := &Address{Say: say, Order: order, Given: given, Clean: url.Values{}, Errors: map[string]fault.Text{}}
	var unknown []string
	for name := range given {
		if !slices.Contains(order, name) {
			unknown = append(unknown, strconv.Quote(present.Trim(name, 40)))
		}
	}
	if slices.Sort(unknown); len(unknown) > 0 {
		a.Problem = fault.Textf("this list has no filter %s; it has %s", strings.Join(unknown[:min(len(unknown), 5)], ", "), strings.Join(order, ", "))
	}
	return a
}

// OK reports whether everything was understood.
func (a *Address) OK() bool { return len(a.Errors) == 0 && a.Problem.Empty() }

func (a *Address) Fail(name string, message fault.Text) {
	if a.Errors[name].Empty() {
		a.Errors[name] = message
	}
}

// saidOf is what is wrong with a parameter, in the reader's language, as a sentence.
func (a *Address) saidOf(message fault.Text) string {
	if message.Empty() {
		return ""
	}
	return present.Sentence(a.Say.Phrase(message)) + "."
}

// One is a parameter that stands there once; "" when it does not.
func (a *Address) One(name string) string {
	all := a.Given[name]
	if len(all) > 1 {
		a.Fail(name, fault.Textf("it appears more than once in the address; use it once"))
		return ""
	}
	if len(all) == 0 {
		return ""
	}
	v := strings.TrimSpace(all[0])
	if canon.String(v).Text() != v || utf8.RuneCountInString(v) > maxTyped {
		a.Fail(name, fault.Textf("enter at most %s ordinary characters", strconv.Itoa(maxTyped)))
		return ""
	}
	if v != "" {
		a.Clean.Set(name, v)
	}
	return v
}

// Form is one that must look like this.
func (a *Address) Form(name string, form *regexp.Regexp, otherwise fault.Text) string {
	v := a.One(name)
	if v != "" && !form.MatchString(v) {
		a.Fail(name, otherwise)
		return ""
	}
	return v
}

// Choices are the values of a parameter that may stand there several times,
// sorted and each once.
func (a *Address) Choices(name string, form *regexp.Regexp, otherwise fault.Text) []string {
	var all []string
	for _, v := range a.Given[name] {
		switch {
		case v == "":
		case !form.MatchString(v):
			a.Fail(name, otherwise)
			return nil
		default:
			all = append(all, v)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) > maxChoices {
		a.Fail(name, fault.Textf("choose at most %s", strconv.Itoa(maxChoices)))
		return nil
	}
	if len(all) > 0 {
		a.Clean[name] = all
	}
	return all
}

// instantForms are the ways to write a time, all in UTC; the first is what a
// browser's field sends.
var instantForms = []string{"2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02T15:04:05.999", "2006-01-02", "2006-01-02 15:04", "2006-01-02 15:04:05"}

// instant is a time in UTC; zero when there is none.
func (a *Address) instant(name string) time.Time {
	v := a.One(name)
	if v == "" {
		return time.Time{}
	}
	for _, form := range instantForms {
		if t, err := time.ParseInLocation(form, strings.TrimSuffix(v, "Z"), time.UTC); err == nil && t.Year() >= 1970 {
			a.Clean.Set(name, InstantText(t))
			return t
		}
	}
	a.Fail(name, fault.Textf("write a time in UTC, like 2026-11-20T09:42 or 2026-11-20"))
	return time.Time{}
}

// InstantText writes a time as the address and a browser's field have it.
func InstantText(t time.Time) string {
	switch {
	case t.Nanosecond() != 0:
		return t.Format("2006-01-02T15:04:05.000")
	case t.Second() != 0:
		return t.Format("2006-01-02T15:04:05")
	default:
		return t.Format("2006-01-02T15:04")
	}
}

// Span reads two times of which the first comes first.
func (a *Address) Span(from, to string) (time.Time, time.Time) {
	start, end := a.instant(from), a.instant(to)
	if !start.IsZero() && !end.IsZero() && !start.Before(end) {
		a.Fail(to, fault.Textf("enter a time after the start"))
	}
	return start, end
}

// Levels are the chosen risk levels.
func (a *Address) Levels() []string {
	return a.Choices("level", levelForm, fault.Textf("levels are LOW, MEDIUM, HIGH and CRITICAL"))
}

// Effects are the chosen kinds of what a call does.
func (a *Address) Effects() []string {
	return a.Choices("effect", effectForm, fault.Textf("effects are read, write, message, money, permission, delete, execute and unknown"))
}

// Function is a function's name, and whether it is how the name begins.
func (a *Address) Function() (name string, prefix bool) {
	name = a.One("function")
	prefix = a.Form("match", matchForm, fault.Textf("the value of “match” is “begins”, or it's left out")) != "" && name != ""
	if !prefix {
		a.Clean.Del("match")
	}
	return name, prefix
}

// Edge is where a page begins: below an entry, or above one.
func (a *Address) Edge() (edge int64, upward bool) {
	for _, name := range []string{"before", "after"} {
		v := a.One(name)
		if v == "" {
			continue
		}
		n, err := strconv.ParseInt(v, 10, 64)
		switch {
		case err != nil || n < 0 || strconv.FormatInt(n, 10) != v:
			a.Fail(name, fault.Text{})
			a.Problem = fault.Textf("the parameter %s is the number of an entry, as the links to the other pages have it", name)
		case a.Clean.Has("before") && name == "after":
			a.Problem = fault.Textf("a page is before an entry or after one, not both")
		}
		edge, upward = n, name == "after"
	}
	if !a.Clean.Has("before") && !a.Clean.Has("after") {
		return -1, false
	}
	return edge, upward
}

var (
	levelForm   = regexp.MustCompile(`^(LOW|MEDIUM|HIGH|CRITICAL)$`)
	effectForm  = regexp.MustCompile(`^(read|write|message|money|permission|delete|execute|unknown)$`)
	matchForm   = regexp.MustCompile(`^begins$`)
	KindForm    = regexp.MustCompile(`^[a-z_]{1,40}\.[a-z_]{1,40}$`)
	ActorForm   = regexp.MustCompile(`^(person|agent|policy|clock|system)(:[A-Za-z0-9_-]{1,64})?$`)
	AgentIDForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
)

// At is the canonical address of this list with some parameters changed: pairs of
// name and value, an empty value takes the parameter away.
func (a *Address) At(path string, changes ...string) string {
	values := url.Values{}
	for name, v := range a.Clean {
		values[name] = v
	}
	for i := 0; i+1 < len(changes); i += 2 {
		if changes[i+1] == "" {
			values.Del(changes[i])
			continue
		}
		values.Set(changes[i], changes[i+1])
	}
	return WithQuery(path, a.Order, values)
}

// Without is the canonical address without one value of a parameter, from the
// first page on.
func (a *Address) Without(path, name, value string) string {
	values := url.Values{}
	for n, v := range a.Clean {
		if n == "before" || n == "after" {
			continue
		}
		values[n] = v
	}
	values[name] = slices.DeleteFunc(slices.Clone(values[name]), func(v string) bool { return v == value })
	if name == "function" {
		values.Del("match")
	}
	return WithQuery(path, a.Order, values)
}

func WithQuery(path string, order []string, values url.Values) string {
	var parts []string
	for _, name := range order {
		for _, v := range values[name] {
			parts = append(parts, url.QueryEscape(name)+"="+url.QueryEscape(v))
		}
	}
	if len(parts) == 0 {
		return path
	}
	return path + "?" + strings.Join(parts, "&")
}

// Canonical reports whether the query is written as at writes it. Parameters are
// compared after decoding, so that no other way to escape leads round in circles.
func (a *Address) Canonical(query string) bool {
	return slices.Equal(pairsOf(query), pairsOf(strings.TrimPrefix(a.At(""), "?")))
}

func pairsOf(query string) []string {
	var all []string
	for _, part := range strings.Split(query, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		n, err := url.QueryUnescape(name)
		v, err2 := url.QueryUnescape(value)
		if err != nil || err2 != nil {
			return []string{query, query}
		}
		all = append(all, n+"="+v)
	}
	return all
}

// Hidden are the fields that post this filter again, page apart.
func (a *Address) Hidden() []views.HiddenField {
	var all []views.HiddenField
	for _, name := range a.Order {
		if name == "before" || name == "after" {
			continue
		}
		for _, v := range a.Clean[name] {
			all = append(all, views.HiddenField{Name: name, Value: v})
		}
	}
	return all
}

// Filtered reports whether anything narrows the list.
func (a *Address) Filtered() bool {
	return slices.ContainsFunc(a.Hidden(), func(h views.HiddenField) bool { return h.Name != "decider" && h.Name != "show" || h.Value != Any })
}

// LevelOptions are the boxes of the levels.
func LevelOptions(say texts.Printer, chosen []string) []views.Choice {
	var all []views.Choice
	for _, l := range []level.Level{level.Low, level.Medium, level.High, level.Critical} {
		all = append(all, views.Choice{Value: l.String(), Label: present.LevelWord(say, l), Checked: slices.Contains(chosen, l.String())})
	}
	return all
}

// Any asks for everybody's decisions, or for every entry. An address that asks for nothing at all means
// what people did: most of the rest are calls that the policy approved.
const Any = "any"
