package workspace

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/fault"
)

func TestNewBinding(t *testing.T) {
	t.Parallel()
	for folder, want := range map[string]string{
		"/srv/shop": "/srv/shop", "/srv/shop/": "/srv/shop", "/srv//shop": "/srv/shop", "/workspace": "/workspace", "/home/ada/shop": "/home/ada/shop",
		"/root/shop": "/root/shop", "/Users/ada/my shop": "/Users/ada/my shop", "/tmp/x": "/tmp/x", "/srv/..shop": "/srv/..shop",
		"/" + strings.Repeat("ü", MaxFolder-1): "/" + strings.Repeat("ü", MaxFolder-1),
	} {
		if got, err := NewBinding(folder, true); err != nil || got != (Binding{Folder: want, Sandboxed: true}) {
			t.Errorf("%q: got %+v, %v", folder, got, err)
		}
	}
	for folder, why := range map[string]string{
		"": "1 to 400 characters", "/" + strings.Repeat("x", MaxFolder): "1 to 400 characters", "shop": "relative", "./shop": "relative", "~": "home", "~/shop": "home",
		"~ada/shop": "home", "/srv/../etc": "different folder", "/srv/./shop": "different folder", "/srv/shop/..": "different folder", "/": "whole machine", "//": "whole machine",
		"/root": "home", "/home": "home", "/home/ada": "home", "/home/ada/": "home", "/Users/ada": "home", "/etc": "system", "/etc/shop": "system",
		"/usr/src/shop": "system", "/tmp": "system", "/srv": "system", "/srv/a\nb": "control", `C:\shop`: "relative",
	} {
		got, err := NewBinding(folder, false)
		if !fault.Is(err, fault.InvalidForm) || fault.As(err).Member != "workspace" || !strings.Contains(err.Error(), why) || got != (Binding{}) {
			t.Errorf("%q: got %+v, %v, want a refusal that says %q", folder, got, err, why)
		}
	}
}
