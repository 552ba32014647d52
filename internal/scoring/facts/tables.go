package facts

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/sql"
)

// factsOf adds the names, counts and flags of one statement.
func (c *collector) factsOf(s *statement) {
	var (
		defined = s.commonTables()
		few     [16]bool
		selects = few[:1] // whether a query was begun at each depth of brackets
		ahead   = lookahead{tokens: s.Tokens}
		word    = func(i int) string {
			if i < 0 || i >= len(s.Tokens) {
				return ""
			}
			return s.Tokens[i].Word()
		}
		first = word(0)
	)
	for i, t := range s.Tokens {
		switch {
		case t.ID == '(':
			selects = append(selects, false)
			continue
		case t.ID == ')':
			selects = selects[:max(len(selects)-1, 1)]
			continue
		}
		kind, label := Table, ""
		switch t.Word() {
		case "SELECT", "DELETE", "UPDATE", "INSERT":
			selects[len(selects)-1] = true
		}
		switch t.Word() {
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
			begins := i == 0 || i == s.At || word(i-1) == "(" || word(i-1) == ")"
			if begins && word(i+1) != "FROM" {
				label = "table"
			}
		case "TRUNCATE", "COPY", "LOCK", "VACUUM", "REINDEX", "CLUSTER", "ANALYZE":
			if i == 0 && (len(s.Tokens) == 1 || !s.Tokens[1].IsObject()) {
				label = "table"
			}
		case "USE":
			if i == 0 {
				label = "database"
			}
		case "ON":
			if hasWord("GRANT REVOKE COMMENT", first) && (i+1 == len(s.Tokens) || !s.Tokens[i+1].IsObject()) || first == "CREATE" && hasWord("index trigger policy", s.object) ||
				first == "DROP" && hasWord("index trigger policy", s.object) {
				label = "table"
			}
		case "TABLE", "DATABASE", "SCHEMA":
			label = t.ID.Lower()
		case "CASCADE":
			if s.Tokens[0].Risk() >= 4 {
				c.flag("cascade", FromSQL, s.reading, t.Start(), t.End())
			}
		case "LIMIT", "TOP", "FIRST", "NEXT":
			c.limit(s, i)
		default:
			if i > 0 && i < 6 && t.IsObject() && t.ID.Lower() == s.object && hasWord("DROP ALTER CREATE COMMENT REFRESH REINDEX", first) {
				kind, label = objectKind(t), s.object
			}
		}
		at := i + 1
		if label == "role" && slices.Contains([]string{"USER", "ROLE", "GROUP"}, word(at)) && at+1 < len(s.Tokens) { // TO USER etl_svc
			at++
		}
		if label != "" {
			c.names(s, ahead.names(at), kind, label, defined)
		}
	}
}

// limit adds the number behind LIMIT, TOP or FETCH FIRST; of LIMIT 10, 5 the
// second.
func (c *collector) limit(s *statement, i int) {
	number := func(i int) bool {
		return i < len(s.Tokens) && isNumber(s.Written(s.Tokens[i]))
	}
	at := i + 1
	switch s.Tokens[i].Word() {
	case "LIMIT":
		if number(at) && at+2 < len(s.Tokens) && s.Tokens[at+1].Word() == "," && number(at+2) {
			at += 2
		}
	case "TOP":
		if at < len(s.Tokens) && s.Tokens[at].Word() == "(" {
			at++
		}
	default:
		if i == 0 || s.Tokens[i-1].Word() != "FETCH" {
			return
		}
	}
	if number(at) {
		c.add(Count, "limit", FromSQL, s.reading, s.Tokens[at].Start(), s.Tokens[at].End())
	}
}

// beforeNames may stand between what announces a name and the name.
var beforeNames = sql.Words("IF NOT EXISTS ONLY CONCURRENTLY TABLE LATERAL LOW_PRIORITY QUICK IGNORE OVERWRITE INTO GLOBAL LOCAL FULL ANALYZE")

// lookahead looks for where names begin, each time further on in a statement, so that
// it passes each token once.
type lookahead struct {
	tokens  []sql.Token
	after   int // the first token that is none of beforeNames, from some token behind on
	closing int // the same for the first closing bracket
}

// names are the tokens from where names begin that token i announces.
func (l *lookahead) names(i int) []sql.Token {
	for l.after = max(l.after, i); l.after < len(l.tokens) && l.tokens[l.after].In(beforeNames); {
		l.after++
	}
	i = l.after
	if i+1 < len(l.tokens) && l.tokens[i].Word() == "OR" { // UPDATE OR REPLACE
		i += 2
	}
	if i+3 < len(l.tokens) && l.tokens[i].Word() == "TOP" { // UPDATE TOP (10) and DELETE TOP (10) FROM, which says the table itself
		for l.closing = max(l.closing, i); l.closing < len(l.tokens) && l.tokens[l.closing].ID != ')'; {
			l.closing++
		}
		i = min(l.closing+1, len(l.tokens))
	}
	return l.tokens[i:]
}

// names adds the names at the start of rest: one, or several between commas.
func (c *collector) names(s *statement, rest []sql.Token, kind Kind, label string, defined map[string]bool) {
	if len(rest) > 0 && rest[0].Word() == "'" && hasWord("user role login", label) && rest[0].To-rest[0].From > 2 { // MySQL quotes users like texts
		c.add(kind, label, FromSQL, s.reading, rest[0].Start()+1, rest[0].End()-1)
		return
	}
	for range maxPerKind {
		if len(rest) == 0 || !rest[0].Name || rest[0].In(clauses) {
			return
		}
		last := 0
		for last < 2*maxDots && last+2 < len(rest) && rest[last+1].Word() == "." && rest[last+2].Name {
			last += 2
		}
		name, start, end := s.qualified(rest[:last+1])
		opens := last+1 < len(rest) && rest[last+1].Word() == "("
		isCall := opens && rest[last+1].From == rest[last].To && label == "table" && s.readsAt(rest[0])
		if isValue := opens && label != "table" && (label == "database" || label == "schema") && s.verb != "CREATE"; !isCall && !isValue && (defined == nil || !defined[strings.ToUpper(name)]) {
			from, to := s.place(start, end)
			c.keep(Fact{Kind: kind, Value: name, Label: label, Pointer: s.pointer(), Start: from, End: to, Source: FromSQL})
		}
		// An alias, then a comma and the next name.
		next := last + 1
		if next < len(rest) && rest[next].Word() == "AS" {
			next++
		}
		if next < len(rest) && rest[next].Name && next+1 < len(rest) && rest[next+1].Word() == "," {
			next++
		}
		if next >= len(rest) || rest[next].Word() != "," {
			return
		}
		rest = rest[next+1:]
	}
}

// readsAt reports whether a name is one that is read from, where name( is a call:
// INSERT INTO t(a) names a table.
func (s *statement) readsAt(name sql.Token) bool {
	before := strings.ToUpper(strings.TrimRight(s.text[max(0, name.Start()-8):name.Start()], " \t\r\n"))
	return !strings.HasSuffix(before, "INTO") && !strings.HasSuffix(before, "TABLE") && !strings.HasSuffix(before, "COPY") && !strings.HasSuffix(before, "ON") &&
		!strings.HasSuffix(before, "EXISTS")
}

// qualified is a name with its dots, without quotes; a single quoted name stands
// where its quotes do not.
func (s *statement) qualified(parts []sql.Token) (name string, start, end int) {
	start, end = parts[0].Start(), parts[len(parts)-1].End()
	if len(parts) == 1 && parts[0].Quoted {
		start, end = start+1, end-1
		return s.text[start:end], start, end
	}
	plain := start // up to here the name is as it stands
	for _, p := range parts {
		if p.Start() == plain && !p.Quoted {
			plain = p.End()
		}
	}
	if plain == end {
		return s.text[start:end], start, end
	}
	var b strings.Builder
	for _, p := range parts {
		if p.Quoted {
			p.From, p.To = p.From+1, p.To-1
		}
		b.WriteString(s.Written(p))
	}
	return b.String(), start, end
}

var materialized = sql.Words("NOT MATERIALIZED")

// commonTables are the names that a WITH defines: they are no tables.
func (s *statement) commonTables() map[string]bool {
	if s.Tokens[0].Word() != "WITH" {
		return nil
	}
	defined := map[string]bool{}
	closing := 0 // the first ) that is not behind
	for i := 1; i+2 < len(s.Tokens); i++ {
		if !s.Tokens[i].Name {
			continue
		}
		as := i + 1
		if s.Tokens[as].Word() == "(" { // WITH a (x, y) AS (
			for closing = max(closing, as); closing < len(s.Tokens) && s.Tokens[closing].ID != ')'; {
				closing++
			}
			as = min(closing, max(as, i+64)) + 1
		}
		for as+1 < len(s.Tokens) && s.Tokens[as+1].In(materialized) && s.Tokens[as].Word() == "AS" {
			as++
		}
		isAs := as < len(s.Tokens) && (s.Tokens[as].Word() == "AS" || s.Tokens[as].Word() == "MATERIALIZED")
		if isAs && as+1 < len(s.Tokens) && s.Tokens[as+1].Word() == "(" {
			name, _, _ := s.qualified(s.Tokens[i : i+1])
			defined[strings.ToUpper(name)] = true
		}
	}
	return defined
}
