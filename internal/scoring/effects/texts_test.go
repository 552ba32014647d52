package effects

import "testing"

func TestTextsLoad(t *testing.T) {
	t.Parallel()
	if _, err := loadTexts(textsYAML); err != nil {
		t.Fatal(err)
	}
	for _, broken := range []string{"filters: cat sh\nrunners: sh"} {
		if _, err := loadTexts([]byte(broken)); err == nil {
			t.Errorf("%s: it was loaded", broken)
		}
	}
}

func TestProse(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"notes.md": true, "/srv/docs/Runbook.TXT": true, "../README.md": true, "build.log": true,
		"": false, "notes": false, "run.sh": false, "run.sh.md": false, ".md": false, "AGENTS.md": false, "docs/system-prompt.md": false, "requirements-dev.txt": false,
		".github/x.md": false, "docs/../.claude/x.md": false, "/etc/motd.txt": false, "$(x).md": false, "a\n.md": false, "x.md:run.sh": false, `C:\x.md`: false,
	} {
		if got := textLists().isProse(path); got != want {
			t.Errorf("%q: %v, want %v", path, got, want)
		}
	}
}
