package command

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/store/postgrestest"
)

var shellBlock = regexp.MustCompile("(?s)\n *```sh\n(.*?)```")

// asDocumented runs the commands of a part of docs/operate.md word for word, but for the place
// of the backup.
func asDocumented(t *testing.T, set Settings, heading, place string) (out string, err error) {
	t.Helper()
	page, err := os.ReadFile("../../docs/operate.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, found := strings.Cut(string(page), heading+"\n")
	part, _, _ = strings.Cut(part, "\n#")
	blocks := shellBlock.FindAllStringSubmatch(part, -1)
	if !found || len(blocks) != 1 {
		t.Fatalf("%s has %d commands in docs/operate.md, want 1", heading, len(blocks))
	}
	bin := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(bin, "countersign")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-eu", "-c", strings.ReplaceAll(blocks[0][1], "/var/backups/countersign", place))
	cmd.Env = append(os.Environ(), beProgram+"=1", "PATH="+bin+":"+os.Getenv("PATH"), "COUNTERSIGN_DATA_DIR="+set.DataDir, "COUNTERSIGN_DATABASE_URL="+set.DatabaseURL)
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// TestBackupDrill does what docs/operate.md says: back up under load, destroy, restore, verify.
// Nothing of before can be spent or decided then, also not what was spent since the backup.
func TestBackupDrill(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, set Settings) {
		t.Run("into a Postgres", func(t *testing.T) {
			backupDrill(t, set, Settings{DataDir: filepath.Join(t.TempDir(), "data"), DatabaseURL: postgrestest.Open(t)})
		})
		t.Run("into SQLite", func(t *testing.T) {
			backupDrill(t, Settings{DataDir: dataDir(t), DatabaseURL: set.DatabaseURL}, Settings{DataDir: filepath.Join(t.TempDir(), "data")})
		})
	})
}

func backupDrill(t *testing.T, set, to Settings) {
	if set.DatabaseURL != "" {
		set.DatabaseURL = postgrestest.Migrated(t)
	}
	place := t.TempDir()
	key := crashTenant(t, set)
	server := start(t, set)
	agent := &agentClient{url: server.url, key: key}
	submit := func(body string) reply {
		t.Helper()
		r, ok := agent.call("POST", "/api/v1/approvals", "", body)
		if !ok || r.status != http.StatusCreated {
			t.Fatalf("submit: %d %s", r.status, r.raw)
		}
		return r
	}
	spend := func(a reply) reply {
		r, _ := agent.call("POST", "/api/v1/approvals/"+a.ID+"/consume", "", fmt.Sprintf(`{"digest": %q}`, a.Digest))
		return r
	}
	const through, held = `{"function": "get_user", "arguments": {"user_id": "usr_1"}}`, `{"function": "deploy_service", "arguments": {"env": "production"}}`
	unspent, pending, spent := submit(through), submit(held), submit(through)
	if r := spend(spent); r.status != http.StatusOK {
		t.Fatalf("spend: %d %s", r.status, r.raw)
	}
	stop, load := make(chan struct{}), sync.WaitGroup{}
	for i := range 2 {
		load.Go(func() {
			c := &agentClient{url: server.url, key: key}
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				if r, ok := c.call("POST", "/api/v1/approvals", fmt.Sprint(i, "-", n), through); !ok || r.status != http.StatusCreated {
					t.Errorf("a submission during the backup: %d %s", r.status, r.raw)
					return
				}
			}
		})
	}
	out, err := asDocumented(t, set, "## Backups", place)
	close(stop)
	load.Wait()
	if err != nil || !strings.Contains(out, "backed up and verified: "+place+"/monday") {
		t.Fatalf("backup: %v %s", err, out)
	}
	wantSecret(t, place)
	// After the backup: a grant of before is spent, and there are new ones.
	if r := spend(unspent); r.status != http.StatusOK {
		t.Fatalf("spend: %d %s", r.status, r.raw)
	}
	since := submit(through)
	if _, out, errs := command(t, "", "audit", "verify", "--data-dir", set.DataDir, "--database-url", set.DatabaseURL); !strings.Contains(out, "acme: holds") {
		t.Fatalf("%s %s", out, errs)
	}
	server.kill()
	// The machine is lost, but for its checkpoints.
	if err := os.MkdirAll(to.DataDir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(set.noteDir(), to.noteDir()); err != nil {
		t.Fatal(err)
	}
	newest, err := os.ReadFile(notePath(to.noteDir(), "acme"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(notePath(to.noteDir(), "later"), newest, 0o600); err != nil { // of an organisation made since
		t.Fatal(err)
	}

	out, err = asDocumented(t, to, "### Restoring", place)
	restored := regexp.MustCompile(`acme: restored with (\d+) events; 1 requests cancelled, (\d+) approvals voided`).FindStringSubmatch(out)
	if err != nil || !strings.Contains(out, "restored and verified") || !strings.Contains(out, "acme: holds") || restored == nil {
		t.Fatalf("restore: %v %s", err, out)
	}
	server = start(t, to)
	agent.url = server.url
	for name, c := range map[string]struct {
		a    reply
		want int
		says string
	}{
		"spent since":  {unspent, http.StatusConflict, "grant-void"},
		"spent before": {spent, http.StatusConflict, "already-consumed"},
		"made since":   {since, http.StatusNotFound, "not-found"},
	} {
		if r := spend(c.a); r.status != c.want || !strings.Contains(r.Type, c.says) {
			t.Errorf("%s: %d %s; want %d %s", name, r.status, r.raw, c.want, c.says)
		}
	}
	if r := spend(unspent); !strings.Contains(r.Detail, "restored from a backup") {
		t.Errorf("the agent is told %s", r.raw)
	}
	r, _ := agent.call("GET", "/api/v1/approvals/"+pending.ID, "", "")
	if r.Status != "cancelled" || r.Decision == nil || !strings.Contains(r.Decision.Reason, "restored from a backup") {
		t.Errorf("what waited: %s", r.raw)
	}
	if a := submit(through); spend(a).status != http.StatusOK {
		t.Error("a new grant can't be spent")
	}
	server.kill()
	if code, out, errs := command(t, "", "audit", "verify", "--data-dir", to.DataDir, "--database-url", to.DatabaseURL); code != 0 {
		t.Errorf("%s %s", out, errs)
	}
	// The trail says for ever what is missing.
	keys, err := (checkpointFiles{to.DataDir}).load()
	if err != nil {
		t.Fatal(err)
	}
	c, err := audit.OpenCheckpoint(newest, keys.public...)
	if err != nil {
		t.Fatal(err)
	}
	had, _ := strconv.ParseInt(restored[1], 10, 64)
	_, trail, _ := command(t, "", "audit", "export", "--format", "csv", "--tenant", "acme", "--data-dir", to.DataDir, "--database-url", to.DatabaseURL)
	if want := fmt.Sprintf("lacks the newest %d entries", c.Size-had); c.Size <= had || !strings.Contains(trail, want) {
		t.Errorf("the trail doesn't say %q", want)
	}
	note, err := os.ReadFile(notePath(to.noteDir(), "acme"))
	if err != nil {
		t.Fatal(err)
	}
	if c, err := audit.OpenCheckpoint(note, keys.public...); err != nil || c.Epoch != 2 {
		t.Errorf("epoch %d, %v", c.Epoch, err)
	}
	// Twice into the same place would be over what is there.
	if out, err := asDocumented(t, to, "### Restoring", place); err == nil || !strings.Contains(out, "isn't empty") {
		t.Errorf("%v %s", err, out)
	}
}

// wantSecret holds a backup against being read by others, and against being half of one.
func wantSecret(t *testing.T, place string) {
	t.Helper()
	if all, err := filepath.Glob(place + "/*"); err != nil || len(all) != 1 {
		t.Errorf("%v %v: want the backup alone", all, err)
	}
	err := filepath.Walk(filepath.Join(place, "monday"), func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %s", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestBackupRefuses names what keeps a copy from being one, and leaves nothing that looks like it.
func TestBackupRefuses(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, set Settings) {
		place := filepath.Join(t.TempDir(), "backup")
		try := func(says string, args ...string) {
			t.Helper()
			code, out, errs := command(t, "", append(args, "--data-dir", set.DataDir, "--database-url", set.DatabaseURL)...)
			if code != 1 || !strings.Contains(errs, says) {
				t.Errorf("%v: exit %d, %s %s; want %q", args, code, out, errs, says)
			}
			if all, _ := filepath.Glob(place + "*"); args[0] == "backup" && len(all) > 0 {
				t.Errorf("there is %v", all)
			}
		}
		backup := []string{"backup", "--to", place}
		try("no signing key in", backup...)
		try("no finished backup", "restore", "--from", place)
		h := bootOn(t, set)
		try("no organisation", backup...)
		key := h.organisation("acme", nil)
		h.call(key, "POST", "/api/v1/approvals", `{"function": "get_user", "arguments": {"user_id": "usr_1"}}`)
		if code, _, errs := command(t, "", append(backup, "--data-dir", set.DataDir, "--database-url", set.DatabaseURL)...); code != 0 {
			t.Fatal(errs)
		}
		try("isn't empty", "restore", "--from", place)
	})
}
