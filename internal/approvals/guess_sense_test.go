package approvals

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/long"
)

// What a person with common sense knows of values, whoever made them.
var (
	octets   = regexp.MustCompile(`\b([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})(/[0-9]+)?$`)
	aDate    = regexp.MustCompile(`\b(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}\b`)
	anIDFrom = regexp.MustCompile(`^[#A-Za-z]+[_-]?`)
	domainOf = regexp.MustCompile(`[a-z0-9-]+\.[a-z]{2,}$`)
)

// odd lists what cannot be, or what nobody would have, in a value.
func odd(v string) (why []string) {
	if m := octets.FindStringSubmatch(v); m != nil {
		for _, o := range m[1:5] {
			if n, _ := strconv.Atoi(o); n > 255 || len(o) > 1 && o[0] == '0' {
				why = append(why, "no address")
			}
		}
	}
	for _, d := range aDate.FindAllString(v, -1) {
		if _, err := time.Parse(time.DateOnly, d); err != nil {
			why = append(why, "no date")
		}
	}
	return why
}

// roots are the parts of a value that everybody in a trade knows: the prefix of an id, the first
// folder of a path, the registrable domain, the network, the year, how a sum ends, the names in
// it. A set in which they differ has one that exists.
func roots(v string) []string {
	if strings.HasPrefix(v, "…") { // of an end nobody knows anything
		return nil
	}
	all := []string{"prefix " + anIDFrom.FindString(v), "domain " + domainOf.FindString(v)}
	if path := strings.SplitN(v, "/", 3); strings.HasPrefix(v, "/") && len(path) > 2 {
		all = append(all, "root "+path[1])
	}
	if m := octets.FindStringSubmatch(v); m != nil {
		all = append(all, "network "+m[1]+"."+m[2], "mask "+m[5])
	}
	if d := aDate.FindString(v); d != "" {
		t, _ := time.Parse(time.DateOnly, d)
		free := t.Weekday() == time.Saturday || t.Weekday() == time.Sunday
		all = append(all, "month "+d[:7], "weekend "+strconv.FormatBool(free))
	}
	if isSum(v) {
		all = append(all, "end "+strconv.Itoa(int(roundness(v))), "cents "+v[max(strings.LastIndexByte(v, '.'), 0):][:min(1, len(v))])
	}
	return append(all, "checks "+strconv.FormatFloat(checks(v), 'f', 0, 64), "words "+strings.Trim(regexp.MustCompile("[0-9a-f]*[0-9][0-9a-f]*").ReplaceAllString(v, "0"), " "))
}

// TestCommonSense: nobody can rule an option out by what can exist, nor find the one that does
// by a prefix, a root, a domain, a network, a month, a round end, a check digit or a name. Sets of
// words come from requests of others as they are; what is made has to hold.
func TestCommonSense(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	looked := 0
	for i, s := range scenes(t, varied) {
		w := s.around()
		for _, q := range quiz(s.a, w, asked{}, seeded(uint64(i))) {
			if q.Typed || q.Kind == effectKind {
				continue
			}
			looked++
			var first []string
			for n, o := range q.Options {
				if why := odd(o.Text); why != nil {
					t.Errorf("%s: %q is odd: %q", q.Prompt, o.Text, why)
				}
				known := slices.ContainsFunc(s.others, func(a Approval) bool { return strings.Contains(string(a.Action), o.Text) })
				if has := roots(o.Text); n == 0 {
					first = has
				} else if !slices.Equal(has, first) && !known {
					t.Errorf("%s: %q has %q, and %q has %q", q.Prompt, o.Text, has, q.Options[0].Text, first)
				}
			}
		}
	}
	if looked < 400 {
		t.Errorf("only %d questions", looked)
	}
}

// TestSenseSeesThrough: what outsiders found in earlier sets is found by the same eyes.
func TestSenseSeesThrough(t *testing.T) {
	t.Parallel()
	for _, set := range [][]string{
		{"/var/lib/reports/123", "/pay/lib/reports/123", "/tag/lib/reports/123", "/git/lib/reports/123"},
		{"release/4.799", "command/4.799", "catalog/4.799", "history/4.799"},
		{"ops@example.com", "ops@history.com", "ops@summary.com", "ops@current.com"},
		{"usr_kb1", "pub_kb1", "tag_kb1", "key_kb1"},
		{"2026-05-21", "2026-13-21", "2019-05-21", "2026-05-32"},
		{"10.0.217.34", "10.0.999.34", "77.4.217.34", "10.0.217.340"},
		{"DE89370400440532013000", "DE89370400440532013417", "DE89370400440532013226", "DE89370400440532013581"},
		{"1200", "1237", "1219", "1243"},
	} {
		told := odd(set[1]) != nil
		for _, o := range set[1:] {
			told = told || odd(o) != nil || !slices.Equal(roots(o), roots(set[0]))
		}
		if !told {
			t.Errorf("%q looks like one kind", set)
		}
	}
}

// TestAfterAFailure: a second set asks for other values where the call has any that can be
// asked, and never gives the same value other options: what two sets have in common would be
// right.
func TestAfterAFailure(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	sets, none, same := 0, 0, 0 // second sets, those that repeat a value, and those in which nothing else is asked, nor otherwise
	for i, s := range scenes(t, varied) {
		w, random := s.around(), seeded(uint64(i))
		first := quiz(s.a, w, asked{}, random)
		if first == nil {
			continue
		}
		before := asked{settled: first, failed: first}
		second := quiz(s.a, w, before, random)
		if len(second) != quizQuestions {
			t.Fatalf("%s: %d questions after a failure", s.a.Action, len(second))
		}
		sets++
		typedFirst := slices.ContainsFunc(second, func(q Question) bool { return q.Typed })
		repeats, fresh := false, false
		for _, q := range second {
			if q.Kind == effectKind {
				continue
			}
			fresh = fresh || !slices.ContainsFunc(first, func(o Question) bool { return o.Prompt == q.Prompt && o.Typed == q.Typed })
			for _, o := range first {
				if o.Kind == effectKind || o.About != q.About {
					continue
				}
				repeats = true
				if left := s.left(first, second, q, typedFirst); left != "" {
					t.Errorf("%s\nis asked again for the %s, and never for the %s", s.a.Action, q.About, left)
				}
				if was, now := textsOf(o), textsOf(q); !o.Typed && !q.Typed && !slices.Equal(was, now) {
					t.Errorf("%s has %q, and had %q", q.Prompt, now, was)
				}
			}
			for _, o := range first { // nor does the effect, told by the value
				if o.Kind == effectKind && o.About == q.About && o.Values != nil && !q.Typed {
					for _, v := range textsOf(q) {
						if !slices.Contains(o.Values, v) {
							t.Errorf("%s offers %q, and the effect was told by %q", q.Prompt, v, o.Values)
						}
					}
				}
			}
		}
		if repeats {
			none++
		}
		if !fresh {
			same++
		}
	}
	t.Logf("of %d second sets %d ask for a value again, since there is no other, and %d of those for the same in the same way", sets, none, same)
	if sets < varied/2 {
		t.Errorf("only %d second sets", sets)
	}
}

// left is what a second set could have asked for in place of q: a value that neither set asked
// for, by options where q has some, else typed.
func (s scene) left(first, second []Question, q Question, typed bool) string {
	p := picker{around: s.around(), random: seeded(1)}
	for _, o := range s.a.subjects() {
		used := slices.ContainsFunc(slices.Concat(first, second), func(is Question) bool { return is.About == o.label })
		related := slices.ContainsFunc(s.a.subjects(), func(of subject) bool {
			return o.related(of) && slices.ContainsFunc(second, func(is Question) bool { return is.About == of.label })
		})
		if used || related || !typed && !p.hidden(o) {
			continue
		}
		if q.Typed {
			if _, ok := p.typable(o, anyTyped, false); ok && s.a.leaves(o, s.a.subjects()) {
				return o.label
			}
		} else if _, ok := p.options(o); ok {
			return o.label
		}
	}
	return ""
}

func textsOf(q Question) (all []string) {
	for _, o := range q.Options {
		all = append(all, o.Text)
	}
	slices.Sort(all)
	return all
}
