package outboxtest

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"mime"
	"net"
	"net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/countersign/countersign/internal/notices"
)

// certificate is one of 127.0.0.1, and what trusts it.
func certificate(t *testing.T) (own tls.Certificate, trust *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "127.0.0.1"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(t, err)
	leaf, err := x509.ParseCertificate(der)
	must(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"}
}

// mailbox is an SMTP server of the library go-smtp that keeps what it got.
type mailbox struct {
	mu      sync.Mutex
	letters []string
	to      []string
	refuse  error
	unknown string // who has no mailbox here
	user    string
	pass    string
}

func (m *mailbox) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{m: m}, nil }

type session struct {
	m      *mailbox
	signed bool
}

func (s *session) AuthMechanisms() []string {
	if s.m.user == "" {
		return nil
	}
	return []string{sasl.Plain}
}

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, pass string) error {
		if s.signed = user == s.m.user && pass == s.m.pass; !s.signed {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}

func (s *session) Mail(string, *smtp.MailOptions) error {
	if s.m.user != "" && !s.signed {
		return smtp.ErrAuthRequired
	}
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	return s.m.refuse
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	if to == s.m.unknown {
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user"}
	}
	s.m.to = append(s.m.to, to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.m.letters = append(s.m.letters, string(text))
	return err
}

func (*session) Reset()        {}
func (*session) Logout() error { return nil }

func (m *mailbox) got() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.letters)
}

// serve listens; whole says TLS from the first byte, else STARTTLS.
func (m *mailbox) serve(t *testing.T, whole bool) (addr string, trust *tls.Config) {
	t.Helper()
	own, trust := certificate(t)
	server := smtp.NewServer(m)
	server.TLSConfig, server.Domain = &tls.Config{Certificates: []tls.Certificate{own}}, "127.0.0.1"
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	if whole {
		l = tls.NewListener(l, server.TLSConfig)
	}
	var running sync.WaitGroup
	running.Go(func() {
		if err := server.Serve(l); err != nil && !errors.Is(err, smtp.ErrServerClosed) {
			t.Errorf("serve: %v", err)
		}
	})
	t.Cleanup(func() {
		_ = server.Close()
		_ = l.Close() // of a server that did not serve yet
		running.Wait()
	})
	return l.Addr().String(), trust
}

func mailChannel(t *testing.T, url string, trust *tls.Config) notices.Mail {
	t.Helper()
	server, err := notices.ParseMailServer(url, "Countersign <countersign@example.com>")
	must(t, err)
	server.Trust(trust)
	return notices.Mail{Server: server}
}

// wantLetters holds the two letters about one request: the call and its end.
func wantLetters(t *testing.T, letters []string, approval string) {
	t.Helper()
	if len(letters) != 2 {
		t.Fatalf("%d letters arrived, want the call and the end", len(letters))
	}
	ids := map[string]bool{}
	for i, subject := range []string{"MEDIUM request from support-triage is waiting for a decision", "MEDIUM request from support-triage was cancelled by the agent"} {
		letter, err := mail.ReadMessage(strings.NewReader(letters[i]))
		must(t, err)
		got, err := new(mime.WordDecoder).DecodeHeader(letter.Header.Get("Subject"))
		must(t, err)
		body, err := io.ReadAll(letter.Body)
		must(t, err)
		if got != subject {
			t.Errorf("the subject is %q, want %q", got, subject)
		}
		if refs := letter.Header.Get("References"); refs != "<"+approval+"@example.com>" || letter.Header.Get("In-Reply-To") != refs {
			t.Errorf("the letter refers to %q", refs)
		}
		ids[letter.Header.Get("Message-Id")] = true
		if _, err := letter.Header.Date(); err != nil || letter.Header.Get("Auto-Submitted") != "auto-generated" {
			t.Errorf("the date is %q (%v)", letter.Header.Get("Date"), err)
		}
		text := strings.ReplaceAll(strings.ReplaceAll(string(body), "=\r\n", ""), "=\n", "")
		if !strings.Contains(text, base+"/t/acme/approvals/"+approval) || !strings.Contains(text, "text/html") || strings.Contains(text, "<img") {
			t.Errorf("the letter says %s", text)
		}
		for _, secret := range []string{"checkout", "Release 41"} {
			if strings.Contains(letters[i], secret) {
				t.Errorf("the letter says %q, which nobody allowed", secret)
			}
		}
	}
	if len(ids) != 2 {
		t.Errorf("two letters have the ids %v", ids)
	}
}

// story is a request that is held and cancelled.
func (h *house) story() (approval string) {
	h.t.Helper()
	h.add("email", map[string]string{"to": "ops@example.com, Ben <ben@example.com>"})
	a := h.submit(medium)
	h.round()
	_, err := h.approvals.Cancel(h.t.Context(), h.agent, a.ID)
	must(h.t, err)
	h.round()
	for _, d := range h.told(a.ID).All {
		if d.State != notices.Delivered {
			h.t.Errorf("it is %s: %s", d.State, d.LastError)
		}
	}
	return a.ID
}

func TestMail(t *testing.T) {
	t.Parallel()
	for name, whole := range map[string]bool{"smtp": false, "smtps": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := &mailbox{user: "countersign", pass: "p@ss word"}
			addr, trust := box.serve(t, whole)
			h := newHouse(t, mailChannel(t, name+"://countersign:p%40ss%20word@"+addr, trust))
			id := h.story()
			wantLetters(t, box.got(), id)
		})
	}
}

// A mail server of Debian takes the same letters. CI installs it; on another machine it is
// asked where it is there, beside the server of TestMail.
func TestMailOfDebian(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("aiosmtpd")
	if err != nil && os.Getenv("CI") == "" {
		program = ""
	} else {
		must(t, err)
	}
	dir, trust := t.TempDir(), (*tls.Config)(nil)
	var addr string
	letters := func() (all []string) {
		names, err := filepath.Glob(filepath.Join(dir, "box", "new", "*"))
		must(t, err)
		for _, name := range names {
			text, err := os.ReadFile(name)
			must(t, err)
			all = append(all, string(text))
		}
		slices.SortFunc(all, func(a, b string) int { return strings.Compare(messageID(a), messageID(b)) })
		return all
	}
	if program == "" {
		box := &mailbox{}
		addr, trust = box.serve(t, false)
		letters = box.got
	} else {
		addr, trust = aiosmtpd(t, program, dir)
	}
	h := newHouse(t, mailChannel(t, "smtp://"+addr, trust))
	id := h.story()
	wantLetters(t, letters(), id)
}

// messageID sorts letters as they were sent: ids of notices sort by time.
func messageID(letter string) string {
	m, err := mail.ReadMessage(strings.NewReader(letter))
	if err != nil {
		return ""
	}
	return m.Header.Get("Message-Id")
}

// aiosmtpd starts Debian's server with STARTTLS and a Maildir.
func aiosmtpd(t *testing.T, program, dir string) (addr string, trust *tls.Config) {
	t.Helper()
	own, trust := certificate(t)
	key, err := x509.MarshalPKCS8PrivateKey(own.PrivateKey)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "cert.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: own.Certificate[0]}), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "key.pem"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	addr = l.Addr().String()
	must(t, l.Close())
	cmd := exec.CommandContext(t.Context(), program, "-n", "-d", "-l", addr, "--tlscert", filepath.Join(dir, "cert.pem"), "--tlskey", filepath.Join(dir, "key.pem"), "-c", "aiosmtpd.handlers.Mailbox", filepath.Join(dir, "box"))
	said, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewScanner(said)
	for lines.Scan() && !strings.Contains(lines.Text(), "Server is listening") {
		continue
	}
	var drained sync.WaitGroup
	drained.Go(func() { _, _ = io.Copy(io.Discard, said) })
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		drained.Wait()
		_ = cmd.Wait()
	})
	return addr, trust
}

// A server that refuses for now is asked again; one that refuses for good, or cannot be
// trusted, takes no letter.
func TestMailFails(t *testing.T) {
	t.Parallel()
	box := &mailbox{refuse: &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "come back later"}}
	addr, trust := box.serve(t, false)
	h := newHouse(t, mailChannel(t, "smtp://"+addr, trust))
	h.add("email", map[string]string{"to": "ops@example.com"})
	a := h.submit(medium)
	h.round()
	if d := h.told(a.ID).All[0]; d.State != notices.Waiting || !strings.Contains(d.LastError, "451") {
		t.Errorf("after a refusal for now it is %+v", d)
	}
	box.mu.Lock()
	box.refuse = nil
	box.mu.Unlock()
	h.pass(10 * time.Second)
	h.round()
	if d := h.told(a.ID).All[0]; d.State != notices.Delivered {
		t.Errorf("later it is %+v", d)
	}
	_, stranger := certificate(t)
	distrust := newHouse(t, mailChannel(t, "smtp://"+addr, stranger))
	distrust.add("email", map[string]string{"to": "ops@example.com"})
	b := distrust.submit(medium)
	before := len(box.got())
	distrust.round()
	if d := distrust.told(b.ID).All[0]; d.State != notices.Waiting || len(box.got()) != before {
		t.Errorf("to a server that is not trusted it is %+v", d)
	}
}

// One recipient who has no mailbox any more keeps no notice from the others, and the request
// says who did not get it. Where nobody is left, it is given up.
func TestMailToSomeWhoAreGone(t *testing.T) {
	t.Parallel()
	box := &mailbox{unknown: "dana@example.com"}
	addr, trust := box.serve(t, false)
	h := newHouse(t, mailChannel(t, "smtp://"+addr, trust))
	h.add("email", map[string]string{"to": "ada@example.com, dana@example.com, ben@example.com"})
	a := h.submit(medium)
	h.round()
	d := h.told(a.ID)
	if d.Reach != notices.Reached || d.All[0].State != notices.Delivered || d.All[0].LastError != "the mail server refused dana@example.com: 550 5.1.1 no such user" {
		t.Errorf("it is %s: %+v", d.Reach, d.All[0])
	}
	if n := len(box.got()); n != 1 || !slices.Equal(box.to, []string{"ada@example.com", "ben@example.com"}) {
		t.Errorf("%d letters went to %v", n, box.to)
	}
	alone := newHouse(t, mailChannel(t, "smtp://"+addr, trust))
	alone.add("email", map[string]string{"to": "dana@example.com"})
	b := alone.submit(medium)
	alone.round()
	if d := alone.told(b.ID); d.Reach != notices.Unreached || d.All[0].State != notices.Failed {
		t.Errorf("to nobody else it is %s: %+v", d.Reach, d.All[0])
	}
}

// The link of a test leads to a page that its reader may see: an operator's own channel to
// their own page.
func TestLinksOfTests(t *testing.T) {
	t.Parallel()
	box := &mailbox{}
	addr, trust := box.serve(t, false)
	h := newHouse(t, mailChannel(t, "smtp://"+addr, trust))
	must(t, h.notices.AddOwn(t.Context(), h.operator))
	own, err := h.notices.OwnNotices(t.Context(), h.operator)
	must(t, err)
	must(t, h.notices.TestOwn(t.Context(), h.operator, own.Channels[0].ID))
	h.round()
	ops, _ := h.add("email", map[string]string{"to": "ops@example.com"})
	must(t, h.notices.SendTest(t.Context(), h.admin, ops))
	h.round()
	letters := box.got()
	if len(letters) != 2 {
		t.Fatalf("%d letters arrived", len(letters))
	}
	for i, at := range []string{"/t/acme/account/notices", "/t/acme/settings/notices/channels/" + ops} {
		if text := strings.ReplaceAll(letters[i], "=\r\n", ""); !strings.Contains(text, "\r\n"+base+at+"\r\n") {
			t.Errorf("the link is not %s in %s", at, text)
		}
	}
}

func TestMailServers(t *testing.T) {
	t.Parallel()
	for _, wrong := range []string{"", "mail.example.com", "http://mail.example.com", "smtp://", "smtp://a:b@mail.example.com/x", "smtp+insecure://a:b@mail.example.com", "smtp://mail.example.com:99999"} {
		if _, err := notices.ParseMailServer(wrong, "a@example.com"); err == nil {
			t.Errorf("%q is taken", wrong)
		} else if strings.Contains(err.Error(), "a:b") {
			t.Errorf("the error repeats a password: %v", err)
		}
	}
	if _, err := notices.ParseMailServer("smtp://mail.example.com", "no address"); err == nil {
		t.Error("mail without a sender is taken")
	}
}
