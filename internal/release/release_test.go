package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/modfile"
)

const (
	root  = "../.."
	tried = "1.2.3-rc.4" // Python writes it otherwise in a wheel's name
)

// native is a release for this machine alone, compiled as the tests are: -trimpath would
// compile everything once more.
func native(t *testing.T) release {
	t.Helper()
	folder, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	return release{root: folder, out: t.TempDir(), version: tried, at: time.Unix(1700000000, 0).UTC(), platforms: []platform{{runtime.GOOS, runtime.GOARCH}}}
}

// TestInstalled installs what was built where nothing was, and asks each part which version
// it is.
func TestInstalled(t *testing.T) {
	t.Parallel()
	r := native(t)
	if err := r.make(t.Context()); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(r.out)))
	defer server.Close()
	for from, address := range map[string]string{"folder": r.out, "file": "file://" + r.out, "http": server.URL + "/"} {
		t.Run("from "+from, func(t *testing.T) {
			h := newHome(t)
			out, err := h.install("--from", address)
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			bin := filepath.Join(h.dir, ".local", "bin")
			if want := `export PATH="` + bin; !strings.Contains(out, want) {
				t.Errorf("it said %q, without %q", out, want)
			}
			for _, program := range []string{"countersign version", "countersign-hook --version"} {
				words := strings.Fields(program)
				if got := h.run(t, filepath.Join(bin, words[0]), words[1:]...); !strings.HasPrefix(got, words[0]+" v"+tried+" (") {
					t.Errorf("%s: %q", program, got)
				}
			}
			if files := names(t, bin); !slices.Equal(files, []string{"countersign", "countersign-hook"}) {
				t.Errorf("it left %q", files)
			}
			if left := names(t, h.temp); len(left) > 0 {
				t.Errorf("it left %q in the temporary folder", left)
			}
		})
	}
	t.Run("Python", func(t *testing.T) {
		h := newHome(t)
		wheel := filepath.Join(r.out, "countersign_client-1.2.3rc4-py3-none-any.whl")
		h.run(t, "python3", "-m", "zipfile", "-e", wheel, h.dir)
		script := `import countersign, importlib.metadata; print(countersign.__version__, importlib.metadata.version("countersign-client"))`
		if got := h.run(t, "python3", "-c", script); got != tried+" 1.2.3rc4" {
			t.Errorf("it says %q", got)
		}
	})
	t.Run("npm", func(t *testing.T) {
		h := newHome(t)
		if err := os.WriteFile(filepath.Join(h.dir, "package.json"), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		h.run(t, "npm", "install", "--offline", "--no-audit", "--no-fund", "--silent", filepath.Join(r.out, "countersign-"+tried+".tgz"))
		script := `import("countersign").then(c => console.log(c.VERSION, JSON.parse(require("fs").readFileSync("node_modules/countersign/package.json")).version))`
		if got := h.run(t, "node", "-e", script); got != tried+" "+tried {
			t.Errorf("it says %q", got)
		}
	})
	t.Run("materials", func(t *testing.T) { lists(t, r) })
}

// lists holds the SBOM against what the installed program says it is made of.
func lists(t *testing.T, r release) {
	t.Helper()
	h := newHome(t)
	if out, err := h.install("--from", r.out, "--to", h.dir); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(r.out, "countersign_"+tried+"_sbom.cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var bom struct {
		Components []struct {
			Ref string `json:"bom-ref"`
		}
		Dependencies []struct {
			Ref       string
			DependsOn []string
		}
	}
	if err := json.Unmarshal(data, &bom); err != nil {
		t.Fatal(err)
	}
	if len(bom.Dependencies) != len(programs) {
		t.Fatalf("%d programs", len(bom.Dependencies))
	}
	for _, program := range bom.Dependencies {
		info, err := buildinfo.ReadFile(filepath.Join(h.dir, program.Ref))
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"pkg:golang/stdlib@" + strings.TrimPrefix(info.GoVersion, "go")}
		for _, m := range info.Deps {
			want = append(want, "pkg:golang/"+m.Path+"@"+m.Version)
		}
		if program.Ref == "countersign" {
			want = append(want, "pkg:npm/htmx.org@4.0.1", "pkg:npm/uplot@1.6.32")
		}
		slices.Sort(want)
		if !slices.Equal(program.DependsOn, want) {
			t.Errorf("%s is made of %q, and the list says %q", program.Ref, want, program.DependsOn)
		}
		for _, ref := range want {
			if !strings.Contains(string(data), `"purl": "`+ref+`"`) {
				t.Errorf("%s is no component", ref)
			}
		}
	}
}

// TestInstallRefuses: what is no whole release is not installed, with a sentence that says
// why, and leaves everything as it was.
func TestInstallRefuses(t *testing.T) {
	t.Parallel()
	here := "_" + runtime.GOOS + "_" + runtime.GOARCH + ".tar.gz"
	archive := "countersign_" + tried + here
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, folder string)
		from  string // instead of the folder
		want  string
	}{
		{name: "nothing there", from: "/nowhere/at/all", want: "/nowhere/at/all is no release of Countersign: it has no SHA256SUMS"},
		{name: "another scheme", from: "ftp://127.0.0.1/x", want: "is neither a folder nor an address with https, http or file"},
		{name: "no sums", spoil: func(t *testing.T, folder string) { remove(t, folder, "SHA256SUMS") }, want: "is no release of Countersign"},
		{name: "empty sums", spoil: func(t *testing.T, folder string) { write(t, folder, "SHA256SUMS", nil) }, want: "has nothing for " + runtime.GOOS + " on " + runtime.GOARCH},
		{name: "no archive", spoil: func(t *testing.T, folder string) { remove(t, folder, archive) }, want: archive + " is missing in "},
		{name: "a changed archive", spoil: func(t *testing.T, folder string) { write(t, folder, archive, []byte("other")) }, want: archive + " is not what SHA256SUMS says"},
		{name: "a program that was changed and runs", spoil: func(t *testing.T, folder string) {
			write(t, folder, archive, packed(t, "countersign", "countersign-hook", "more"))
		}, want: archive + " is not what SHA256SUMS says"},
		{name: "two archives", spoil: func(t *testing.T, folder string) {
			write(t, folder, "countersign_1.2.4"+here, packed(t, "countersign", "countersign-hook"))
			summed(t, folder)
		}, want: "has more than one archive"},
		{name: "an archive of another place", spoil: func(t *testing.T, folder string) {
			write(t, folder, "SHA256SUMS", fmt.Appendf(nil, "%x  ../countersign_1%s\n", sha256.Sum256(nil), here))
		}, want: "has nothing for"},
		{name: "one program only", spoil: func(t *testing.T, folder string) {
			write(t, folder, archive, packed(t, "countersign"))
			summed(t, folder)
		}, want: archive + " does not have both programs"},
		{name: "a link", spoil: func(t *testing.T, folder string) {
			write(t, folder, archive, packed(t, "countersign", "countersign-hook -> /bin/sh"))
			summed(t, folder)
		}, want: "countersign-hook in " + archive + " is no file"},
		{name: "no archive at all", spoil: func(t *testing.T, folder string) {
			write(t, folder, archive, []byte("no archive"))
			summed(t, folder)
		}, want: archive + " does not have both programs"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			write(t, folder, archive, packed(t, "countersign", "countersign-hook"))
			summed(t, folder)
			if tt.spoil != nil {
				tt.spoil(t, folder)
			}
			addresses := []string{folder}
			if tt.from != "" {
				addresses[0] = tt.from
			} else {
				server := httptest.NewServer(http.FileServer(http.Dir(folder)))
				defer server.Close()
				addresses = append(addresses, server.URL)
			}
			for _, from := range addresses {
				h := newHome(t)
				old := filepath.Join(h.dir, ".local", "bin")
				if err := os.MkdirAll(old, 0o700); err != nil {
					t.Fatal(err)
				}
				write(t, old, "countersign", []byte("the old one"))
				out, err := h.install("--from", from)
				said := strings.Split(strings.TrimSpace(out), "\n")
				if last := said[len(said)-1]; err == nil || !strings.HasPrefix(last, "install.sh: ") || !strings.Contains(last, tt.want) {
					t.Errorf("%s: %v, it said %q, want %q", from, err, out, tt.want)
				}
				if kept, _ := os.ReadFile(filepath.Join(old, "countersign")); string(kept) != "the old one" || len(names(t, old)) != 1 || len(names(t, h.dir)) != 1 || len(names(t, h.temp)) != 0 {
					t.Errorf("%s: it wrote %q, %q, %q", from, names(t, h.dir), names(t, old), names(t, h.temp))
				}
			}
		})
	}
	for name, args := range map[string][]string{"nothing said": nil, "a flag without a value": {"--from"}, "an unknown flag": {"--from", "x", "--root", "/"}} {
		if out, err := newHome(t).install(args...); err == nil || !strings.HasPrefix(out, "usage: ") {
			t.Errorf("%s: %v, it said %q", name, err, out)
		}
	}
}

// TestInstallReplaces: the programs that were there are replaced, and no folder is.
func TestInstallReplaces(t *testing.T) {
	t.Parallel()
	folder, h := t.TempDir(), newHome(t)
	write(t, folder, "countersign_"+tried+"_"+runtime.GOOS+"_"+runtime.GOARCH+".tar.gz", packed(t, "countersign", "countersign-hook"))
	summed(t, folder)
	write(t, h.dir, "countersign", []byte("the old one"))
	if out, err := h.install("--from", folder, "--to", h.dir); err != nil || !strings.Contains(out, "Installed in "+h.dir+": I am countersign") {
		t.Fatalf("%v: %s", err, out)
	}
	remove(t, h.dir, "countersign")
	if err := os.Mkdir(filepath.Join(h.dir, "countersign"), 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := h.install("--from", folder, "--to", h.dir); err == nil || !strings.Contains(out, "countersign is a folder") || len(names(t, h.dir)) != 2 {
		t.Errorf("%v: %s; it wrote %q", err, out, names(t, h.dir))
	}
}

func TestInstallScriptIsSound(t *testing.T) {
	t.Parallel()
	checks := [][]string{{"sh", "-n"}}
	if found, err := exec.LookPath("shellcheck"); err == nil {
		checks = append(checks, []string{found, "-s", "sh"})
	}
	for _, check := range checks {
		if out, err := exec.Command(check[0], append(check[1:], filepath.Join(root, "install.sh"))...).CombinedOutput(); err != nil {
			t.Errorf("%q: %v: %s", check, err, out)
		}
	}
}

// TestVersions: Go, Python and npm take every version that is accepted.
func TestVersions(t *testing.T) {
	t.Parallel()
	for long, want := range map[string]string{
		"v1.2.3-0-gabcdef0": "v1.2.3", "v1.2.3-7-gabcdef0": "1.2.4-dev.7", "v2.0.0-rc.1-0-gabcdef0": "v2.0.0-rc.1", "v2.0.0-rc.1-3-gabcdef0": "2.0.0-dev.3",
		"v1-3-gabcdef0": "v1", "": "",
	} {
		if got := described(long); got != want {
			t.Errorf("%q is %q, want %q", long, got, want)
		}
	}
	for asked, want := range map[string]string{"v1.2.3": "1.2.3", "1.2.3-rc.1": "1.2.3-rc.1", "v1": "", "1.2.3-7-gabcdef0": "", "1.2.3+more": "", "../1.2.3": ""} {
		got, _, err := versionOf(t.Context(), root, asked)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", asked, got, err, want)
		}
	}
	if got, at, err := versionOf(t.Context(), root, ""); err != nil || !released.MatchString(got) || at.IsZero() {
		t.Errorf("this commit is %q of %v, %v", got, at, err)
	}
	if got, _, err := versionOf(t.Context(), t.TempDir(), ""); err == nil {
		t.Errorf("outside of a repository it is %q", got)
	}
}

// TestImage reads the image as a registry does: each blob by its digest.
func TestImage(t *testing.T) {
	t.Parallel()
	r := native(t)
	program := filepath.Join(t.TempDir(), "countersign")
	write(t, filepath.Dir(program), "countersign", []byte("the program"))
	path := filepath.Join(r.out, "countersign_"+tried+"_image_linux_arm64.tar")
	var first []byte
	for range 2 {
		if err := r.image(platform{"linux", "arm64"}, program); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = data
		} else if !bytes.Equal(first, data) {
			t.Error("the same program gives another image")
		}
	}
	files := untarred(t, first)
	type descriptor struct {
		Digest string
		Size   int
	}
	blob := func(d descriptor) []byte {
		data := files["blobs/"+strings.Replace(d.Digest, ":", "/", 1)].data
		if fmt.Sprintf("sha256:%x", sha256.Sum256(data)) != d.Digest || len(data) != d.Size {
			t.Fatalf("%v is not what it says", d)
		}
		return data
	}
	var index struct{ Manifests []descriptor }
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	var config struct {
		Architecture string
		Config       struct {
			User       string
			Entrypoint []string
			Labels     map[string]string
		}
		Rootfs struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	parse(t, files["index.json"].data, &index)
	parse(t, blob(index.Manifests[0]), &manifest)
	parse(t, blob(manifest.Config), &config)
	if c := config.Config; config.Architecture != "arm64" || c.User != "65532:65532" || c.Labels["org.opencontainers.image.version"] != tried || !slices.Equal(c.Entrypoint, []string{"/countersign"}) {
		t.Errorf("it is configured as %+v", config)
	}
	layer := gunzipped(t, blob(manifest.Layers[0]))
	if got := fmt.Sprintf("sha256:%x", sha256.Sum256(layer)); got != config.Rootfs.DiffIDs[0] {
		t.Errorf("the layer is %s, and the configuration says %s", got, config.Rootfs.DiffIDs)
	}
	inside := untarred(t, layer)
	if f := inside["countersign"]; string(f.data) != "the program" || f.mode != 0o755 {
		t.Errorf("the program is %q with mode %o", f.data, f.mode)
	}
	if f := inside["data/"]; f.owner != 65532 || f.mode != 0o700 {
		t.Errorf("data belongs to %d with mode %o", f.owner, f.mode)
	}
	if n := bytes.Count(inside["etc/ssl/certs/ca-certificates.crt"].data, []byte("BEGIN CERTIFICATE")); n < 100 {
		t.Errorf("it trusts %d authorities", n)
	}
}

// TestGoInstallTakesTheModule: “go install …@v1.2.3” refuses a module whose go.mod replaces or
// excludes others.
func TestGoInstallTakesTheModule(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(mod.Replace) > 0 || len(mod.Exclude) > 0 {
		t.Errorf("go.mod replaces %v and excludes %v", mod.Replace, mod.Exclude)
	}
}
