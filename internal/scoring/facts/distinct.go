package facts

import (
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
)

// What tells an act from others of its kind: which rows and to what, and where no target is
// found the argument that names one.

// maxCondition is how many characters of a condition a sentence shows.
const maxCondition = 48

// clause is a condition for a sentence: "id = 7" where it compares one column with one value,
// else in quotes.
func clause(s string) string {
	s = tidy(s)
	if isSecret(call.Words(s[:min(len(s), 400)])) {
		return "a secret matches"
	}
	if column, sign, value, ok := compared(s); ok && len(s) <= maxCondition {
		return column + " " + sign + " " + value
	}
	return inQuotes(s, maxCondition, false)
}

func tidy(s string) string {
	return strings.TrimSpace(strings.TrimRight(strings.TrimSpace(s), ";"))
}

// compared takes a comparison of one column with one value apart.
func compared(s string) (column, sign, value string, ok bool) {
	start := strings.IndexAny(s, "=<>!")
	if start < 0 {
		return "", "", "", false
	}
	end := start
	for end < len(s) && strings.IndexByte("=<>!", s[end]) >= 0 {
		end++
	}
	column, sign, value = strings.TrimSpace(s[:start]), s[start:end], strings.TrimSpace(s[end:])
	return column, sign, value, consistsOf(column, "_.") && consistsOf(strings.Trim(value, "'"), "_-.@")
}

// assigned is an assignment for a sentence: "role → admin, plan → pro".
func assigned(s string) string {
	s = tidy(s)
	var each []string
	for one := range strings.SplitSeq(s, ",") {
		column, sign, value, ok := compared(one)
		if ok && sign == "=" && isSecret(call.Words(column)) { // what else is set is told all the same
			each = append(each, column+" → …")
			continue
		}
		if isSecret(call.Words(s[:min(len(s), 400)])) && (!ok || sign != "=") {
			return "a secret, among others"
		}
		if !ok || sign != "=" || len(s) > maxCondition {
			return inQuotes(s, maxCondition, false)
		}
		each = append(each, column+" → "+strings.Trim(value, "'"))
	}
	return strings.Join(each, ", ")
}

// maxShort is how long a value is at most that stands for a target.
const maxShort = 40

// telling is the argument that the object is named after, where no target was found, with what
// it is set to: " new-checkout = true", " b-0".
func (d deed) telling(in *call.Call) string {
	words := strings.Fields(d.object)
	for name, v := range in.Arguments.Members() {
		value, ok := scalar(v)
		if _, isText := v.Text(), v.Kind() == canon.KindString || v.Kind() == canon.KindNumber; !ok || !isText || value == "" || isSecret(call.Words(name)) || len(words) == 0 || lastWordOf(name) != words[len(words)-1] {
			continue
		}
		return " " + quoted(value) + d.setTo(in)
	}
	return ""
}

// setTo is what a thing is set to, where an argument of a usual name says that.
func (d deed) setTo(in *call.Call) string {
	beside := details{in: in}
	if d.keepsSecrets(in.Function) || beside.besideSecret(&call.Node{Pointer: "/arguments/"}) {
		return ""
	}
	for name, v := range in.Arguments.Members() {
		if value, ok := scalar(v); ok && value != "" && slices.Contains([]string{"value", "enabled", "enable", "active", "on", "state", "status", "to"}, strings.ToLower(name)) {
			return " = " + quoted(value)
		}
	}
	return ""
}

// scalar is a short value as a sentence can show it; ok is false for none, and for one that
// is masked.
func scalar(v canon.Value) (text string, ok bool) {
	switch v.Kind() {
	case canon.KindString:
		text = v.Text()
	case canon.KindNumber:
		text = v.Number()
	case canon.KindBool:
		text = strconv.FormatBool(v.Bool())
	default:
		return "", false
	}
	return text, len(text) <= maxShort && !strings.Contains(text, "[REDACTED:")
}

func lastWordOf(name string) string {
	all := call.Words(name)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}
