package main

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	got := versionOf(debug.BuildInfo{GoVersion: "go1.99", Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"},
	}})
	if want := "countersign v1.2.3 (commit 0123456789ab, 2026-01-02T03:04:05Z, with changes, go1.99)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, args := range [][]string{{"version"}, {"--version"}} {
		var out, err strings.Builder
		if code := run(t.Context(), args, streams{strings.NewReader(""), &out, &err}); code != 0 || strings.TrimSpace(out.String()) != version() {
			t.Errorf("%v: exit %d, %q, %q", args, code, out.String(), err.String())
		}
	}
}
