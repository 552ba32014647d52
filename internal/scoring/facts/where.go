package facts

// EveryRow reports whether the facts say that a DELETE or UPDATE touches every row.
func EveryRow(facts []Fact) bool { return flagged(facts, everyRow) }

// every adds the flag that says that a DELETE or UPDATE touches every row: it has
// no WHERE, LIMIT or JOIN, or its WHERE is always true.
func (c *collector) every(s *statement) bool {
	verb := s.tokens[s.at]
	if verb.word() != "DELETE" && verb.word() != "UPDATE" || s.tokens[0].word() == "EXPLAIN" && s.at == 0 {
		return false
	}
	depth, where := 0, -1
	for i := int(s.at) + 1; i < len(s.tokens); i++ {
		if !s.tokens[i].in(rowWordsAndMarks) {
			continue
		}
		switch s.tokens[i].word() {
		case "(":
			depth++
		case ")":
			if depth--; depth < 0 { // the end of the WITH in which it stands
				return c.everyRow(s, verb, where, i)
			}
		case "WHERE":
			if depth == 0 && where < 0 {
				where = i
			}
		case "LIMIT", "TOP", "JOIN", "USING":
			if depth == 0 {
				return false
			}
		}
	}
	return c.everyRow(s, verb, where, len(s.tokens))
}

var rowWordsAndMarks = words("( ) WHERE LIMIT TOP JOIN USING")

func (c *collector) everyRow(s *statement, verb token, where, end int) bool {
	every := where < 0 || s.isAlways(s.tokens[where+1:end])
	if every {
		c.flag(everyRow, FromSQL, s.reading, verb.start(), verb.end())
	}
	return every
}

// isAlways reports whether a condition holds for every row: one of the parts
// between its ORs is TRUE, a number or a thing that equals itself.
func (s *statement) isAlways(condition []token) bool {
	depth, start := 0, 0
	for i := 0; i <= len(condition); i++ {
		word := ""
		if i < len(condition) {
			word = condition[i].word()
		}
		switch {
		case word == "(":
			depth++
		case word == ")":
			depth--
		case depth == 0 && (i == len(condition) || word != "" && hasWord("OR RETURNING ORDER", word)):
			if s.isTrue(condition[start:i]) {
				return true
			}
			if word != "OR" {
				return false
			}
			start = i + 1
		}
	}
	return false
}

// isTrue reports whether a part of a condition is true by itself.
func (s *statement) isTrue(part []token) bool {
	for len(part) > 2 && part[0].word() == "(" && part[len(part)-1].word() == ")" {
		part = part[1 : len(part)-1]
	}
	text := s.written
	switch len(part) {
	case 1:
		return part[0].word() == "TRUE" || isNumber(text(part[0])) && text(part[0]) != "0"
	case 3:
		return part[1].word() == "=" && text(part[0]) == text(part[2])
	case 7: // 1=1 AND 1=1
		return part[3].word() == "AND" && s.isTrue(part[:3]) && s.isTrue(part[4:])
	}
	return false
}
