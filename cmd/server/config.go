package main

import (
	"net"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
)

// Settings are common to every command. Each zero value works.
type Settings struct {
	DatabaseURL string `name:"database-url" env:"COUNTERSIGN_DATABASE_URL" placeholder:"URL" help:"Database. Unset: the SQLite file countersign.db in the data directory."`
	DataDir     string `name:"data-dir" env:"COUNTERSIGN_DATA_DIR" default:"data" help:"Directory of the signing keys and of the SQLite file; created with mode 0700."`
	LogLevel    string `name:"log-level" env:"COUNTERSIGN_LOG_LEVEL" default:"info" enum:"debug,info,warn,error" help:"What is logged to standard error: ${enum}."`
}

// sqlitePath is where the embedded database lives.
func (s Settings) sqlitePath() string { return filepath.Join(s.DataDir, "countersign.db") }

// check refuses a database that this build does not speak.
func (s Settings) check() error {
	if s.DatabaseURL == "" {
		return nil
	}
	u, err := url.Parse(s.DatabaseURL)
	if err != nil || u.Scheme == "" {
		return fault.Member(fault.InvalidSetting, "COUNTERSIGN_DATABASE_URL", "it is not a URL; leave it unset for the embedded SQLite")
	}
	return fault.Member(fault.InvalidSetting, "COUNTERSIGN_DATABASE_URL", "databases of the kind %q are not supported; leave it unset for the embedded SQLite", u.Scheme)
}

// Serving are the settings of the commands that listen.
type Serving struct {
	Addr         string `name:"addr" env:"COUNTERSIGN_ADDR" default:"127.0.0.1:8080" help:"Address to listen on."`
	PublicURL    string `name:"public-url" env:"COUNTERSIGN_PUBLIC_URL" placeholder:"URL" help:"How browsers and agents reach the server. Unset: http://localhost and the port listened on."`
	Proxies      string `name:"trusted-proxies" env:"COUNTERSIGN_TRUSTED_PROXIES" placeholder:"CIDR,…" help:"Addresses or networks of the proxies in front. Only their X-Forwarded-For is believed; it decides whom the limits of sign-in count. Unset: nobody's."`
	MetricsToken string `name:"metrics-token" env:"COUNTERSIGN_METRICS_TOKEN" placeholder:"TOKEN" help:"Bearer token for /metrics from other machines."`
}

// check refuses addresses that can never work, before anything is opened.
func (s Serving) check() error {
	if _, _, err := net.SplitHostPort(s.Addr); err != nil {
		return fault.Member(fault.InvalidSetting, "COUNTERSIGN_ADDR", "%q is no address; write host:port, for example 127.0.0.1:8080", s.Addr)
	}
	if _, err := httpserver.ParseProxies(s.Proxies); err != nil {
		return err
	}
	if s.PublicURL == "" {
		return nil
	}
	u, err := url.Parse(s.PublicURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return fault.Member(fault.InvalidSetting, "COUNTERSIGN_PUBLIC_URL", "%q is no base URL; write scheme and host only, for example https://approvals.example.com", s.PublicURL)
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
