package command

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store/postgrestest"
)

// oneAtATime is why the race detector does not watch a test that is not marked long.Race.
const oneAtATime = "one call follows the other"

// command runs the program as a user would, and returns what it printed.
func command(t testing.TB, input string, args ...string) (code int, out, errs string) {
	t.Helper()
	long.NotUnderRace(t, oneAtATime)
	var o, e bytes.Buffer
	code = run(t.Context(), args, streams{strings.NewReader(input), &o, &e})
	return code, o.String(), e.String()
}

// commandsOn runs commands on one database. They must end with this code, and say this.
func commandsOn(t *testing.T, set Settings) func(want int, says string, args ...string) (out string) {
	t.Helper()
	return func(want int, says string, args ...string) string {
		t.Helper()
		code, out, errs := command(t, "", append(args, "--data-dir", set.DataDir, "--database-url", set.DatabaseURL)...)
		if code != want || !strings.Contains(out+errs, says) {
			t.Fatalf("%v: exit %d, %q %q; want %d and %q", args, code, out, errs, want, says)
		}
		return out
	}
}

func TestBadSettingsAreOneClearLine(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const password = "s3cr3t-of-the-database"
	postgrestest.Migrated(t) // so that the role that serves is there, whoever comes first
	for _, c := range []struct {
		name string
		args []string
		says string
	}{
		{"port in use", []string{"serve", "--data-dir", dir, "--addr", taken.Addr().String()}, "in use"},
		{"no address", []string{"serve", "--data-dir", dir, "--addr", "8080"}, "host:port"},
		{"no base URL", []string{"serve", "--data-dir", dir, "--public-url", "approvals.example.com"}, "https://"},
		{"no proxy", []string{"serve", "--data-dir", dir, "--trusted-proxies", "10.0.0.0/8,nginx"}, "nginx"},
		{"figures that insights still need", []string{"serve", "--data-dir", dir, "--keep-figures=179"}, "180 days"},
		{"a rate that is none", []string{"serve", "--data-dir", dir, "--agent-rate=-1"}, "unlimited"},
		{"unknown database", []string{"serve", "--data-dir", dir, "--database-url", "mysql://x"}, "SQLite"},
		{"no URL of a database", []string{"serve", "--data-dir", dir, "--database-url", "host=x password=" + password}, "postgres://"},
		{"a URL that cannot be read", []string{"serve", "--data-dir", dir, "--database-url", "postgres://u:" + password + "%@h:x/d"}, "percent-encoded"},
		{"a serving URL alone", []string{"serve", "--data-dir", dir, "--serving-database-url", "postgres://u:" + password + "@h/d"}, "COUNTERSIGN_DATABASE_URL"},
		{"no Postgres there", []string{"serve", "--data-dir", dir, "--addr", "127.0.0.1:0", "--database-url", "postgres://u:" + password + "@127.0.0.1:1/d"}, "no Postgres answers"},
		{"an empty Postgres", []string{"audit", "verify", "--database-url", postgrestest.Open(t)}, "isn't a database of Countersign, or an empty one"},
		{"unknown log level", []string{"serve", "--data-dir", dir, "--log-level", "loud"}, "debug"},
		{"unknown flag", []string{"serve", "--no-such-flag"}, "--no-such-flag"},
		{"unknown role", []string{"person", "create", "--tenant", "acme", "--roles", "king", "a@b.test"}, "operator"},
		{"no policy file", []string{"score", "--policy", filepath.Join(dir, "none")}, "none"},
		{"data directory is a file", []string{"serve", "--data-dir", file}, "data directory"},
		{"no database to verify", []string{"audit", "verify", "--data-dir", filepath.Join(dir, "none")}, "no database"},
		{"bad slug", []string{"tenant", "create", "--data-dir", dir, "Not A Slug"}, "a–z"},
		{"agent of nobody", []string{"agent", "create", "--data-dir", dir, "--tenant", "missing", "worker"}, "missing"},
		{"unknown scope", []string{"agent", "create", "--data-dir", dir, "--tenant", "acme", "--scopes", "all", "worker"}, "assess"},
		{"short password", []string{"person", "create", "--data-dir", dir, "--tenant", "acme", "--roles", "operator", "--password-stdin", "a@b.test"}, "12"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := command(t, "short\n", c.args...)
			lines := strings.Split(strings.TrimSpace(errs), "\n")
			if strings.Contains(errs, password) {
				t.Errorf("a password is in %q", errs)
			}
			if code != 1 || out != "" || len(lines) != 1 || !strings.Contains(errs, c.says) {
				t.Errorf("exit %d, out %q, err %q; want 1 and one line with %q", code, out, errs, c.says)
			}
		})
	}
}

func TestBreakGlass(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	do := func(input string, want int, says string, args ...string) string {
		t.Helper()
		code, out, errs := command(t, input, append(args, "--data-dir", dir)...)
		if code != want || !strings.Contains(out+errs, says) {
			t.Errorf("%v: exit %d, %q %q; want %d and %q", args, code, out, errs, want, says)
		}
		return out
	}
	do("", 0, "", "tenant", "create", "acme")
	do("correct horse battery\n", 0, "", "person", "create", "--tenant", "acme", "--roles", "operator", "--password-stdin", "ada@acme.test")
	do("", 0, "compliance, admin", "person", "grant", "--tenant", "acme", "--roles", "compliance,admin", "ADA@acme.test")
	do("", 1, "person create", "person", "grant", "--tenant", "acme", "--roles", "admin", "nobody@acme.test")
	do("", 1, "nowhere", "person", "grant", "--tenant", "nowhere", "--roles", "admin", "ada@acme.test")
	do("another horse battery\n", 0, "ada@acme.test", "person", "password", "--password-stdin", "ada@acme.test")
	do("short\n", 1, "12", "person", "password", "--password-stdin", "ada@acme.test")
	do("", 1, "empty", "person", "password", "--password-stdin", "ada@acme.test")
	do("", 0, "csk_acme_", "agent", "create", "--tenant", "acme", "worker")
	do("", 0, "stopped all agents", "agent", "stop-all", "--tenant", "acme", "--reason", "a leak")
	do("", 1, "already stopped", "agent", "stop-all", "--tenant", "acme")
	list := do("", 0, "have been stopped since", "agent", "list", "--tenant", "acme")
	if !strings.Contains(list, "worker") || !strings.Contains(list, "key_") || strings.Contains(list, "csk_") {
		t.Errorf("agent list: %q", list)
	}
	do("", 0, "can act again", "agent", "resume", "--tenant", "acme", "--reason", "fixed")
	do("", 1, "aren't stopped", "agent", "resume", "--tenant", "acme", "--reason", "fixed")
	do("", 1, "nowhere", "agent", "list", "--tenant", "nowhere")
	do("", 0, "acme", "audit", "verify")
}

func TestCreateAndVerify(t *testing.T) {
	t.Parallel()
	onBoth(t, createAndVerify)
}

func createAndVerify(t *testing.T, set Settings) {
	dir := set.DataDir
	command := func(t *testing.T, input string, args ...string) (int, string, string) {
		return command(t, input, append(args, "--database-url", set.DatabaseURL)...)
	}
	if code, _, errs := command(t, "", "migrate", "--data-dir", dir); code != 0 {
		t.Fatalf("migrate: %d %s", code, errs)
	}
	if code, _, errs := command(t, "", "tenant", "create", "--data-dir", dir, "acme"); code != 0 {
		t.Fatalf("tenant create: %d %s", code, errs)
	}
	if code, _, errs := command(t, "correct horse battery\n", "person", "create", "--data-dir", dir, "--tenant", "acme", "--roles", "operator,admin", "--password-stdin", "Ada@Acme.test"); code != 0 {
		t.Fatalf("person create: %d %s", code, errs)
	}
	code, out, _ := command(t, "", "agent", "create", "--data-dir", dir, "--tenant", "acme", "--owner", "ada@acme.test", "--scopes", "submit,assess", "worker")
	if code != 0 || !strings.HasPrefix(out, "csk_acme_") || strings.Count(out, "\n") != 1 {
		t.Errorf("agent create: %d %q; want the key alone on one line", code, out)
	}
	code, out, errs := command(t, "", "audit", "verify", "--data-dir", dir)
	if code != 0 || !strings.Contains(out, "acme") || !strings.Contains(out, "3 events") {
		t.Errorf("audit verify: %d %q %q", code, out, errs)
	}
	private := []string{dir}
	if set.DatabaseURL == "" {
		private = append(private, filepath.Join(dir, "countersign.db"))
	}
	for _, path := range private {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v %v; want no access for others", path, info.Mode(), err)
		}
	}
}

func TestScore(t *testing.T) {
	t.Parallel()
	in := strings.Join([]string{
		`{"function": "delete_user", "arguments": {"user_id": "usr_123", "env": "production"}, "docstring": "Permanently remove a user account."}`,
		``,
		`{"function": "delete_user", "arguments": {"user_id": "usr_123", "env": "production"}, "docstring": "Permanently remove a user account.", "session_id": "s", "call_number": 10}`,
		`{"function": "x", "function": "y"}`,
		`{"funktion": "x"}`,
		`{"function": "x", "call_number": 0}`,
	}, "\n")
	code, out, errs := command(t, in, "score")
	if code != 1 || errs != "" {
		t.Errorf("exit %d, err %q; want 1, because lines were refused, and nothing said", code, errs)
	}
	var answers []struct {
		Score float64
		Level string
		Error *struct{ Type, Detail string }
	}
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		var a struct {
			Score float64
			Level string
			Error *struct{ Type, Detail string }
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		answers = append(answers, a)
	}
	if len(answers) != 5 {
		t.Fatalf("%d answers for five lines", len(answers))
	}
	if a := answers[0]; a.Score != 0.72 || a.Level != "HIGH" {
		t.Errorf("the worked example: %v %s, want 0.72 HIGH", a.Score, a.Level)
	}
	if a := answers[1]; a.Score != 0.64 || a.Level != "HIGH" {
		t.Errorf("the tenth call: %v %s, want 0.64 HIGH", a.Score, a.Level)
	}
	for i, want := range []string{"malformed-json", "invalid-member", "invalid-member"} {
		if a := answers[2+i]; a.Error == nil || a.Error.Type != "urn:countersign:problem:"+want {
			t.Errorf("refused line %d: %+v, want %s", i, a, want)
		}
	}
	if code, _, _ := command(t, `{"function": "get_user"}`, "score"); code != 0 {
		t.Errorf("only good lines: exit %d", code)
	}
}

// TestScoreShowsNoSecret: what it prints is what a server would keep.
func TestScoreShowsNoSecret(t *testing.T) {
	t.Parallel()
	const key = "AKIAIOSFODNN7EXAMPLQ"
	for body, want := range map[string]string{
		`{"function": "get_user", "arguments": {"path": "/srv/KEY", "user_id": "KEY"}}`: `"aws-access-key"`,
		`{"function": "get_user", "hints": {"KEY": 1}}`:                                 `problem:secret-in-name`,
		`{"function": "get_user", "KEY": 1}`:                                            `problem:invalid-member`,
	} {
		_, out, errs := command(t, strings.ReplaceAll(body, "KEY", key), "score")
		if strings.Contains(out+errs, key) || !strings.Contains(out, want) {
			t.Errorf("%s: %s %s; want %s and no secret", body, out, errs, want)
		}
	}
}

// A line that is longer than any action is refused in its place, and the next ones are read.
func TestScoreRefusesALongLine(t *testing.T) {
	t.Parallel()
	long := `{"function": "b", "code": "` + strings.Repeat("x", 5*canon.MaxBytes) + `"}`
	code, out, errs := command(t, `{"function": "a"}`+"\n"+long+"\n"+`{"function": "c"}`, "score")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 1 || errs != "" || len(lines) != 3 {
		t.Fatalf("exit %d, err %q, %d lines", code, errs, len(lines))
	}
	for i, want := range []string{`"level":`, "urn:countersign:problem:body-too-large", `"level":`} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d is %.300s, want %s", i+1, lines[i], want)
		}
	}
}

// A policy that is wrong is told of once for each member, as policy import does.
func TestScoreRefusesAPolicy(t *testing.T) {
	t.Parallel()
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(policy, []byte("strategyy: max\ngrant_seconds: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := command(t, `{"function": "a"}`, "score", "--policy", policy)
	if lines := strings.Split(strings.TrimSpace(errs), "\n"); code != 1 || out != "" || len(lines) != 2 ||
		!strings.HasPrefix(lines[0], "/strategyy: isn't known") || !strings.HasPrefix(lines[1], "/grant_seconds: ") {
		t.Errorf("exit %d, out %q, err %q", code, out, errs)
	}
}

// A key that nobody saw must not look as if all went well.
func TestAnUnwrittenKeyIsAFailure(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	if code, _, errs := command(t, "", "tenant", "create", "--data-dir", dir, "acme"); code != 0 {
		t.Fatalf("tenant create: %d %s", code, errs)
	}
	var errs bytes.Buffer
	code := run(t.Context(), []string{"agent", "create", "--data-dir", dir, "--tenant", "acme", "bot"}, streams{strings.NewReader(""), fullDisk{}, &errs})
	if code != 1 || !strings.Contains(errs.String(), "is lost") {
		t.Errorf("exit %d, err %q", code, errs.String())
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// What an assessment says of the agent's record gives the same again.
func TestScoreTakesARecord(t *testing.T) {
	t.Parallel()
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(policy, []byte("{judgement: {preset: published}, trust: {enabled: true}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	const act = `{"function": "send_mail", "arguments": {"to": "jo@example.com"}`
	in := strings.Join([]string{
		act + `}`, act + `, "trust": null}`, act + `, "trust": {"succeeded": 62.25, "failed": 0, "bound": 1, "lowered": true}}`,
		act + `, "trust": {"succeeded": 62.25}}`, act + `, "trust": {"succeeded": -1, "failed": 0}}`, act + `, "trust": 62}`,
	}, "\n")
	code, out, _ := command(t, in, "score", "--policy", policy)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 1 || len(lines) != 6 {
		t.Fatalf("exit %d, %s", code, out)
	}
	for i, want := range []string{`"level":"MEDIUM"`, `"level":"MEDIUM"`, `"level":"LOW"`, "invalid-member", "invalid-member", "invalid-member"} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d: want %s: %s", i+1, want, lines[i])
		}
	}
	if !strings.Contains(lines[2], `"trust":{"succeeded":62.25,"failed":0,"bound":0.953561,"lowered":true}`) {
		t.Errorf("got %s", lines[2])
	}
}

// TestSigningKeyIsSharedAndPrivate: two starts at once agree on one key.
func TestSigningKeyIsSharedAndPrivate(t *testing.T) {
	t.Parallel()
	long.Race(t)
	dir := filepath.Join(t.TempDir(), "data")
	keys := make(chan string, 8)
	for range cap(keys) {
		go func() {
			s, err := keyFiles{dir, time.Now}.open()
			if err != nil {
				keys <- err.Error()
				return
			}
			keys <- string(s.JWKS())
		}()
	}
	first := <-keys
	for range cap(keys) - 1 {
		if k := <-keys; k != first {
			t.Errorf("two starts have two keys: %s and %s", first, k)
		}
	}
	if strings.Contains(first, `"d"`) {
		t.Error("the public document holds the private key")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v; want the key file alone", entries, err)
	}
	info, err := entries[0].Info()
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key file has mode %v", info.Mode())
	}
}

func TestServeAnnouncesAndEnds(t *testing.T) {
	t.Parallel()
	long.Race(t)
	ctx, stop := context.WithCancel(t.Context())
	out := &announced{seen: make(chan struct{}), until: "/first-run?token="}
	ended := make(chan int, 1)
	var errs bytes.Buffer
	go func() {
		ended <- run(ctx, []string{"--data-dir", filepath.Join(t.TempDir(), "data"), "serve", "--addr", "127.0.0.1:0", "--log-level", "error"}, streams{strings.NewReader(""), out, &errs})
	}()
	<-out.seen
	stop()
	if code := <-ended; code != 0 {
		t.Errorf("exit %d after a signal, want 0: %s", code, errs.String())
	}
}

// announced waits until a text was printed.
type announced struct {
	text  strings.Builder
	until string
	seen  chan struct{}
}

func (a *announced) Write(b []byte) (int, error) {
	before := strings.Contains(a.text.String(), a.until)
	a.text.Write(b)
	if !before && strings.Contains(a.text.String(), a.until) {
		close(a.seen)
	}
	return len(b), nil
}

// TestScoreKnowsNoIDs: there is no server that gave an evaluation an id or a time.
func TestScoreKnowsNoIDs(t *testing.T) {
	t.Parallel()
	_, out, _ := command(t, `{"function": "get_user"}`, "score")
	for _, none := range []string{"evaluation_id", "tenant_id", "agent_id", "timestamp", "0001-01-01"} {
		if strings.Contains(out, none) {
			t.Errorf("it prints %s: %s", none, out)
		}
	}
	if !strings.Contains(out, `"pattern_library_version"`) {
		t.Errorf("it prints no record: %s", out)
	}
}

// The program hashes at the product's cost, whether a command or the server does it: all
// other tests here make hashing cheap.
func TestPasswordsCostWhatTheProductTakes(t *testing.T) {
	t.Parallel()
	set := Settings{DataDir: dataDir(t)}
	if code, _, errs := command(t, "", "tenant", "create", "--data-dir", set.DataDir, "acme"); code != 0 {
		t.Fatal(errs)
	}
	sold := func(args ...string) *exec.Cmd {
		cmd := program(set, args...)
		cmd.Env = append(cmd.Env, beProgram+"="+asSold)
		return cmd
	}
	create := sold("person", "create", "--tenant", "acme", "--roles", "operator", "--password-stdin", "mei@acme.test")
	create.Stdin = strings.NewReader(testPassword + "\n")
	if out, err := create.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var hash string
	err := rawDatabase(t, set).QueryRowContext(t.Context(), "SELECT password_hash FROM people").Scan(&hash)
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=65536,t=3,p=1$") {
		t.Errorf("the command stored %q, %v", hash, err)
	}
	mei, err := newOperator()
	if err != nil {
		t.Fatal(err)
	}
	mei.url = serving(t, sold(serve...)).url
	if status, _, _ := mei.post("/sign-in", url.Values{"email": {"mei@acme.test"}, "password": {testPassword}}); status != http.StatusOK {
		t.Errorf("the server, which takes hashes of its own cost only, answers %d", status)
	}
}

// What panics in a command ends it with a trace, not with exit code 0.
func TestAPanicIsNoExit(t *testing.T) {
	t.Parallel()
	code := 7
	func() {
		defer exited(&code)
		panic(exit(2))
	}()
	if code != 2 {
		t.Errorf("exited with %d", code)
	}
	defer func() {
		if recover() != "broken" {
			t.Error("the panic is gone")
		}
	}()
	func() {
		defer exited(&code)
		panic("broken")
	}()
}
