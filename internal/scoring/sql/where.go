package sql

import (
	"slices"
	"strings"
)

// EveryRow reports whether a DELETE or UPDATE touches every row: it has no WHERE, LIMIT
// or JOIN, or its WHERE is always true.
func (s Statement) EveryRow() bool {
	verb := s.Tokens[s.At]
	if verb.Word() != "DELETE" && verb.Word() != "UPDATE" || s.Tokens[0].Word() == "EXPLAIN" && s.At == 0 {
		return false
	}
	depth, where := 0, -1
	for i := s.At + 1; i < len(s.Tokens); i++ {
		if !s.Tokens[i].In(rowWordsAndMarks) {
			continue
		}
		switch s.Tokens[i].Word() {
		case "(":
			depth++
		case ")":
			if depth--; depth < 0 { // the end of the WITH in which it stands
				return where < 0 || s.isAlways(s.Tokens[where+1:i])
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
	return where < 0 || s.isAlways(s.Tokens[where+1:])
}

var rowWordsAndMarks = Words("( ) WHERE LIMIT TOP JOIN USING")

// isAlways reports whether a condition holds for every row: one of the parts
// between its ORs is TRUE, a number or a thing that equals itself.
func (s Statement) isAlways(condition []Token) bool {
	depth, start := 0, 0
	for i := 0; i <= len(condition); i++ {
		word := ""
		if i < len(condition) {
			word = condition[i].Word()
		}
		switch {
		case word == "(":
			depth++
		case word == ")":
			depth--
		case depth == 0 && (i == len(condition) || (word == "OR" || word == "RETURNING" || word == "ORDER")):
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

// isTrue reports whether a part of a condition is true by itself: TRUE, a number, what
// equals itself, a comparison of two numbers, LIKE '%', or several of them.
func (s Statement) isTrue(part []Token) bool {
	for len(part) > 2 && part[0].Word() == "(" && part[len(part)-1].Word() == ")" {
		part = part[1 : len(part)-1]
	}
	for {
		and := slices.IndexFunc(part, func(t Token) bool { return t.Word() == "AND" })
		if and < 0 {
			return s.isTrueAlone(part)
		}
		if !s.isTrueAlone(part[:and]) {
			return false
		}
		part = part[and+1:]
	}
}

func (s Statement) isTrueAlone(part []Token) bool {
	text := func(i int) string { return s.Written(part[i]) }
	number := func(i int) bool { return isNumber(text(i)) }
	switch len(part) {
	case 1:
		return part[0].Word() == "TRUE" || number(0) && strings.Trim(text(0), "0.") != ""
	case 2:
		return part[0].Word() == "NOT" && (part[1].Word() == "FALSE" || text(1) == "0")
	case 3:
		switch part[1].Word() {
		case "=":
			return text(0) == text(2)
		case "<", ">": // whoever compares two numbers wants it to be true
			return number(0) && number(2)
		case "LIKE":
			return text(2) == "'%'"
		}
	case 4: // <>, !=, <=, >=
		return number(0) && number(3) || text(0) == text(3) && part[2].Word() == "=" && part[1].Word() != "!"
	}
	return false
}

// isNumber reports whether a text is a decimal number.
func isNumber(text string) bool {
	digits := strings.Trim(text, ".")
	return digits != "" && strings.Trim(digits, "0123456789.") == ""
}
