// Package version says which release a program is. Programs, packages and the image of one
// release say the same.
package version

import (
	"runtime/debug"
	"strings"
)

// release is set where a release is built: -ldflags "-X …/internal/version.release=v1.2.3".
var release string

// Number is the release, else what the Go tool recorded: the tag that “go install” was asked
// for, or a version that names a commit.
func Number() string {
	info, _ := debug.ReadBuildInfo()
	return number(release, info)
}

// Line is what a program says to --version: its version, and what it was built from.
func Line(program string) string {
	info, _ := debug.ReadBuildInfo()
	return line(program, release, info)
}

func number(release string, info *debug.BuildInfo) string {
	if release == "" && info != nil {
		return info.Main.Version
	}
	return release
}

func line(program, release string, info *debug.BuildInfo) string {
	if info == nil {
		return program + " " + release + " (built without module information)"
	}
	var about []string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			about = append(about, "commit "+s.Value[:min(len(s.Value), 12)])
		case s.Key == "vcs.time":
			about = append(about, s.Value)
		case s.Key == "vcs.modified" && s.Value == "true":
			about = append(about, "with changes")
		}
	}
	return program + " " + number(release, info) + " (" + strings.Join(append(about, info.GoVersion), ", ") + ")"
}
