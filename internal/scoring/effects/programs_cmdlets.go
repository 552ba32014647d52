package effects

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// What of PowerShell has no verb and noun of its own.

// aliases are short names of cmdlets.
var aliases = wordlist.Map("effects.aliases")

// showsVariables adds that variables of the environment are shown by their drive: gci env:.
func (x *commands) showsVariables(name string, args []shell.Word) {
	if !slices.Contains([]string{"get-childitem", "get-item", "get-content", "ls", "dir", "cat", "type"}, name) {
		return
	}
	for _, w := range args {
		if len(w.Text) < 4 || !strings.EqualFold(w.Text[:4], "env:") {
			continue
		}
		variable := strings.Trim(w.Text[4:], `\/`)
		if variable == "" || strings.ContainsAny(variable, "*?") || program.IsSecretVariable(variable) {
			x.found(sensitiveRead, "print", "environment", name+" prints "+short(w.Text))
		}
	}
}

// tees is Tee-Object: what it is given it writes, too.
func (x *commands) tees(args []shell.Word) {
	for i, w := range args {
		option := strings.ToLower(w.Text)
		if strings.HasPrefix(option, "-v") {
			break
		}
		if !strings.HasPrefix(option, "-") {
			x.writes(w, "writes")
			return
		}
		if i == len(args)-1 {
			break
		}
	}
	x.found("read", "print", "", "Tee-Object prints")
}

// callsMember reports whether ForEach-Object is given the name of a method, not a script:
// % Delete.
func (x *commands) callsMember(texts []string) bool {
	return slices.ContainsFunc(texts, func(t string) bool {
		d, ok := x.tools.verbs[strings.TrimSuffix(t, "()")]
		return ok && d != "read"
	})
}
