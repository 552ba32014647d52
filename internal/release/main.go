// Command release builds a release into a folder: the programs for every platform, the image,
// the client packages, what is in them, and the sums of all files. The same commit, built with
// the same Go, npm and Python, gives the same bytes. install.sh installs from such a folder.
//
//	go run ./internal/release [-version v1.2.3] FOLDER
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// platform is a system and a processor, in Go's words.
type platform struct{ os, arch string }

var platforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// programs are the commands by the names that they are installed under.
var programs = []struct{ name, from string }{{"countersign", "./cmd/countersign"}, {"countersign-hook", "./cmd/countersign-hook"}}

// release is one run.
type release struct {
	root, out string    // the repository, and the folder that is filled
	version   string    // 1.2.3
	at        time.Time // of the commit: all that has a time has this one
	platforms []platform
	build     []string // more flags for go build
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	version := flag.String("version", "", "what is released; default: what git describe says")
	flag.Parse()
	out, err := filepath.Abs(flag.Arg(0))
	if err == nil {
		r := release{root: ".", out: out, platforms: platforms, build: []string{"-trimpath"}}
		if r.version, r.at, err = versionOf(ctx, r.root, *version); err == nil {
			err = r.make(ctx)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// make fills the folder. The sums come last, so a folder that has them is whole.
func (r release) make(ctx context.Context) error {
	work, err := os.MkdirTemp("", "countersign-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	if old, err := os.ReadDir(r.out); err != nil || len(old) > 0 {
		return fmt.Errorf("%s must be empty (%d files, %v)", r.out, len(old), err)
	}
	var built []binary
	for _, p := range r.platforms {
		here, err := r.compile(ctx, p, filepath.Join(work, p.os+"_"+p.arch))
		if err != nil {
			return err
		}
		if err := r.archive(p, here); err != nil {
			return err
		}
		if p.os == "linux" {
			if err := r.image(p, here[0].path); err != nil {
				return err
			}
		}
		built = append(built, here...)
	}
	if err := r.materials(built); err != nil {
		return err
	}
	if err := r.command(ctx, nil, "clients/pack.sh", r.out, r.version); err != nil {
		return err
	}
	script, err := os.ReadFile(filepath.Join(r.root, "install.sh"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.out, "install.sh"), script, 0o755); err != nil {
		return err
	}
	return r.sums()
}

// binary is a program that was built.
type binary struct{ name, path string }

func (r release) compile(ctx context.Context, p platform, dir string) (built []binary, err error) {
	for _, program := range programs {
		path := filepath.Join(dir, program.name)
		if p.os == "windows" {
			path += ".exe"
		}
		args := append([]string{"build", "-buildvcs=auto", "-ldflags=-s -w -X github.com/countersign/countersign/internal/version.release=v" + r.version, "-o", path}, r.build...)
		if err := r.command(ctx, []string{"CGO_ENABLED=0", "GOOS=" + p.os, "GOARCH=" + p.arch}, "go", append(args, program.from)...); err != nil {
			return nil, err
		}
		built = append(built, binary{program.name, path})
	}
	return built, nil
}

// command runs a program in the repository; what it says is shown if it fails.
func (r release) command(ctx context.Context, env []string, name string, args ...string) error {
	if strings.Contains(name, "/") {
		name = filepath.Join(r.root, name)
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = r.root, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return nil
}

// sums writes SHA256SUMS over the files of the folder.
func (r release) sums() error {
	files, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, f := range files {
		if f.Name() == "SHA256SUMS" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(r.out, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), f.Name())
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// released are the versions that Go, Python and npm all take and print alike.
var released = regexp.MustCompile(`^v?(\d+)\.(\d+)\.(\d+)(-(?:alpha|beta|rc|dev)\.\d+)?$`)

// versionOf is what was asked for, else the tag of the commit, else the next version's nth
// commit: 1.2.4-dev.7 is seven commits after v1.2.3, 0.0.0-dev.7 the seventh commit of all. The
// time is the commit's.
func versionOf(ctx context.Context, root, asked string) (version string, at time.Time, err error) {
	if asked == "" {
		asked = described(git(ctx, root, "describe", "--tags", "--long", "--match", "v[0-9]*"))
	}
	if asked == "" {
		asked = "0.0.0-dev." + git(ctx, root, "rev-list", "--count", "HEAD")
	}
	if !released.MatchString(asked) {
		return "", at, fmt.Errorf("%q is no version: say -version v1.2.3, or v1.2.3-rc.1 (alpha, beta, rc, dev)", asked)
	}
	if at, err = time.Parse(time.RFC3339, git(ctx, root, "log", "-1", "--format=%cI")); err != nil {
		return "", at, errors.New("there is no commit to take the time from")
	}
	return strings.TrimPrefix(asked, "v"), at.UTC(), nil
}

// described is the version that “git describe --long” means: a tag, how many commits are on
// top of it, and the newest one.
func described(long string) string {
	parts := regexp.MustCompile(`^(.+)-(\d+)-g[0-9a-f]+$`).FindStringSubmatch(long)
	if parts == nil {
		return ""
	}
	tag := released.FindStringSubmatch(parts[1])
	if parts[2] == "0" || tag == nil {
		return parts[1]
	}
	patch, _ := strconv.Atoi(tag[3])
	if tag[4] == "" {
		patch++
	}
	return fmt.Sprintf("%s.%s.%d-dev.%s", tag[1], tag[2], patch, parts[2])
}

// git is what git says; nothing outside of a repository, or where it has no answer.
func git(ctx context.Context, root string, args ...string) string {
	out, _ := exec.CommandContext(ctx, "git", append([]string{"-C", root}, args...)...).Output()
	return strings.TrimSpace(string(out))
}
