package program

import (
	"fmt"
	"strings"

	"github.com/countersign/countersign/internal/scoring/usage"
)

// Entry is what one part of the table says of a program; T is what its patterns say.
type Entry[T any] struct {
	Options          *Options
	Rules            usage.Rules[T]
	Otherwise, Alone T
	All              []usage.Pattern // that reach everything
	Object           string          // what it acts on, for people
}

// Entries reads a part of the table. says is what the name of a member says, worse orders that;
// an option of a pattern begins with one of marks.
func Entries[T any](part map[string]map[string]string, marks string, says func(string) (T, error), worse func(T) int) (map[string]*Entry[T], error) {
	all := map[string]*Entry[T]{}
	isOption := func(word string) bool {
		return strings.IndexByte(marks, word[0]) >= 0 && (len(word) > 1 || word == "-" && marks != "-")
	}
	for names, members := range part {
		e := &Entry[T]{Object: members["object"]}
		for member, text := range members {
			var err error
			var d T
			switch member {
			case "object", "all":
			case "otherwise":
				e.Otherwise, err = says(text)
			case "alone":
				e.Alone, err = says(text)
			default:
				d, err = says(member)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", names, err)
			}
			if member == "object" || member == "otherwise" || member == "alone" {
				continue
			}
			for pattern := range strings.SplitSeq(text, ",") {
				switch rule, ok := usage.Parse(pattern, isOption); {
				case !ok:
				case member == "all":
					e.All = append(e.All, rule)
				default:
					e.Rules.Add(rule, d)
				}
			}
		}
		e.Rules.Sort(func(a, b T) int { return worse(b) - worse(a) })
		for n := range strings.FieldsSeq(names) {
			if all[n] != nil {
				return nil, fmt.Errorf("the program %q appears twice", n)
			}
			one := *e
			one.Options = OptionsOf(strings.TrimSuffix(n, "-subcommands"))
			all[n] = &one
		}
	}
	return all, nil
}
