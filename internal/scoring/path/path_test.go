package path

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLists(t *testing.T) {
	t.Parallel()
	if _, err := load(pathsYAML); err != nil {
		t.Fatal(err)
	}
	l := Of()
	for _, c := range []struct {
		path                       string
		anywhere, inside, guarding bool
	}{
		{".env", true, true, true},
		{"/srv/x/.env.local", true, true, true},
		{".env.example", false, false, false},
		{".env.test", true, false, true},
		{".npmrc", true, true, true},
		{"~/.aws/config", true, true, true},
		{"/home/ana/.ssh/id_ed25519.pub", false, false, true},
		{".cargo/credentials.toml", true, true, true},
		{".s3cfg", true, true, true},
		{"passwords.csv", true, true, true},
		{"/etc/sh*w", true, true, true},
		{".e*", true, true, true},
		{"src/*", false, false, false},
		{"*.json", false, false, false},
		{"appsettings.production.json", true, false, false},
		{"src/main.go", false, false, false},
		{"/etc/nginx/nginx.conf", false, false, true},
		{".github/workflows/ci.yml", false, false, true},
		{"/opt/x", false, false, false},
	} {
		if got := l.Secret(c.path, Anywhere) != ""; got != c.anywhere {
			t.Errorf("%s: secret %v", c.path, got)
		}
		if got := l.Secret(c.path, Inside) != ""; got != c.inside {
			t.Errorf("%s: secret in a workspace %v", c.path, got)
		}
		if got := l.Guards(c.path); got != c.guarding {
			t.Errorf("%s: guards %v", c.path, got)
		}
	}
}

// No reader has a list of secret paths of its own. The published rules and patterns do.
func TestSecretPathsStandOnce(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../*/*")
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "_examples.yaml") || strings.HasSuffix(file, "remember_attacks.yaml") || filepath.Base(filepath.Dir(file)) == "testdata" ||
			filepath.Base(filepath.Dir(file)) == "path" || filepath.Base(filepath.Dir(file)) == "rules" || filepath.Base(filepath.Dir(file)) == "patterns" ||
			!strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, ".yaml") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"id_ed25519", ".git-credentials", ".aws/", ".gnupg", ".pgpass", "gshadow", ".kube/", "wp-config", "kubeconfig.", "tfstate"} {
			if strings.Contains(string(text), name) {
				t.Errorf("%s names %s, which stands in paths.yaml", file, name)
			}
		}
	}
}
