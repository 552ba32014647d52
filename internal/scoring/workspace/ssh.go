package workspace

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/shell"
)

// sshScope is what a session grant for ssh covers: one host, by options that take nobody
// elsewhere and run nothing here.
func sshScope(shown string, args []shell.Word) *Scope {
	if name, _, _ := strings.Cut(shown, " "); name != "ssh" {
		return nil // scp, rsync and the like also move files
	}
	for i := 0; i < len(args); i++ {
		switch text := args[i].Text; {
		case !args[i].Literal:
			return nil
		case slices.Contains([]string{"-p", "-l"}, text):
			i++
		case slices.Contains([]string{"-q", "-T", "-t", "-tt", "-4", "-6", "-C", "-n", "-v"}, text):
		case text == "" || text[0] == '-' || strings.ContainsAny(text, "/*?$ "):
			return nil
		default:
			_, host, at := strings.Cut(text, "@")
			if !at {
				host = text
			}
			return &Scope{Of: "ssh", To: strings.ToLower(host)}
		}
	}
	return nil
}
