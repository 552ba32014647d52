package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/client"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/install"
	"github.com/countersign/countersign/internal/service"
	"github.com/countersign/countersign/internal/tenants"
)

// setupCmd is the laptop's way: from nothing to the first held call.
type setupCmd struct {
	Agent     string `arg:"" help:"claude-code, codex or gemini; opencode, cursor and copilot untried."`
	Folder    string `placeholder:"DIR" help:"Folder that the agent works in: work inside isn't held. Unset: the current one, where the agent has none yet."`
	Sandboxed bool   `help:"Code in the folder can only reach things that matter over the network: a container or virtual machine without credentials."`
	Addr      string `env:"COUNTERSIGN_ADDR" default:"127.0.0.1:8080" help:"Address of the server of this machine, where no settings name one."`
	NoService bool   `name:"no-service" help:"Start the server in the background instead of as a service of this user."`
	SignIn    bool   `name:"sign-in" help:"Create another sign-in link."`
	Program   string `placeholder:"PATH" help:"The agent's program, if it isn't the first one on the PATH."`
	Yes       bool   `help:"Don't ask."`
	JSON      bool   `name:"json" help:"Print what was done as JSON."`
}

// localTenant is the organisation that setup creates.
const localTenant = "local"

// limitsOfALaptop is printed each time: nobody should take this for more than it is.
const limitsOfALaptop = "A process that runs as the same user can edit the agent's settings, read the key and, on the same machine, sign in to the database. This protects against mistakes, not against a hostile agent; a server of another user or on another machine does."

// setUp is what --json prints.
type setUp struct {
	Server  string          `json:"server"`
	Started bool            `json:"started"`
	Tenant  string          `json:"tenant"`
	Agent   string          `json:"agent"`
	Folder  string          `json:"folder"`
	Files   []installedFile `json:"files"`
	Gate    string          `json:"gate"`
	Limits  string          `json:"limits"`
	Next    []string        `json:"next"`
}

// Run looks first whether it can do all of it, and repairs what is missing.
func (c *setupCmd) Run(ctx context.Context, k *kong.Context, set Settings, s streams, log *slog.Logger) error {
	a, err := install.AgentNamed(c.Agent)
	if err != nil {
		return exitWith(2, err)
	}
	m, err := thisMachine()
	if err != nil {
		return err
	}
	if !asked(k, "data-dir", "COUNTERSIGN_DATA_DIR") {
		set.DataDir = dataHome(m)
	}
	if set.DataDir, err = filepath.Abs(set.DataDir); err != nil {
		return err
	}
	change, err := a.Plan(m, a.File(m, ""), false)
	if err != nil {
		return err
	}
	done := setUp{Files: []installedFile{}, Limits: limitsOfALaptop, Next: []string{}}
	there, err := c.find(ctx, set, m.Executable)
	if err != nil {
		return err
	}
	if done.Server = there.settings.URL; there.ours {
		if err := c.complete(ctx, set, s, log, there, &done); err != nil {
			return err
		}
	}
	if change.Changed() && !c.Yes && !agreed(s, change.Diff()) {
		return errors.New("the hook isn't installed, so no call asks; the rest is done")
	}
	next, err := a.Install(ctx, m, change, c.Program, "")
	if err != nil {
		return err
	}
	done.Next = append(done.Next, next...)
	done.Files = append(done.Files, installedFile{change.Path, change.Changed(), change.Backup()})
	folder, err := os.Getwd()
	if err != nil {
		return err
	}
	d := install.Doctor{Machine: m, Agent: a, Program: c.Program, Folder: folder, Now: time.Now}
	report := d.Examine(ctx)
	done.Gate = report.Gate
	for _, check := range report.Checks {
		if !check.OK {
			done.Next = append(done.Next, fmt.Sprintf("%s: %s. %s", check.Name, check.Detail, check.Fix))
		}
	}
	if !there.ours {
		done.nameAgent(ctx)
	}
	who := map[string]string{"claude-code": "Claude", "codex": "Codex", "gemini": "Gemini"}[a.Name]
	done.Next = append(done.Next, fmt.Sprintf("Held calls: %s — try: ask %s to push", done.Server, orElse(who, a.Name)))
	if err := done.tell(s, c.JSON); err != nil {
		return err
	}
	if done.Gate != "closed" {
		return errFailed
	}
	return nil
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// dataHome is where the data of a user's own server is.
func dataHome(m install.Machine) string {
	base := m.Getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(base) {
		base = filepath.Join(m.Home, ".local", "share")
	}
	return filepath.Join(base, "countersign")
}

// found is the server that the hook asks.
type found struct {
	settings client.Settings // without a key where there are none yet
	server   service.Server  // where it is one of this machine
	ours     bool            // its data is here, so what is missing can be made
	running  bool
}

// find looks at the settings, else at the address. It changes nothing.
func (c *setupCmd) find(ctx context.Context, set Settings, program string) (f found, err error) {
	f.server = service.Server{Program: program, Addr: c.Addr, Dir: set.DataDir}
	if _, err := os.Lstat(client.SettingsPath(os.Getenv)); err == nil || os.Getenv("COUNTERSIGN_URL") != "" {
		if f.settings, err = client.Load(os.Getenv); err != nil {
			return f, err
		}
		u, err := url.Parse(f.settings.URL)
		if err != nil || u.Scheme != "http" || !service.Loopback(u.Host) || strings.Trim(u.Path, "/") != "" { // another machine's, or behind a proxy
			return f, nil
		}
		f.server.Addr = u.Host
	}
	if !service.Loopback(f.server.Addr) {
		return f, fault.Member(fault.InvalidSetting, "COUNTERSIGN_ADDR", "%q isn't an address of this machine alone; write for example 127.0.0.1:8080", f.server.Addr)
	}
	answering, running, err := f.server.Running(ctx)
	if errors.Is(err, service.ErrInUse) {
		return f, fault.Member(fault.InvalidSetting, "COUNTERSIGN_ADDR", "%s is in use by a program that isn't Countersign; stop it, or choose another port with --addr 127.0.0.1:8081", f.server.Addr)
	}
	if err != nil {
		return f, err
	}
	own, err := keyFiles{set.DataDir, set.clock()}.load()
	if err != nil {
		return f, err
	}
	f.running = running
	f.ours = slices.ContainsFunc(own, func(k storedKey) bool { return slices.Contains(answering, k.ID()) })
	switch hasKey := f.settings.Key != ""; {
	case f.ours || running && hasKey: // the second is somebody else's of this machine
	case running:
		return f, fault.Member(fault.InvalidSetting, "COUNTERSIGN_ADDR", "the server at %s has its data elsewhere than in %s: get a key there (countersign agent create, or hook enroll), or start one of your own with --addr 127.0.0.1:8081", f.server.Addr, set.DataDir)
	case hasKey && len(own) == 0:
		return f, fault.Member(fault.InvalidSetting, "url", "nothing answers at %s, which the settings name, and its data isn't in %s: start that server, or move %s away to begin anew", f.settings.URL, set.DataDir, client.SettingsPath(os.Getenv))
	default:
		f.ours = true
	}
	if f.ours && set.DatabaseURL != "" {
		return f, fault.Member(fault.InvalidSetting, "COUNTERSIGN_DATABASE_URL", "setup is for a server of this machine, with its embedded database; unset it, or get a key with hook enroll")
	}
	if f.settings.URL == "" {
		f.settings.URL = f.server.URL()
	}
	return f, nil
}

// complete makes what is missing in a database of this machine, writes the settings, and starts
// the server if it doesn't run.
func (c *setupCmd) complete(ctx context.Context, set Settings, s streams, log *slog.Logger, f found, done *setUp) error {
	db, err := openCommand(ctx, set, log)
	if err != nil {
		return err
	}
	doors, err := openDoors(set.DataDir)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	house := household{
		cmd: c, streams: s, done: done, store: db.Tenants(),
		Service: tenants.NewService(tenants.Config{Store: db.Tenants(), Passwords: auth.NewPasswords(1, hashing), Doors: doors, Log: log}),
	}
	link, err := house.fill(ctx, f)
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	if !f.running {
		if err := c.start(ctx, f.server, done); err != nil {
			return err
		}
	}
	if link != "" {
		link = f.settings.URL + "/sign-in?token=" + url.QueryEscape(link)
		done.Next = append(done.Next, "Sign in (works once, for 15 minutes; “countersign setup "+c.Agent+" --sign-in” makes another): "+link)
		return openBrowser(ctx, set.DataDir, link)
	}
	return nil
}

// start starts the server as a service, or in the background where that is wanted or there are
// no services.
func (c *setupCmd) start(ctx context.Context, server service.Server, done *setUp) error {
	done.Started = true
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	if as := (service.As{OS: runtime.GOOS, Home: home}); !c.NoService && as.Works(ctx) {
		file, err := as.Start(ctx, server)
		if err != nil {
			return fmt.Errorf("start the service %s: %w; --no-service starts the server in the background", file, err)
		}
		done.Files = append(done.Files, installedFile{Path: file, Changed: true})
		return nil
	}
	if err := server.InBackground(ctx); err != nil {
		return err
	}
	done.Next = append(done.Next, fmt.Sprintf("The server runs in the background until this machine stops; “countersign setup %s” starts it again. Its process id is in %s, its log in %s", c.Agent, server.PIDFile(), server.LogFile()))
	return nil
}

// household is what setup does with a database of this machine.
type household struct {
	cmd *setupCmd
	streams
	*tenants.Service
	store tenants.Store
	done  *setUp
}

// fill makes the organisation, the person, the agent, its key and its folder, as far as they are
// missing. It returns a sign-in link for whoever has never signed in.
func (h household) fill(ctx context.Context, f found) (link string, err error) {
	h.done.Tenant = localTenant
	if err := h.CreateTenant(ctx, localTenant); err != nil && !fault.Is(err, fault.AlreadyExists) {
		return "", err
	}
	if link, err = h.person(ctx); err != nil {
		return "", err
	}
	// The key of the settings counts, whatever its agent is called.
	a, err := h.AuthenticateAgent(ctx, string(f.settings.Key))
	if err != nil && !fault.Is(err, fault.Unauthorized) {
		return "", err
	}
	h.done.Tenant, h.done.Agent = orElse(a.Tenant, localTenant), a.Name
	if a.ID == "" {
		key, err := h.agent(ctx)
		if err != nil {
			return "", err
		}
		path := client.SettingsPath(os.Getenv)
		f.settings.Key = client.Key(key)
		if err := install.SaveSettings(path, f.settings); err != nil {
			return "", err
		}
		h.done.Files = append(h.done.Files, installedFile{Path: path, Changed: true})
	}
	return link, h.bind(ctx)
}

// person makes the first one, who may do everything. They sign in by link: nothing here knows a
// password.
func (h household) person(ctx context.Context) (link string, err error) {
	var members []tenants.Membership
	err = h.store.Read(ctx, localTenant, func(r tenants.Reader) (err error) {
		members, err = r.Members()
		return err
	})
	if err != nil {
		return "", err
	}
	if len(members) == 0 {
		p, err := h.CreatePerson(ctx, localTenant, plain(userName())+"@localhost", "", "", auth.Roles())
		if err != nil {
			return "", err
		}
		members = []tenants.Membership{{Person: p}}
	}
	if !h.cmd.SignIn && slices.ContainsFunc(members, func(m tenants.Membership) bool { return m.LastSignIn != nil }) {
		return "", nil
	}
	return h.SignInLink(ctx, localTenant, members[0].Person.Email, tenants.LinkSignIn)
}

// agent makes the agent of this machine, or gives it a new key if the settings lost the one it had.
func (h household) agent(ctx context.Context) (key string, err error) {
	host, err := os.Hostname()
	if err != nil {
		return "", err
	}
	name := h.cmd.Agent + "@" + plain(host)
	h.done.Agent = name[:min(len(name), 64)]
	key, _, err = h.CreateAgent(ctx, localTenant, h.done.Agent, "")
	if fault.Is(err, fault.AlreadyExists) {
		return h.RotateKeyFromOutside(ctx, localTenant, h.done.Agent)
	}
	return key, err
}

// bind binds the agent to the folder, where it has none or another one was named.
func (h household) bind(ctx context.Context) error {
	list, err := h.ListAgents(ctx, h.done.Tenant)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list.Agents, func(a tenants.Agent) bool { return a.Name == h.done.Agent })
	if i < 0 {
		return fault.New(fault.Missing, "%s has no agent %s", h.done.Tenant, h.done.Agent)
	}
	was := list.Agents[i].Bound
	h.done.Folder = was.Workspace.Folder
	if was.Workspace.Folder != "" && h.cmd.Folder == "" {
		return nil
	}
	folder, err := filepath.Abs(orElse(h.cmd.Folder, "."))
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder) // agents name the folder that they are in
	}
	if err != nil {
		return err
	}
	if home, _ := os.UserHomeDir(); h.cmd.Folder == "" && (folder == home || folder == filepath.Dir(folder)) {
		h.done.Next = append(h.done.Next, "The agent is bound to no folder, so its edits are held: run this in a project, or with --folder DIR")
		return nil
	}
	to := was
	to.Workspace.Folder, to.Workspace.Sandboxed = folder, h.cmd.Sandboxed || !h.cmd.Yes && h.sandboxed(folder)
	if h.done.Folder = folder; to == was {
		return nil
	}
	return h.BindFromOutside(ctx, h.done.Tenant, h.done.Agent, tenants.NewBinding{Bound: to, Reason: "countersign setup"})
}

// sandboxed asks. No answer is a no.
func (h household) sandboxed(folder string) bool {
	fmt.Fprintf(h.err, "Is %s sandboxed, a container or virtual machine without credentials? [y/N] ", folder)
	return yes(h.in)
}

// nameAgent says whose key the settings hold, as their server knows it.
func (d *setUp) nameAgent(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	settings, err := client.Load(os.Getenv)
	if err != nil {
		return
	}
	if c, err := client.New(settings); err == nil {
		if who, err := c.Agent(ctx); err == nil {
			d.Tenant, d.Agent = who.Tenant, who.Name
		}
	}
}

// tell prints what was done, for people or for programs.
func (d setUp) tell(s streams, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(s.out)
		e.SetEscapeHTML(false)
		return e.Encode(d)
	}
	how := map[bool]string{true: "was started, and answers", false: "answers"}[d.Started]
	fmt.Fprintf(s.out, "The server %s at %s.\n", how, d.Server)
	fmt.Fprintf(s.out, "The agent %s of %s works in %s.\n", orElse(d.Agent, "of that server"), orElse(d.Tenant, "its organisation"), orElse(d.Folder, "no folder that is known here"))
	if err := (installed{Files: d.Files, Next: d.Next}).tell(s.out, false); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "The gate is %s.\n%s\n", d.Gate, d.Limits)
	return nil
}

// notPlain is what a name of an agent or an address can't have.
var notPlain = regexp.MustCompile(`[^a-z0-9._-]+`)

// plain is a name of a user or a machine as part of another.
func plain(name string) string {
	name = name[strings.LastIndex(name, `\`)+1:] // a Windows user has a domain
	return orElse(strings.Trim(notPlain.ReplaceAllString(strings.ToLower(name), "-"), ".-_"), "me")
}

func userName() string {
	u, err := user.Current()
	if err != nil {
		return "me"
	}
	return u.Username
}

// openBrowser opens a link where there is a display. The link stands in a file that only this
// user can read, because everybody can read a program's arguments. Where it can't be opened,
// the link was printed.
func openBrowser(ctx context.Context, dir, link string) error {
	program := "xdg-open"
	switch {
	case runtime.GOOS == "darwin":
		program = "open"
	case runtime.GOOS != "linux" || os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "":
		return nil
	}
	path := filepath.Join(dir, "sign-in.html")
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	page := `<!doctype html><meta http-equiv="refresh" content="0;url=` + html.EscapeString(link) + `">`
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	_ = exec.CommandContext(ctx, program, path).Run()
	return nil
}
