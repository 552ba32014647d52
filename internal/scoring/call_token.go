package scoring

import (
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// What a star of a pattern, or the rest of a prefix, may stand for: one name of the kind
// that stands there. A list, a way out of a folder, a hidden file, an option or another
// host is another kind of thing than the call that somebody looked at.

// Why the open part of a pattern does not stand for something.
var (
	whyEmpty  = fault.Textf("a name is missing")
	whyDots   = fault.Textf("a name there can't begin or end with a dot, so that it can't be hidden or lead to another folder")
	whyOption = fault.Textf("a name there can't begin with “-”, which programs read as an option")
	whyHost   = fault.Textf("it's another host, or could become one")
)

// openText is t with its text, where t is a rule with an open part.
func (t CallTerm) openText() (pattern string, ok bool) {
	if (t.Rule != RulePrefix && t.Rule != RuleGlob) || len(t.Values) != 1 || t.Values[0].Kind() != canon.KindString {
		return "", false
	}
	return t.Values[0].Text(), t.Values[0].Text() != ""
}

// Why says why a text is not covered that fits but for its open parts. It is empty where
// it is covered, and where it does not fit at all.
func (t CallTerm) Why(v canon.Value) fault.Text {
	pattern, ok := t.openText()
	if !ok || v.Kind() != canon.KindString {
		return fault.Text{}
	}
	_, why := t.fits(pattern, v.Text())
	return why
}

// fits reports whether a text is one of the pattern; why not, where it would be if its open
// parts stood for anything.
func (t CallTerm) fits(pattern, s string) (ok bool, why fault.Text) {
	opens, ok := openParts(t.Rule, pattern, s)
	if !ok {
		return false, why
	}
	for _, o := range opens {
		if at := o.notPlain(); at >= 0 {
			bad := []rune(o.text[at:])[0]
			return false, fault.Textf("it contains %q; a name there has only letters, digits, “.”, “_” and “-”", string(bad))
		}
	}
	if t.Rule == RulePrefix {
		pattern += "*"
	}
	why = tokensFit(pattern, s)
	return why.Empty(), why
}

// open is what stands in a text for a star.
type open struct {
	text, besides string // what else may be in it
}

// openParts looks for the texts between the stars, each as early as it stands, the last
// one at the end. The earliest is always right: another place would only make an open part
// longer. So it never goes back, and is linear.
func openParts(r TermRule, pattern, s string) (all []open, ok bool) {
	if r == RulePrefix {
		rest, ok := strings.CutPrefix(s, pattern)
		return []open{{rest, "/="}}, ok
	}
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(s, parts[0])
	if !ok || len(parts) == 1 {
		return nil, ok && rest == ""
	}
	besides := func(next string) string {
		if strings.HasPrefix(next, "@") { // of an address
			return "+"
		}
		return ""
	}
	for _, part := range parts[1 : len(parts)-1] {
		before, after, found := strings.Cut(rest, part)
		if !found {
			return nil, false
		}
		all, rest = append(all, open{before, besides(part)}), after
	}
	last := parts[len(parts)-1]
	end, ok := strings.CutSuffix(rest, last)
	return append(all, open{end, besides(last)}), ok
}

// notPlain is where something stands in an open part that ends a command, begins another
// value, hides, or looks like something else; -1 where nothing does. A “=” may stand
// between two names, as in the folder year=2026.
func (o open) notPlain() int {
	for i := range len(o.text) {
		c := o.text[i]
		switch {
		case alphanumeric(c) || strings.IndexByte("._-", c) >= 0:
		case strings.IndexByte(o.besides, c) < 0:
			return i
		case c == '=' && (i == 0 || i+1 == len(o.text) || !alphanumeric(o.text[i-1]) || !alphanumeric(o.text[i+1])):
			return i
		}
	}
	return -1
}

func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// token is a name in a text, and where it begins.
type token struct {
	text string
	at   int
}

// tokens parts a text where something stands that no name has. Between two such marks
// stands an empty one.
func tokens(s string) (all []token) {
	at := 0
	for i := range len(s) + 1 {
		if i == len(s) || !alphanumeric(s[i]) && strings.IndexByte("._-+=*", s[i]) < 0 {
			all = append(all, token{s[at:i], at})
			at = i + 1
		}
	}
	return all
}

// tokensFit says why one of the names that an open part is in is none, or not of the kind
// that the pattern has there. Open parts have no marks but “/” behind a prefix, so the
// names of the pattern are the first ones of the text.
func tokensFit(pattern, s string) fault.Text {
	wanted := tokens(pattern)
	for i, v := range tokens(s) {
		w := token{"*", -1}
		if i < len(wanted) {
			w = wanted[i]
		}
		if !strings.Contains(w.text, "*") {
			continue
		}
		switch begins, ends := strings.HasPrefix(w.text, "."), strings.HasSuffix(w.text, "."); {
		case v.text == "":
			return whyEmpty
		case strings.Contains(v.text, ".."), strings.HasPrefix(v.text, ".") && !begins, strings.HasSuffix(v.text, ".") && !ends, v.text == ".":
			return whyDots
		case strings.HasPrefix(v.text, "-") && !strings.HasPrefix(w.text, "-"):
			return whyOption
		case i < len(wanted) && !hostFits(pattern[:w.at], w.text, v.text):
			return whyHost
		}
	}
	return fault.Text{}
}

// fileEnds are ends of files that are also ends of domains.
var fileEnds = strings.Fields("py sh md rs pl zip mov so ps")

// hostFits reports whether a name stays on the host of the pattern, where before says that
// it is one, or its own look. A star may stand for what is left of the domain that
// somebody registered, never for a part of that or for what follows it.
func hostFits(before, pattern, name string) bool {
	if name == strings.ReplaceAll(pattern, "*", "") {
		return true
	}
	sure := strings.HasSuffix(before, "://") || strings.HasSuffix(before, "@") || before == "//"
	if !sure && (strings.HasSuffix(before, "/") || !looksLikeHost(pattern)) || sure && strings.Trim(pattern, "*") == "" {
		return true
	}
	if sure && strings.Trim(pattern, "*.0123456789") == "" {
		_, err := netip.ParseAddr(name)
		return err == nil
	}
	tail := strings.ToLower(pattern[strings.LastIndex(pattern, "*")+1:])
	registered, end := registeredDomain(strings.ToLower(name))
	switch {
	case tail == registered, strings.HasSuffix(tail, "."+registered):
		return true
	case sure:
		return !strings.Contains(name, ".") // a machine of the own network
	}
	return slices.Contains(fileEnds, end) && strings.HasPrefix(tail, "."+end)
}

// looksLikeHost reports whether the fixed part of a name ends as domains do.
func looksLikeHost(pattern string) bool {
	host := strings.ToLower(strings.Trim(strings.ReplaceAll(pattern, "*", ""), "."))
	_, known := publicsuffix.PublicSuffix(host)
	return known && strings.Contains(host, ".") && !strings.ContainsAny(host, "_+=")
}

// registeredDomain is the part of a host that one owner registered, and the end of that
// under which others register theirs. Of ends that nobody knows, as of a network of one's
// own, it is the end itself.
func registeredDomain(host string) (registered, end string) {
	end, known := publicsuffix.PublicSuffix(host)
	if !known && !strings.Contains(end, ".") {
		return end, end
	}
	registered, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil { // it is the end itself
		return host, end
	}
	return registered, end
}

// Hopeless says why an open pattern covers nothing but its own text; empty where it covers
// more.
func (t CallTerm) Hopeless() (why fault.Text) {
	pattern, ok := t.openText()
	if !ok || t.Rule == RulePrefix { // there a path may follow
		return why
	}
	for _, name := range []string{"1", "x", "x."} {
		covered, no := t.fits(pattern, strings.ReplaceAll(pattern, "*", name))
		if covered {
			return fault.Text{}
		}
		why = no
	}
	return why
}

// NotCovered are texts near an open pattern that it does not cover, with the reason: at
// most so many, each for another reason.
func (t CallTerm) NotCovered(most int) (all []CallMiss) {
	pattern, ok := t.openText()
	if !ok {
		return nil
	}
	if t.Rule == RulePrefix {
		pattern += "*"
	}
	last := strings.LastIndex(pattern, "*")
	if last < 0 {
		return nil
	}
	before, after := strings.ReplaceAll(pattern[:last], "*", "x"), pattern[last+1:]
	said := map[string]bool{}
	for _, name := range []string{"a,b", "..", ".evil.example", "evil.example", ".x", "/x", "-x"} {
		v := canon.String(before + name + after)
		if why := t.Why(v); !why.Empty() && !said[why.String()] && len(all) < most {
			said[why.String()] = true
			all = append(all, CallMiss{Term: t, Value: v})
		}
	}
	return all
}

// isName reports whether a text is one name, path, address or URL.
func isName(s string) bool {
	rest := s
	if _, after, ok := strings.Cut(s, "://"); ok {
		rest = after
	}
	for i := range len(rest) {
		if !alphanumeric(rest[i]) && strings.IndexByte("._-+=/@:~", rest[i]) < 0 {
			return false
		}
	}
	return s != "" && !slices.ContainsFunc(strings.Split(strings.Trim(rest, "/"), "/"), func(part string) bool { return part == "" || part == "." || strings.Contains(part, "..") })
}

// oneOfAKind reports whether a text may stand in the place of another where texts are
// free: a name, a path, an address or a URL is not replaced by a list of them, nor by
// something of another kind. What people write to each other is free.
func oneOfAKind(was, now string) bool {
	if !isName(was) {
		return true
	}
	same := func(mark string) bool { return strings.Count(was, mark) == strings.Count(now, mark) }
	return isName(now) && same("://") && same("@") && strings.HasPrefix(was, "/") == strings.HasPrefix(now, "/") &&
		strings.Contains(was, "/") == strings.Contains(now, "/") && strings.HasPrefix(was, "-") == strings.HasPrefix(now, "-") && strings.HasPrefix(was, "~") == strings.HasPrefix(now, "~")
}
