package workspace

import (
	"path"
	"regexp"
	"slices"
	"strings"
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

var manifestNames = strings.Fields(`package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml bun.lock bun.lockb .npmrc .yarnrc .yarnrc.yml bunfig.toml
	pyproject.toml setup.py setup.cfg pipfile pipfile.lock poetry.lock uv.lock uv.toml pip.conf pip.ini pdm.lock environment.yml environment.yaml conda-lock.yml
	go.mod go.sum go.work cargo.toml cargo.lock gemfile gemfile.lock composer.json composer.lock build.gradle build.gradle.kts settings.gradle settings.gradle.kts pom.xml settings.xml
	nuget.config packages.config directory.packages.props mix.exs mix.lock pubspec.yaml pubspec.lock podfile podfile.lock cartfile deno.json deno.jsonc deno.lock flake.nix flake.lock brewfile`)

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
	case ".md", ".markdown", ".rst", ".txt", ".csv", ".tsv", ".log", ".out", ".html", ".htm", ".css", ".scss", ".less", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".pdf",
		".parquet", ".jsonl", ".ndjson", ".xml", ".map", ".patch", ".diff", ".sql", ".db", ".sqlite", ".sqlite3", ".zip", ".gz", ".tgz", ".xz", ".bz2", ".zst", ".tar", ".woff", ".woff2", ".ttf", ".mp4", ".mp3", ".lock", ".snap", ".http", ".po", ".tex", ".bib":
		return base == "pom.xml" || base == "cmakelists.txt"
	case ".json":
		return slices.Contains(manifestNames, base) || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "tsconfig") || strings.HasPrefix(base, "jest") || strings.HasPrefix(base, "babel")
	}
	return true
}
