package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// home is a machine on which nothing is installed.
type home struct{ dir, temp string }

func newHome(t *testing.T) home {
	t.Helper()
	h := home{t.TempDir(), t.TempDir()}
	return h
}

func (h home) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = h.dir
	cmd.Env = []string{"HOME=" + h.dir, "TMPDIR=" + h.temp, "PATH=" + os.Getenv("PATH"), "PYTHONPATH=" + h.dir, "PYTHONDONTWRITEBYTECODE=1"}
	return cmd
}

func (h home) install(args ...string) (out string, err error) {
	script, err := filepath.Abs(filepath.Join(root, "install.sh"))
	if err != nil {
		return "", err
	}
	said, err := h.command("sh", append([]string{script}, args...)...).CombinedOutput()
	return string(said), err
}

// run is what a program says on its standard output.
func (h home) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := h.command(name, args...)
	var wrong bytes.Buffer
	cmd.Stderr = &wrong
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s%s", cmd, err, out, wrong.String())
	}
	return strings.TrimSpace(string(out))
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

func write(t *testing.T, dir, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

// summed writes the sums of a folder anew.
func summed(t *testing.T, folder string) {
	t.Helper()
	if err := (release{out: folder}).sums(); err != nil {
		t.Fatal(err)
	}
}

// packed is an archive with scripts that say who they are, or links.
func packed(t *testing.T, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	tape := tar.NewWriter(zip)
	for _, f := range files {
		name, link, linked := strings.Cut(f, " -> ")
		script := "#!/bin/sh\necho I am " + name + "\n"
		h := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(script)), Typeflag: tar.TypeReg}
		if linked {
			h, script = &tar.Header{Name: name, Linkname: link, Typeflag: tar.TypeSymlink}, ""
		}
		if err := tape.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := tape.Write([]byte(script)); err != nil {
			t.Fatal(err)
		}
	}
	if err := tape.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func untarred(t *testing.T, data []byte) map[string]file {
	t.Helper()
	files := map[string]file{}
	for tape := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := tape.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(tape)
		if err != nil {
			t.Fatal(err)
		}
		files[h.Name] = file{h.Name, h.Mode, h.Uid, body}
	}
}

func gunzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func parse(t *testing.T, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
}
