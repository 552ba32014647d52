package notices

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"html"
	"net/mail"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"github.com/countersign/countersign/internal/fault"
)

// MailServer is where mail is handed in, as whoever runs the server set it.
type MailServer struct {
	host           string
	port           int
	secure         mailSecurity
	user, password string
	from           *mail.Address
	tls            *tls.Config // nil: the system's certificates
}

// mailSecurity is how a connection is encrypted.
type mailSecurity string

const (
	startTLS    mailSecurity = "smtp"          // upgraded, or nothing is sent
	wholeTLS    mailSecurity = "smtps"         // from the first byte
	unencrypted mailSecurity = "smtp+insecure" // never
)

var mailPorts = map[mailSecurity]int{startTLS: 587, wholeTLS: 465, unencrypted: 25}

// ParseMailServer reads smtp://user:password@host:587 (STARTTLS, which must work),
// smtps://host (TLS from the first byte) or smtp+insecure://host (no encryption), and the
// address from which mail comes. No error repeats the text: it holds a password.
func ParseMailServer(text, from string) (*MailServer, error) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.RawQuery != "" || strings.Trim(u.Path, "/") != "" {
		return nil, errors.New("this isn't the address of a mail server; enter smtp://user:password@mail.example.com:587, smtps://… for TLS from the first byte, or smtp+insecure://… for none")
	}
	s := &MailServer{host: u.Hostname(), secure: mailSecurity(u.Scheme), user: u.User.Username()}
	s.password, _ = u.User.Password()
	if s.port = mailPorts[s.secure]; s.port == 0 {
		return nil, fmt.Errorf("mail servers of the kind %.20q aren't supported; use smtp, smtps or smtp+insecure", u.Scheme)
	}
	if p := u.Port(); p != "" {
		if s.port, err = strconv.Atoi(p); err != nil || s.port < 1 || s.port > 65535 {
			return nil, errors.New("its port isn't a number from 1 to 65535")
		}
	}
	if s.user != "" && s.secure == unencrypted {
		return nil, errors.New("it would send a password without encryption; use smtp or smtps, or leave user and password out")
	}
	if s.from, err = mail.ParseAddress(from); err != nil {
		return nil, fmt.Errorf("%.100q isn't an email address; set COUNTERSIGN_MAIL_FROM, for example Countersign <countersign@example.com>", from)
	}
	return s, nil
}

// Trust has the server checked against these certificates in place of the system's.
func (s *MailServer) Trust(c *tls.Config) { s.tls = c }

const (
	fieldTo       = "to"
	maxRecipients = 20
)

// Mail is a channel to people's mailboxes. Server is nil where none was set; then nothing
// can be added.
type Mail struct{ Server *MailServer }

// About is what never changes about the kind.
func (Mail) About() About {
	return About{
		Kind: "email", Label: fault.Textf("Email"), Help: fault.Textf("Plain messages without images or tracking. Messages about the same request form one thread."),
		Form:  []Field{{Name: fieldTo, Label: fault.Textf("Recipients"), Help: fault.Textf("Up to 20 addresses, separated by commas. They see each other."), Required: true, Example: "ops@example.com"}},
		Tells: ForPeople(), Retries: PeopleRetries(),
	}
}

func recipients(c Settings) ([]*mail.Address, error) {
	return mail.ParseAddressList(strings.ReplaceAll(c.Fields[fieldTo], "\n", ","))
}

// Check refuses what are no addresses.
func (m Mail) Check(c Settings) error {
	if m.Server == nil {
		return fault.Member(fault.InvalidForm, fieldTo, "this server can't send email yet; whoever runs it needs to set COUNTERSIGN_SMTP_URL and COUNTERSIGN_MAIL_FROM")
	}
	to, err := recipients(c)
	if err != nil {
		return fault.Member(fault.InvalidForm, fieldTo, "these aren't email addresses; enter them like ops@example.com, ben@example.com")
	}
	if len(to) > maxRecipients {
		return fault.Member(fault.InvalidForm, fieldTo, "%d addresses is too many; the limit is %d", len(to), maxRecipients)
	}
	return nil
}

// Shown are the addresses.
func (Mail) Shown(c Settings) string { return c.Fields[fieldTo] }

// Follows: a mail that was sent stays.
func (Mail) Follows(Settings) bool { return false }

// Send hands one message in, for all recipients: those that the mail server refuses keep it
// from nobody else.
func (m Mail) Send(ctx context.Context, c Settings, msg Message) (string, error) {
	if m.Server == nil {
		return "", &Failure{Text: "this server isn't set up to send email"}
	}
	letter, err := m.letter(c, msg)
	if err != nil {
		return "", &Failure{Text: "the recipients aren't email addresses", Final: true}
	}
	return "", m.Server.handIn(ctx, letter)
}

// letter is the message: what identifies it is the same at each attempt, and all that are
// about one request refer to one id, so that mail programs show them together.
func (m Mail) letter(c Settings, msg Message) (*gomail.Msg, error) {
	to, err := recipients(c)
	if err != nil {
		return nil, err
	}
	_, domain, _ := strings.Cut(m.Server.from.Address, "@")
	letter := gomail.NewMsg()
	letter.FromMailAddress(m.Server.from)
	letter.ToMailAddress(to...)
	letter.Subject(inert(msg.Title))
	letter.SetMessageIDWithValue(msg.ID + "@" + domain)
	letter.SetDateWithValue(msg.Now)
	if msg.Approval != "" {
		of := "<" + msg.Approval + "@" + domain + ">"
		letter.SetGenHeader(gomail.HeaderInReplyTo, of)
		letter.SetGenHeader(gomail.HeaderReferences, of)
	}
	letter.SetGenHeader("Auto-Submitted", "auto-generated")
	var text, rich strings.Builder
	paragraph := func(s string) {
		fmt.Fprintf(&text, "%s\n\n", s)
		fmt.Fprintf(&rich, "<p>%s</p>\n", html.EscapeString(s))
	}
	paragraph(inert(msg.Title) + ".")
	for _, l := range msg.lines() {
		paragraph(l.label + ": " + l.text)
	}
	if until := msg.until(); until != "" {
		paragraph(until)
	}
	fmt.Fprintf(&text, "%s\n\nThe link asks you to sign in. It decides nothing.\n", msg.Link)
	fmt.Fprintf(&rich, "<p><a href=\"%s\">Open in Countersign</a></p>\n<p>The link asks you to sign in. It decides nothing.</p>\n", html.EscapeString(msg.Link))
	letter.SetBodyString(gomail.TypeTextPlain, text.String())
	letter.AddAlternativeString(gomail.TypeTextHTML, rich.String())
	return letter, nil
}

func (s *MailServer) client() (*gomail.Client, error) {
	options := []gomail.Option{gomail.WithPort(s.port), gomail.WithTimeout(SendFor)}
	switch s.secure {
	case startTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	case wholeTLS:
		options = append(options, gomail.WithSSL())
	case unencrypted:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	}
	if s.tls != nil {
		options = append(options, gomail.WithTLSConfig(s.tls))
	}
	if s.user != "" {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(s.user), gomail.WithPassword(s.password))
	}
	return gomail.NewClient(s.host, options...)
}

// handIn gives a letter to the mail server. The library's own way sends nothing to anybody
// where one recipient is refused.
func (s *MailServer) handIn(ctx context.Context, letter *gomail.Msg) error {
	client, err := s.client()
	if err != nil {
		return err
	}
	from, err := letter.GetSender(false)
	if err != nil {
		return err
	}
	to, err := letter.GetRecipients()
	if err != nil {
		return err
	}
	session, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return mailFailure(err)
	}
	defer func() { _ = client.CloseWithSMTPClient(session) }() // what it took it took
	if err := session.Mail(from); err != nil {
		return mailFailure(err)
	}
	var refusals []string
	final := true
	for _, one := range to {
		err := session.Rcpt(one)
		var said *textproto.Error
		switch {
		case errors.As(err, &said):
			refusals = append(refusals, strings.Trim(one, "<>")+": "+answerOf(said))
			final = final && said.Code >= 500
		case err != nil:
			return mailFailure(err)
		}
	}
	no := "the mail server refused " + strings.Join(refusals, "; ")
	if len(refusals) == len(to) {
		return &Failure{Text: no, Final: final}
	}
	data, err := session.Data()
	if err != nil {
		return mailFailure(err)
	}
	if _, err := letter.WriteTo(data); err != nil {
		return mailFailure(err)
	}
	if err := data.Close(); err != nil {
		return mailFailure(err)
	}
	if len(refusals) > 0 {
		return &Failure{Text: no, Taken: true}
	}
	return nil
}

// mailFailure is what an error of the library means. What the mail server said is kept;
// addresses in it are those of the channel.
func mailFailure(err error) error {
	var said *textproto.Error
	if errors.As(err, &said) {
		return &Failure{Text: "the mail server refused it: " + answerOf(said), Final: said.Code >= 500}
	}
	return &Failure{Text: "the mail server couldn't be reached: " + oneLine(innermost(err).Error())}
}

func answerOf(e *textproto.Error) string { return fmt.Sprintf("%d %s", e.Code, oneLine(e.Msg)) }
