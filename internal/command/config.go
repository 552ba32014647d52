package command

import (
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/countersign/countersign/grant"
	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/outbound"
	"github.com/countersign/countersign/internal/store"
)

// Settings are common to every command. Each zero value works.
type Settings struct {
	DatabaseURL string `group:"Settings of every command" name:"database-url" env:"COUNTERSIGN_DATABASE_URL" placeholder:"URL" help:"Postgres, as the user who migrates: postgres://user:password@host/database. Unset: the SQLite file countersign.db in the data directory."`
	ServingURL  string `group:"Settings of every command" name:"serving-database-url" env:"COUNTERSIGN_SERVING_DATABASE_URL" placeholder:"URL" help:"The same Postgres, as the user who serves: a member of the role countersign_app and nothing else. Unset: the migrating user also serves, in that role."`
	DataDir     string `group:"Settings of every command" name:"data-dir" env:"COUNTERSIGN_DATA_DIR" default:"data" help:"Directory of the signing keys and of the SQLite file; created with mode 0700."`
	NoteDir     string `group:"Settings of every command" name:"checkpoint-dir" env:"COUNTERSIGN_CHECKPOINT_DIR" placeholder:"DIR" help:"Directory of the signed audit trail checkpoints; ideally out of reach of anyone who can write to the database. Unset: checkpoints in the data directory."`
	LogLevel    string `group:"Settings of every command" name:"log-level" env:"COUNTERSIGN_LOG_LEVEL" default:"info" enum:"debug,info,warn,error" help:"What to log to standard error: ${enum}."`

	now    func() time.Time     // the clock of this machine; nil: time.Now
	uptime func() time.Duration // as in store.Config
}

// clock is the clock of this machine: SQLite's, and that of everything that is
// no decision. Postgres has its own.
func (s Settings) clock() func() time.Time {
	if s.now == nil {
		return time.Now
	}
	return s.now
}

// sqlitePath is where the embedded database lives.
func (s Settings) sqlitePath() string { return filepath.Join(s.DataDir, "countersign.db") }

// noteDir is where the newest signed checkpoint of each trail is kept.
func (s Settings) noteDir() string {
	if s.NoteDir == "" {
		return filepath.Join(s.DataDir, "checkpoints")
	}
	return s.NoteDir
}

// database is what the settings say about the database.
func (s Settings) database(log *slog.Logger) store.Config {
	return store.Config{URL: s.DatabaseURL, ServingURL: s.ServingURL, Path: s.sqlitePath(), Now: s.now, Uptime: s.uptime, Log: log}
}

// check refuses a database that this program does not speak. No answer repeats a
// URL: it holds a password.
func (s Settings) check() error {
	if s.DatabaseURL == "" && s.ServingURL != "" {
		return fault.Member(fault.InvalidSetting, "COUNTERSIGN_DATABASE_URL", "it is unset while COUNTERSIGN_SERVING_DATABASE_URL is set; name the user who migrates too, or unset both for the embedded SQLite")
	}
	for name, value := range map[string]string{"COUNTERSIGN_DATABASE_URL": s.DatabaseURL, "COUNTERSIGN_SERVING_DATABASE_URL": s.ServingURL} {
		if value == "" {
			continue
		}
		scheme, _, found := strings.Cut(value, "://")
		switch {
		case !found:
			return fault.Member(fault.InvalidSetting, name, "isn't a URL; expected postgres://user:password@host:5432/database, or nothing for the embedded SQLite")
		case scheme != "postgres" && scheme != "postgresql":
			return fault.Member(fault.InvalidSetting, name, "databases of the kind %.20q aren't supported; expected postgres://…, or nothing for the embedded SQLite", scheme)
		}
	}
	return nil
}

// Serving are the settings of the commands that listen.
type Serving struct {
	Addr           string `name:"addr" env:"COUNTERSIGN_ADDR" default:"127.0.0.1:8080" help:"Address to listen on."`
	PublicURL      string `name:"public-url" env:"COUNTERSIGN_PUBLIC_URL" placeholder:"URL" help:"How browsers and agents reach the server. Unset: http://localhost and the port listened on."`
	Proxies        string `name:"trusted-proxies" env:"COUNTERSIGN_TRUSTED_PROXIES" placeholder:"CIDR,…" help:"Addresses or networks of your reverse proxies. Only their X-Forwarded-For is trusted, for the sign-in limits. Unset: none."`
	AgentRate      int    `name:"agent-rate" env:"COUNTERSIGN_AGENT_RATE" default:"50" help:"Requests per second and agent; 0 = unlimited."`
	KeepFigures    int    `name:"keep-figures" env:"COUNTERSIGN_KEEP_FIGURES" default:"400" placeholder:"DAYS" help:"For how many days the figures of evaluations are kept: scores and counts by day, rule, pattern and session, as on the insights page; 0 = for good. Requests and the audit trail stay."`
	NoticeNetworks string `name:"notice-networks" env:"COUNTERSIGN_NOTICE_NETWORKS" placeholder:"CIDR,…" help:"Addresses or networks that aren't on the public internet but may be sent notices; plain http works there, too. Unset: none."`
	SMTPURL        string `name:"smtp-url" env:"COUNTERSIGN_SMTP_URL" placeholder:"URL" help:"Mail server for notices: smtp://user:password@host:587 (STARTTLS), smtps://… (TLS from the first byte) or smtp+insecure://… (none). Unset: no email notices."`
	MailFrom       string `name:"mail-from" env:"COUNTERSIGN_MAIL_FROM" placeholder:"ADDRESS" help:"Address that email notices come from."`
	PushContact    string `name:"push-contact" env:"COUNTERSIGN_PUSH_CONTACT" placeholder:"URL" help:"How the push services of browsers can reach you, as mailto:… or https://…; they get it with each push notification. Unset: the public URL."`
	MetricsToken   string `name:"metrics-token" env:"COUNTERSIGN_METRICS_TOKEN" placeholder:"TOKEN" help:"Bearer token for /metrics from other machines."`
	demo           bool   // nobody there has a password
}

// maxAgentRate is beyond what one server answers, so a larger one is a mistake.
const maxAgentRate = 1_000_000

// check refuses addresses that can never work, before anything is opened.
func (s Serving) check() error {
	if _, _, err := net.SplitHostPort(s.Addr); err != nil {
		return fault.Member(fault.InvalidSetting, "COUNTERSIGN_ADDR", "%q is no address; write host:port, for example 127.0.0.1:8080", s.Addr)
	}
	if _, err := httpserver.ParseProxies(s.Proxies); err != nil {
		return err
	}
	if _, err := outbound.ParseNetworks(s.NoticeNetworks); err != nil {
		return fault.Member(fault.InvalidSetting, "COUNTERSIGN_NOTICE_NETWORKS", "%v", err)
	}
	if _, err := s.mailServer(); err != nil {
		return err
	}
	if u, err := url.Parse(s.PushContact); s.PushContact != "" && (err != nil || (u.Scheme != "mailto" || !strings.Contains(u.Opaque, "@")) && (u.Scheme != "https" || u.Host == "")) {
		return fault.Member(fault.InvalidSetting, "COUNTERSIGN_PUSH_CONTACT", "%q is no contact; write mailto: and an address, or an address that begins with https://", s.PushContact)
	}
	if s.AgentRate < 0 || s.AgentRate > maxAgentRate {
		return fault.Member(fault.InvalidSetting, "COUNTERSIGN_AGENT_RATE", "%d requests a second are no limit; write 1 to %d, or 0 for unlimited", s.AgentRate, maxAgentRate)
	}
	if s.KeepFigures != 0 && s.KeepFigures < approvals.LeastDaysKept() {
		return fault.Member(fault.InvalidSetting, "COUNTERSIGN_KEEP_FIGURES", "insights look back for %d days; write that or more, or 0 to keep figures for good", approvals.LeastDaysKept())
	}
	if s.PublicURL == "" {
		return nil
	}
	if _, ok := grant.Base(s.PublicURL); !ok {
		return fault.Member(fault.InvalidSetting, "COUNTERSIGN_PUBLIC_URL", "%q is no base URL; write scheme, host and maybe a path, for example https://approvals.example.com or https://tools.example.com/countersign", s.PublicURL)
	}
	return nil
}

// publicURL is the setting, or localhost with the port really listened on.
func (s Serving) publicURL(listening net.Addr) string {
	if s.PublicURL != "" {
		return strings.TrimRight(s.PublicURL, "/")
	}
	_, port, _ := net.SplitHostPort(listening.String()) // a TCP address always has a port
	return "http://localhost:" + port
}
