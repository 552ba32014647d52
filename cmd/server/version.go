package main

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// versionCmd is --version as a command.
type versionCmd struct{}

func (versionCmd) Run(io streams) error {
	_, err := fmt.Fprintln(io.out, version())
	return err
}

// version is what the Go tool put into the binary: the module's version, which names a
// commit where it is no release, and the Go that built it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "countersign, built without module information"
	}
	return versionOf(*info)
}

// buildVersion is the module's version alone.
func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return ""
}

func versionOf(info debug.BuildInfo) string {
	text := "countersign " + info.Main.Version
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
	return text + " (" + strings.Join(append(about, info.GoVersion), ", ") + ")"
}
