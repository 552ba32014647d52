// Package service finds the server of this machine and starts one: as a service of the user,
// or in the background.
//
// Only “countersign setup” starts a server. A hook never does: it would approve into an empty
// trail.
package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Server is a server of this machine, running or not.
type Server struct {
	Program string // an absolute path
	Addr    string // host:port, of this machine only
	Dir     string // its data
}

// URL is how browsers and agents of this machine reach it.
func (s Server) URL() string { return "http://" + s.Addr }

// PIDFile and LogFile are of a server in the background.
func (s Server) PIDFile() string { return filepath.Join(s.Dir, "server.pid") }
func (s Server) LogFile() string { return filepath.Join(s.Dir, "server.log") }

// args are its command line.
func (s Server) args() []string {
	return []string{"serve", "--addr", s.Addr, "--public-url", s.URL(), "--data-dir", s.Dir}
}

// ErrInUse is a port that something else holds.
var ErrInUse = errors.New("another program holds it")

// Running says whether a server of ours answers at the address, and with which keys it signs
// grants. ErrInUse where something else does.
func (s Server) Running(ctx context.Context) (keys []string, running bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var ready struct{ Status, Type string }
	err = s.get(ctx, "/readyz", &ready)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return nil, false, nil
	case err != nil || ready.Status != "ready":
		return nil, false, fmt.Errorf("%s: %w", s.Addr, ErrInUse)
	}
	var set struct{ Keys []struct{ Kid string } }
	if err := s.get(ctx, "/.well-known/jwks.json", &set); err != nil {
		return nil, false, fmt.Errorf("%s: %w", s.Addr, ErrInUse)
	}
	for _, k := range set.Keys {
		keys = append(keys, k.Kid)
	}
	return keys, true, nil
}

func (s Server) get(ctx context.Context, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL()+path, nil)
	if err != nil {
		return err
	}
	c := http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true}, // past every proxy
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := c.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return errors.New(res.Status)
	}
	return json.Unmarshal(body, into)
}

// startTime bounds a start: the first one creates the database.
const startTime = time.Minute

// InBackground starts it as a process of its own that outlives this one, and returns when it
// answers. What it says goes to LogFile; end it by the id in PIDFile.
func (s Server) InBackground(ctx context.Context) error {
	log, err := os.OpenFile(s.LogFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(s.Program, s.args()...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.Dir, log, log
	// The agent's key is none of the server's business.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "COUNTERSIGN_KEY=") || strings.HasPrefix(v, "COUNTERSIGN_ENROLMENT=")
	})
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // until it ends, or this process does
	err = os.WriteFile(s.PIDFile(), []byte(strconv.Itoa(cmd.Process.Pid)+"\n"), 0o600)
	if err == nil {
		err = s.await(ctx, ended)
	}
	if err != nil {
		_ = cmd.Process.Kill()
		return errors.Join(fmt.Errorf("start the server: %w; its log is %s", err, s.LogFile()), os.Remove(s.PIDFile()))
	}
	return nil
}

// await returns when the server answers, or can't any more.
func (s Server) await(ctx context.Context, ended <-chan error) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		// Until it has its database, it answers that it isn't ready: that's no other program.
		if _, running, err := s.Running(ctx); running && err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case err := <-ended:
			return fmt.Errorf("it ended: %v", err)
		case <-ctx.Done():
			return fmt.Errorf("it doesn't answer at %s", s.URL())
		}
	}
}

// As is the user's manager of services.
type As struct {
	OS   string // runtime.GOOS
	Home string
}

// unitName and label are what the managers call the service.
const (
	unitName = "countersign.service"
	label    = "dev.countersign.server"
)

// Works reports whether services can be started here: a container, or a session without one,
// has no manager.
func (a As) Works(ctx context.Context) bool {
	if a.OS == "darwin" {
		return a.run(ctx, "launchctl", "print", domain()) == nil
	}
	return a.OS == "linux" && a.run(ctx, "systemctl", "--user", "show-environment") == nil
}

// Start makes the server a service, which starts with the user's session, and returns the file
// that says so when it answers.
func (a As) Start(ctx context.Context, s Server) (file string, err error) {
	commands := [][]string{{"systemctl", "--user", "daemon-reload"}, {"systemctl", "--user", "enable", unitName}, {"systemctl", "--user", "restart", unitName}}
	file, text := filepath.Join(a.Home, ".config", "systemd", "user", unitName), unit(s)
	if a.OS == "darwin" {
		file, text = filepath.Join(a.Home, "Library", "LaunchAgents", label+".plist"), plist(s)
		_ = a.run(ctx, "launchctl", "bootout", domain()+"/"+label) // where it was loaded before
		commands = [][]string{{"launchctl", "bootstrap", domain(), file}}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return file, err
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return file, err
	}
	for _, c := range commands {
		if err := a.run(ctx, c[0], c[1:]...); err != nil {
			return file, fmt.Errorf("%s: %w", strings.Join(c, " "), err)
		}
	}
	return file, s.await(ctx, nil)
}

// run runs a command of the manager.
func (As) run(ctx context.Context, name string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w %s", err, bytes.TrimSpace(out))
	}
	return nil
}

func domain() string { return "gui/" + strconv.Itoa(os.Getuid()) }

// unit is the service for systemd. In a word in quotation marks it reads \ and ", % and $.
func unit(s Server) string {
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$")
	words := make([]string, 0, 8)
	for _, w := range append([]string{s.Program}, s.args()...) {
		words = append(words, `"`+quote.Replace(w)+`"`)
	}
	return "[Unit]\nDescription=Countersign, the approval console for AI agents\n\n[Service]\nExecStart=" + strings.Join(words, " ") +
		"\nRestart=on-failure\nUMask=0077\n\n[Install]\nWantedBy=default.target\n"
}

// plist is the service for launchd.
func plist(s Server) string {
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	var words strings.Builder
	for _, w := range append([]string{s.Program}, s.args()...) {
		words.WriteString("\n    <string>" + escape.Replace(w) + "</string>")
	}
	return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>` + label + `</string>
  <key>ProgramArguments</key>
  <array>` + words.String() + `
  </array>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>Umask</key><integer>63</integer>
  <key>StandardErrorPath</key><string>` + escape.Replace(s.LogFile()) + `</string>
</dict>
</plist>
`
}

// Loopback is an address of this machine that only this machine reaches.
func Loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}
