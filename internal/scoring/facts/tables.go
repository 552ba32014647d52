package facts

import (
	"maps"
	"slices"
	"strings"
)

// factsOf adds the names, counts and flags of one statement.
func (c *collector) factsOf(s *statement) {
	var (
		defined = s.commonTables()
		few     [16]bool
		selects = few[:1] // whether a query was begun at each depth of brackets
		ahead   = lookahead{tokens: s.tokens}
		word    = func(i int) string {
			if i < 0 || i >= len(s.tokens) {
				return ""
			}
			return s.tokens[i].word()
		}
		first = word(0)
	)
	for i, t := range s.tokens {
		switch {
		case t.id == '(':
			selects = append(selects, false)
			continue
		case t.id == ')':
			selects = selects[:max(len(selects)-1, 1)]
			continue
		case !t.in(tellingWords):
			continue
		}
		kind, label := Table, ""
		switch t.word() {
		case "SELECT", "DELETE", "UPDATE", "INSERT":
			selects[len(selects)-1] = true
		}
		switch t.word() {
		case "FROM":
			// EXTRACT(year FROM day) and IS DISTINCT FROM name no table.
			switch {
			case first == "REVOKE":
				kind, label = Recipient, "role"
			case (len(selects) == 1 || selects[len(selects)-1]) && word(i-1) != "DISTINCT" && first != "COPY":
				label = "table"
			}
		case "TO":
			if first == "GRANT" {
				kind, label = Recipient, "role"
			}
		case "INTO", "JOIN":
			label = "table"
		case "UPDATE", "DELETE":
			begins := i == 0 || i == int(s.at) || word(i-1) == "(" || word(i-1) == ")"
			if begins && word(i+1) != "FROM" {
				label = "table"
			}
		case "TRUNCATE", "COPY", "LOCK", "VACUUM", "REINDEX", "CLUSTER", "ANALYZE":
			if i == 0 && (len(s.tokens) == 1 || s.tokens[1].object() == "") {
				label = "table"
			}
		case "USE":
			if i == 0 {
				label = "database"
			}
		case "ON":
			if hasWord("GRANT REVOKE COMMENT", first) && (i+1 == len(s.tokens) || s.tokens[i+1].object() == "") || first == "CREATE" && hasWord("index trigger policy", s.object) ||
				first == "DROP" && hasWord("index trigger policy", s.object) {
				label = "table"
			}
		case "TABLE", "DATABASE", "SCHEMA":
			label = t.id.lower()
		case "CASCADE":
			if s.tokens[0].risk() >= 4 {
				c.flag("cascade", FromSQL, s.reading, t.start(), t.end())
			}
		case "LIMIT", "TOP", "FIRST", "NEXT":
			c.limit(s, i)
		default:
			if i > 0 && i < 6 && t.object() != "" && t.id.lower() == s.object && hasWord("DROP ALTER CREATE COMMENT REFRESH REINDEX", first) {
				kind, label = t.object(), s.object
			}
		}
		if label != "" {
			c.names(s, ahead.names(i+1), kind, label, defined)
		}
	}
}

// tellingWords are those that say something about what a statement acts on.
var tellingWords = words("SELECT DELETE UPDATE INSERT FROM TO INTO JOIN TRUNCATE COPY LOCK VACUUM REINDEX CLUSTER ANALYZE USE ON CASCADE LIMIT TOP FIRST NEXT " +
	strings.Join(slices.Collect(maps.Keys(objects)), " "))

// limit adds the number behind LIMIT, TOP or FETCH FIRST; of LIMIT 10, 5 the
// second.
func (c *collector) limit(s *statement, i int) {
	number := func(i int) bool {
		return i < len(s.tokens) && isNumber(s.written(s.tokens[i]))
	}
	at := i + 1
	switch s.tokens[i].word() {
	case "LIMIT":
		if number(at) && at+2 < len(s.tokens) && s.tokens[at+1].word() == "," && number(at+2) {
			at += 2
		}
	case "TOP":
		if at < len(s.tokens) && s.tokens[at].word() == "(" {
			at++
		}
	default:
		if i == 0 || s.tokens[i-1].word() != "FETCH" {
			return
		}
	}
	if number(at) {
		c.add(Count, "limit", FromSQL, s.reading, s.tokens[at].start(), s.tokens[at].end())
	}
}

// beforeNames may stand between what announces a name and the name.
var beforeNames = words("IF NOT EXISTS ONLY CONCURRENTLY TABLE LATERAL LOW_PRIORITY QUICK IGNORE OVERWRITE INTO GLOBAL LOCAL FULL ANALYZE")

// lookahead looks for where names begin, each time further on in a statement, so that
// it passes each token once.
type lookahead struct {
	tokens  []token
	after   int // the first token that is none of beforeNames, from some token behind on
	closing int // the same for the first closing bracket
}

// names are the tokens from where names begin that token i announces.
func (l *lookahead) names(i int) []token {
	for l.after = max(l.after, i); l.after < len(l.tokens) && l.tokens[l.after].in(beforeNames); {
		l.after++
	}
	i = l.after
	if i+1 < len(l.tokens) && l.tokens[i].word() == "OR" { // UPDATE OR REPLACE
		i += 2
	}
	if i+3 < len(l.tokens) && l.tokens[i].word() == "TOP" { // UPDATE TOP (10) and DELETE TOP (10) FROM, which says the table itself
		for l.closing = max(l.closing, i); l.closing < len(l.tokens) && l.tokens[l.closing].id != ')'; {
			l.closing++
		}
		i = min(l.closing+1, len(l.tokens))
	}
	return l.tokens[i:]
}

// names adds the names at the start of rest: one, or several between commas.
func (c *collector) names(s *statement, rest []token, kind Kind, label string, defined map[string]bool) {
	if len(rest) > 0 && rest[0].word() == "'" && hasWord("user role login", label) && rest[0].to-rest[0].from > 2 { // MySQL quotes users like texts
		c.add(kind, label, FromSQL, s.reading, rest[0].start()+1, rest[0].end()-1)
		return
	}
	for range maxPerKind {
		if len(rest) == 0 || !rest[0].name || rest[0].in(clauses) {
			return
		}
		last := 0
		for last < 2*maxDots && last+2 < len(rest) && rest[last+1].word() == "." && rest[last+2].name {
			last += 2
		}
		name, start, end := s.qualified(rest[:last+1])
		opens := last+1 < len(rest) && rest[last+1].word() == "("
		isCall := opens && rest[last+1].from == rest[last].to && label == "table" && s.readsAt(rest[0])
		if isValue := opens && label != "table" && (label == "database" || label == "schema") && s.verb != "CREATE"; !isCall && !isValue && (defined == nil || !defined[strings.ToUpper(name)]) {
			from, to := s.place(start, end)
			c.keep(Fact{Kind: kind, Value: name, Label: label, Pointer: s.pointer(), Start: from, End: to, Source: FromSQL})
		}
		// An alias, then a comma and the next name.
		next := last + 1
		if next < len(rest) && rest[next].word() == "AS" {
			next++
		}
		if next < len(rest) && rest[next].name && next+1 < len(rest) && rest[next+1].word() == "," {
			next++
		}
		if next >= len(rest) || rest[next].word() != "," {
			return
		}
		rest = rest[next+1:]
	}
}

// readsAt reports whether a name is one that is read from, where name( is a call:
// INSERT INTO t(a) names a table.
func (s *statement) readsAt(name token) bool {
	before := strings.ToUpper(strings.TrimRight(s.text[max(0, name.start()-8):name.start()], " \t\r\n"))
	return !strings.HasSuffix(before, "INTO") && !strings.HasSuffix(before, "TABLE") && !strings.HasSuffix(before, "COPY") && !strings.HasSuffix(before, "ON") &&
		!strings.HasSuffix(before, "EXISTS")
}

// qualified is a name with its dots, without quotes; a single quoted name stands
// where its quotes do not.
func (s *statement) qualified(parts []token) (name string, start, end int) {
	start, end = parts[0].start(), parts[len(parts)-1].end()
	if len(parts) == 1 && parts[0].quoted {
		start, end = start+1, end-1
		return s.text[start:end], start, end
	}
	plain := start // up to here the name is as it stands
	for _, p := range parts {
		if p.start() == plain && !p.quoted {
			plain = p.end()
		}
	}
	if plain == end {
		return s.text[start:end], start, end
	}
	var b strings.Builder
	for _, p := range parts {
		if p.quoted {
			p.from, p.to = p.from+1, p.to-1
		}
		b.WriteString(s.written(p))
	}
	return b.String(), start, end
}

var materialized = words("NOT MATERIALIZED")

// commonTables are the names that a WITH defines: they are no tables.
func (s *statement) commonTables() map[string]bool {
	if s.tokens[0].word() != "WITH" {
		return nil
	}
	defined := map[string]bool{}
	closing := 0 // the first ) that is not behind
	for i := 1; i+2 < len(s.tokens); i++ {
		if !s.tokens[i].name {
			continue
		}
		as := i + 1
		if s.tokens[as].word() == "(" { // WITH a (x, y) AS (
			for closing = max(closing, as); closing < len(s.tokens) && s.tokens[closing].id != ')'; {
				closing++
			}
			as = min(closing, max(as, i+64)) + 1
		}
		for as+1 < len(s.tokens) && s.tokens[as+1].in(materialized) && s.tokens[as].word() == "AS" {
			as++
		}
		isAs := as < len(s.tokens) && (s.tokens[as].word() == "AS" || s.tokens[as].word() == "MATERIALIZED")
		if isAs && as+1 < len(s.tokens) && s.tokens[as+1].word() == "(" {
			name, _, _ := s.qualified(s.tokens[i : i+1])
			defined[strings.ToUpper(name)] = true
		}
	}
	return defined
}
