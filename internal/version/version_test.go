package version

import (
	"runtime/debug"
	"testing"
)

func TestLine(t *testing.T) {
	t.Parallel()
	info := &debug.BuildInfo{GoVersion: "go1.99", Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	for _, tt := range []struct {
		release string
		info    *debug.BuildInfo
		want    string
	}{
		{"", info, "countersign v1.2.3 (commit 0123456789ab, 2026-01-02T03:04:05Z, with changes, go1.99)"},
		{"v1.3.0-rc.1", info, "countersign v1.3.0-rc.1 (commit 0123456789ab, 2026-01-02T03:04:05Z, with changes, go1.99)"},
		{"v1.3.0", nil, "countersign v1.3.0 (built without module information)"},
	} {
		if got := line("countersign", tt.release, tt.info); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
