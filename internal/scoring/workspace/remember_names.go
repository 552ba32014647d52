package workspace

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// IsManifest reports whether a file says what an install brings in, or from where: a
// manifest, a lock file, or the settings of an index.
func (f File) IsManifest() bool {
	base := strings.ToLower(path.Base(f.Path))
	if slices.Contains(manifestNames, base) {
		return true
	}
	ending := path.Ext(base)
	return strings.HasPrefix(base, "requirements") && (ending == ".txt" || ending == ".in") ||
		strings.HasPrefix(base, "constraints") && ending == ".txt" ||
		path.Base(path.Dir(f.Path)) == "requirements" && ending == ".txt" ||
		slices.Contains([]string{".csproj", ".fsproj", ".gemspec", ".podspec", ".cabal"}, ending)
}

var manifestNames = strings.Fields(wordlist.Text("workspace.manifestNames"))

// namesNoModules reports whether what is put into a go.mod only names the module itself and
// the version of Go: go mod tidy brings in no more for it than without it.
func namesNoModules(p, text string) bool {
	return path.Base(p) == "go.mod" && ownLines.MatchString(text)
}

var ownLines = regexp.MustCompile(`^(?:[ \t]*(?:module [\w./-]+|go \d+(?:\.\d+)*|toolchain go\d+(?:\.\d+)*|//[^\n]*)?[ \t]*\r?(?:\n|$))*$`)

// runsInBuilds reports whether a build or a test may run what stands in a file: code and
// configuration, not data and prose.
func runsInBuilds(p string) bool {
	base := strings.ToLower(path.Base(p))
	ending := path.Ext(base)
	switch ending {
	case "":
		return true // Makefile, Dockerfile, a script
	case wordlist.OneOf("workspace.inertEndings", ending):
		return base == "pom.xml" || base == "cmakelists.txt"
	case ".json":
		return slices.Contains(manifestNames, base) || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "tsconfig") || strings.HasPrefix(base, "jest") || strings.HasPrefix(base, "babel")
	}
	return true
}
