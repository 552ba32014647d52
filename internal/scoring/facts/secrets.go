package facts

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/call"
)

// What no sentence tells: values that may be secret, and what a file holds.

// content are last words of names of what a file or object holds.
var content = words("content contents data body text string line lines edit edits file_text oldtext newtext")

// isSecret reports whether the words of a name are those of a secret.
func isSecret(name []string) bool {
	for i, w := range name {
		one := singularOf(w)
		if secret[w] || secret[one] || w == "keys" && i > 0 && slices.Contains(secretKeys, name[i-1]) || one == "key" && i > 0 && (slices.Contains(secretKeys, name[i-1]) || name[i-1] == "master") {
			return true
		}
		if namesSecret(w) {
			return true
		}
	}
	return false
}

// namesSecret reports whether a word is that of a secret wherever it stands.
func namesSecret(w string) bool {
	return slices.ContainsFunc([]string{"password", "passwd", "secret", "token", "apikey", "credential"}, func(part string) bool { return strings.Contains(w, part) })
}

// isSecretPath reports whether a name of a pointer is that of a secret or of what holds some.
func isSecretPath(pointer string) bool {
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/arguments"), "/") {
		if all := call.Words(name); isSecret(all) {
			return true
		}
	}
	return false
}

// holdsContent reports whether the call is about a file, or about something else that has one.
func (d deed) holdsContent() bool {
	return d.target.Kind == Path && d.verb != "Run" || slices.Contains([]string{"file", "files", "object", "objects", "gist", "blob", "config map", "document"}, d.object)
}

// besideSecret reports whether a value beside another one says that it is secret: {"name":
// "DB_PASSWORD", "value": …}.
func (c *details) besideSecret(n *call.Node) bool {
	around := nodeAt(c.in.Tree(), n.Pointer[:max(strings.LastIndexByte(n.Pointer, '/'), 0)])
	if around == nil || len(around.Nodes) > maxVisited {
		return false
	}
	return slices.ContainsFunc(around.Nodes, func(m *call.Node) bool {
		text := m.Text()
		return m.Pointer != n.Pointer && len(text) <= maxShown && (isSecret(call.Words(text)) || strings.HasSuffix(text, "_SK") || text == "SecureString")
	})
}

// keepsSecrets reports whether what the call sets may be a secret.
func (d deed) keepsSecrets(function string) bool {
	return slices.ContainsFunc(append(call.Words(function), strings.Fields(d.object)...), func(w string) bool {
		return isSecret([]string{w}) || slices.Contains([]string{"vault", "keyvault"}, w)
	})
}
