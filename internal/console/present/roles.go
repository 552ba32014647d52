package present

import (
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/views/texts"
)

func RoleWords(say texts.Printer, roles []auth.Role) []string {
	words := make([]string, len(roles))
	for i, r := range roles {
		words[i] = say.Key(roleNames[r])
	}
	return words
}

// FormFault sorts a refusal to its field, or to the form as a whole.
func FormFault(say texts.Printer, f *fault.Error, member string) (field, whole string) {
	switch {
	case f == nil:
		return "", ""
	case f.Member == member:
		return Because(say, f), ""
	default:
		return "", Because(say, f)
	}
}

var roleNames = map[auth.Role]texts.Key{auth.Operator: texts.Key("operator"), auth.Compliance: texts.Key("compliance"), auth.Admin: texts.Key("admin")}
