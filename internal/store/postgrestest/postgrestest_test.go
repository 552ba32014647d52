package postgrestest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestDatabasesAreOnesOwn(t *testing.T) {
	t.Parallel()
	one, other := Open(t), Open(t)
	if one == other {
		t.Fatal("two tests have one database")
	}
	for _, dsn := range []string{one, other} {
		if _, err := SQL(t, dsn).ExecContext(t.Context(), "CREATE TABLE mine (x TEXT)"); err != nil {
			t.Error(err)
		}
	}
	var tables int
	if err := SQL(t, Migrated(t)).QueryRowContext(t.Context(), "SELECT count(*) FROM pg_class WHERE relname = 'approvals'").Scan(&tables); err != nil || tables != 1 {
		t.Errorf("a migrated database has %d tables of approvals, %v", tables, err)
	}
}

// asHelper makes this test program another one, which starts a server, says where
// and waits to be killed.
const asHelper = "POSTGRESTEST_HELPER"

// A test program that is killed leaves neither its server nor its folder behind.
func TestAKilledProgramLeavesNothing(t *testing.T) {
	t.Parallel()
	if external() != "" {
		t.Log("the server is not ours to stop")
		return
	}
	if os.Getenv(asHelper) != "" {
		s, err := running()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("home " + s.home)
		select {}
	}
	// Whatever the helper starts inherits the writing end: it is at its end when all
	// of them are gone.
	alive, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	helper := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestAKilledProgramLeavesNothing$")
	helper.Env = append(os.Environ(), asHelper+"=1")
	helper.ExtraFiles = []*os.File{theirs}
	out, err := helper.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := helper.Start(); err != nil {
		t.Fatal(err)
	}
	if err := theirs.Close(); err != nil {
		t.Fatal(err)
	}
	var home string
	for lines := bufio.NewScanner(out); home == "" && lines.Scan(); {
		home, _ = strings.CutPrefix(lines.Text(), "home ")
		if home == lines.Text() {
			home = ""
		}
	}
	if _, err := os.Stat(filepath.Join(home, "data", "postmaster.pid")); err != nil {
		t.Errorf("control: no server runs in %q: %v", home, err)
	}
	if err := helper.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = helper.Wait()
	if _, err := io.ReadAll(alive); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(home); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", home, err)
	}
}

// The npm package's symbolic links are made where npm did not make them.
func TestHydrate(t *testing.T) {
	t.Parallel()
	native := filepath.Join(t.TempDir(), "package", "native")
	for name, content := range map[string]string{
		"lib/libx.so.1.2":  "the library",
		"pg-symlinks.json": `[{"source":"native/lib/libx.so.1.2","target":"native/lib/libx.so.1"}]`,
	} {
		path := filepath.Join(native, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // others may have made them
		if err := hydrate(native); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := os.ReadFile(filepath.Join(native, "lib/libx.so.1")); err != nil || string(b) != "the library" {
		t.Errorf("%q, %v", b, err)
	}
	if err := hydrate(t.TempDir()); err != nil {
		t.Errorf("a package without links: %v", err)
	}
}
