package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pressly/goose/v3"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/store/postgrestest"
	"github.com/countersign/countersign/migrations"
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
	mei, err := newOperator()
	if err != nil {
		t.Fatal(err)
	}
	signedIn := func() bool {
		mei.url = server.url
		_, page, _ := mei.get("/t/acme/queue")
		return strings.Contains(page, "Pending approvals")
	}
	mei.url = server.url
	if _, _, ok := mei.post("/sign-in", url.Values{"email": {"mei@acme.test"}, "password": {testPassword}}); !ok || !signedIn() {
		t.Fatal("nobody is signed in")
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
	if signedIn() {
		t.Error("a session of before the restore, which may have been ended since the backup, goes on")
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
		place := t.TempDir()
		try := func(set Settings, want int, says string, args ...string) {
			t.Helper()
			commandsOn(t, set)(want, says, args...)
		}
		backup := func(to string) []string { return []string{"backup", "--to", filepath.Join(place, to)} }
		try(set, 1, "no signing key in", backup("early")...)
		h := bootOn(t, set)
		try(set, 1, "no organisation", backup("early")...)
		key := h.organisation("acme", nil)
		act := func() {
			h.call(key, "POST", "/api/v1/approvals", `{"function": "get_user", "arguments": {"user_id": "usr_1"}}`)
		}
		act()
		try(set, 0, "backed up and verified", backup("good")...)
		try(set, 1, "exists already", backup("good")...)

		// A copy of what is not what was signed, or of an earlier state, is none.
		raw := rawDatabase(t, set)
		change := func(statement string) {
			t.Helper()
			if _, err := raw.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		change("UPDATE agents SET name = 'forged' WHERE name = 'worker'")
		try(set, 1, "acme: its trail doesn't hold", backup("forged")...)
		change("UPDATE agents SET name = 'worker' WHERE name = 'forged'")
		ahead, err := os.ReadFile(notePath(set.noteDir(), "acme"))
		if err != nil {
			t.Fatal(err)
		}
		c, err := h.signed.Open(ahead)
		if err != nil {
			t.Fatal(err)
		}
		c.Size++
		if ahead, err = h.signed.Sign(c); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(notePath(set.noteDir(), "acme"), ahead, 0o600); err != nil {
			t.Fatal(err)
		}
		try(set, 1, "its end was cut off", backup("earlier")...)
		if all, err := os.ReadDir(place); err != nil || len(all) != 1 {
			t.Errorf("%v %v: want the good one alone", all, err)
		}

		// What is half of a backup, was changed, or has no room is not restored.
		restore := func(from string) []string { return []string{"restore", "--from", filepath.Join(place, from)} }
		empty := func() Settings {
			to := Settings{DataDir: t.TempDir()}
			if set.DatabaseURL != "" {
				to.DatabaseURL = postgrestest.Open(t)
			}
			return to
		}
		try(set, 1, "isn't empty", restore("good")...)
		if set.DatabaseURL != "" {
			try(Settings{DataDir: t.TempDir(), DatabaseURL: set.DatabaseURL}, 1, "this database isn't empty", restore("good")...)
		}
		for name, spoil := range map[string]func(dir string) error{
			"half":   func(dir string) error { return os.Remove(filepath.Join(dir, lastBackup)) },
			"forged": func(dir string) error { return forge(t, dir) },
		} {
			if err := os.CopyFS(filepath.Join(place, name), os.DirFS(filepath.Join(place, "good"))); err != nil {
				t.Fatal(err)
			}
			if err := spoil(filepath.Join(place, name)); err != nil {
				t.Fatal(err)
			}
			to := empty()
			try(to, 1, map[string]string{"half": "no finished backup", "forged": "acme: its trail doesn't hold"}[name], restore(name)...)
			if all, err := os.ReadDir(to.DataDir); err != nil || len(all) > 0 {
				t.Errorf("%s: there is %v, %v", name, all, err)
			}
			try(to, 0, "restored and verified", restore("good")...) // there is room still
		}
	})
}

func forge(t *testing.T, dir string) error {
	_, err := rawDatabase(t, Settings{DataDir: dir}).ExecContext(t.Context(), "UPDATE agents SET name = 'forged'; PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

// Each start says where the last backup is, and so does what changes the schema.
func TestLastBackupIsSaid(t *testing.T) {
	t.Parallel()
	set := Settings{DataDir: dataDir(t)}
	started := func() string {
		t.Helper()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var errs bytes.Buffer
		said, out := io.Pipe()
		ended := make(chan int)
		go func() {
			ended <- run(ctx, []string{"serve", "--addr", "127.0.0.1:0", "--data-dir", set.DataDir}, streams{strings.NewReader(""), out, &errs})
		}()
		if _, err := said.Read(make([]byte, 1<<10)); err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.Copy(io.Discard, said) }()
		stop()
		<-ended
		return errs.String()
	}
	if log := started(); !strings.Contains(log, `msg="last backup" made="none yet`) {
		t.Errorf("%s", log)
	}
	if code, _, errs := command(t, "", "tenant", "create", "acme", "--data-dir", set.DataDir); code != 0 {
		t.Fatal(errs)
	}
	to := filepath.Join(t.TempDir(), "backup")
	if code, _, errs := command(t, "", "backup", "--to", to, "--data-dir", set.DataDir); code != 0 {
		t.Fatal(errs)
	}
	if log := started(); !strings.Contains(log, `msg="last backup" made="20`) || !strings.Contains(log, to) {
		t.Errorf("%s", log)
	}
	names, err := fs.Glob(migrations.Files, "*.postgres.sql")
	if err != nil {
		t.Fatal(err)
	}
	older, err := goose.NewProvider(goose.DialectSQLite3, rawDatabase(t, set), migrations.Files, goose.WithDisableGlobalRegistry(true), goose.WithExcludeNames(names))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := older.Down(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, _, errs := command(t, "", "migrate", "--data-dir", set.DataDir); !strings.Contains(errs, "only a backup leads back") || !strings.Contains(errs, to) {
		t.Errorf("%s", errs)
	}
}
