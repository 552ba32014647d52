package effects

import (
	"net/url"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/code"
)

// HTTP requests: the method says what is done, the path to what.

// request reads arguments that describe an HTTP request.
func (r *reader) request(args canon.Value, pointer string) {
	method, methodAt, target, targetAt := "", "", "", ""
	for name, value := range args.Members() {
		at := pointer + "/" + canon.PointerEscape(name)
		switch text, key := value.Text(), lowered(name); {
		case says("method_keys", key) && code.IsHTTPMethod(text):
			method, methodAt = strings.ToUpper(strings.TrimSpace(text)), at
		case says("request_targets", key) && target == "":
			target, targetAt = text, at
		}
	}
	if target == "" || method == "" && !r.fetches() {
		return
	}
	at := Evidence{Pointer: targetAt, End: len(target), Why: "a request of " + target}
	n := named{kind: Read, verb: "request"}
	if method != "" {
		at = Evidence{Pointer: methodAt, End: len(method), Why: "the method is " + method}
		n.verb = strings.ToLower(method)
	}
	switch method {
	case "POST", "PUT", "PATCH":
		n.kind = Write
	case "DELETE", "PURGE":
		n.kind = Delete
	}
	r.words.requested(&n, target, method)
	if method == "" && n.kind == Read {
		return
	}
	r.operated = true
	r.executed = r.executed || method != "" // the request is what is executed
	r.tell(r.effect(n, at, true))
	if isInsideAddress(target) && n.kind == Read {
		r.tell(r.effect(named{kind: Read, verb: "fetch", object: "internal address", sensitive: true}, Evidence{Pointer: targetAt, End: len(target), Why: "the address can only be reached from inside"}, true))
	}
}

// fetches reports whether the function's name says that it sends a request.
func (r *reader) fetches() bool {
	return slices.ContainsFunc(r.function, func(w word) bool {
		return says("fetchers", w.text)
	})
}

// requested says what a request does to what its path names: POST /v1/refunds is money,
// POST /users/search a read, GET /admin/purge no read.
func (l *lexicon) requested(n *named, target, method string) {
	path := target
	if u, err := url.Parse(target); err == nil {
		path = u.Path
		for key, values := range u.Query() { // ?_method=DELETE, ?action=delete
			if !says("overriding", key) || len(values) == 0 {
				continue
			}
			if said := readName(values[0]); said.known && said.kind.severity() > n.kind.severity() {
				n.kind, n.verb = said.kind, said.verb
			}
		}
	}
	var segments []string
	for _, s := range strings.Split(path, "/") {
		if s != "" && strings.ContainsFunc(s, isLetter) {
			segments = append(segments, s)
		}
	}
	if len(segments) == 0 {
		return
	}
	for back := range min(2, len(segments)) {
		all := split(segments[len(segments)-1-back])
		if len(all) == 0 || len(all) > 6 {
			continue
		}
		base := all[0].text
		kind, ok := l.verbs[base]
		if ok && back == 0 && kind == Read && method == "POST" && says("reading_paths", base) {
			n.kind = Read
			return
		}
		if ok && len(all) == 1 && says("either", base) && n.kind == Read {
			continue // GET /orders
		}
		if ok && kind.severity() > n.kind.severity() && (n.kind != Read || kind != Execute) && (back == 0 || !says("either", base)) {
			n.kind, n.verb = kind, base
			return
		}
	}
	if n.kind != Write {
		return
	}
	if strings.HasSuffix(segments[len(segments)-1], "_by_query") {
		n.breadth = Several
	}
	for _, s := range segments {
		all := split(s)
		if len(all) == 0 {
			continue
		}
		last := all[len(all)-1].text
		for _, class := range []struct {
			objects string
			kind    Kind
		}{{"money", Money}, {"message", Message}, {"access", Permission}} {
			if l.isOf(class.objects, last) {
				n.kind, n.object = class.kind, joined(all)
			}
		}
	}
}

// graphQLOperation is a field of the root of a GraphQL document.
type graphQLOperation struct {
	mutation   bool
	field      string
	start, end int
}

// graphQL reads a GraphQL document: its operations' fields. ok is false where it is none.
func graphQL(text string) ([]graphQLOperation, bool) {
	s := strings.TrimSpace(text)
	keyword := func(word string) bool {
		rest, ok := strings.CutPrefix(s, word)
		return ok && strings.Contains(rest, "{") && (rest == "" || strings.ContainsRune(" \t\r\n({@", rune(rest[0])))
	}
	if !keyword("query") && !keyword("mutation") && !keyword("subscription") && !keyword("fragment") && !(strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}") && !strings.Contains(s, "\":") && !strings.HasPrefix(strings.TrimLeft(s[1:], " \t\r\n"), "\"")) {
		return nil, false
	}
	var (
		all      []graphQLOperation
		depth    int
		brackets int
		mutation bool
		fragment bool
		quoted   bool
	)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted:
			if c == '\\' {
				i++
			} else if c == '"' {
				quoted = false
			}
		case c == '"':
			quoted = true
		case c == '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '(' || c == '[':
			brackets++
		case c == ')' || c == ']':
			brackets--
		case c == '{' && brackets == 0:
			depth++
		case c == '}' && brackets == 0:
			depth--
		case brackets == 0 && isNameByte(c) && depth <= 1:
			start := i
			for i < len(text) && isNameByte(text[i]) {
				i++
			}
			name := text[start:i]
			rest := strings.TrimLeft(text[i:], " \t\r\n")
			i--
			switch {
			case depth == 0 && name == "mutation":
				mutation, fragment = true, false
			case depth == 0 && (name == "query" || name == "subscription"):
				mutation, fragment = false, false
			case depth == 0 && name == "fragment":
				fragment = true
			case depth == 1 && !fragment && !strings.HasPrefix(rest, ":"): // no alias
				all = append(all, graphQLOperation{mutation, name, start, start + len(name)})
			}
		}
	}
	return all, len(all) > 0
}

func isNameByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func (r *reader) graphQLEffect(o graphQLOperation, at string) Effect {
	where := Evidence{Pointer: at, Start: o.start, End: o.end, Why: "the query asks for " + o.field}
	if n := readName(o.field); !o.mutation && n.known && !n.weak && n.kind.severity() >= Money.severity() {
		return r.effect(n, where, true)
	}
	if !o.mutation {
		return r.effect(named{kind: Read, verb: "query"}, where, true)
	}
	n := readName(o.field)
	where.Why = "the mutation is " + o.field
	if !n.known || n.kind == Read {
		n.kind = Unknown
	}
	return r.effect(n, where, true)
}
