package command

import (
	"strings"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/outbound"
)

// senders are the kinds of channels for notices, in the order in which they are offered.
func (s Serving) senders(key *notices.PushKey, publicURL func() string) ([]notices.Sender, error) {
	allowed, err := outbound.ParseNetworks(s.NoticeNetworks)
	if err != nil {
		return nil, err
	}
	client := outbound.New(outbound.Config{Allowed: allowed})
	mail, err := s.mailServer()
	if err != nil {
		return nil, err
	}
	return []notices.Sender{
		notices.SlackBot{Client: client},
		notices.SlackHook{Client: client},
		notices.Teams{Client: client},
		notices.Chat{Client: client},
		notices.Mail{Server: mail},
		notices.Webhook{Client: client},
		notices.Push{Client: client, Key: key, Subject: func() string { return s.pushContact(publicURL()) }},
	}, nil
}

// pushContact is how push services reach whoever runs this server (RFC 8292, 2.1): the
// setting, or where the server is. They want https, also of a server that is tried out.
func (s Serving) pushContact(publicURL string) string {
	if s.PushContact != "" {
		return s.PushContact
	}
	_, host, _ := strings.Cut(publicURL, "://") // a public URL has a scheme
	return "https://" + host
}

// mailServer is nil where none is set.
func (s Serving) mailServer() (*notices.MailServer, error) {
	if s.SMTPURL == "" {
		return nil, nil
	}
	server, err := notices.ParseMailServer(s.SMTPURL, s.MailFrom)
	if err != nil {
		return nil, fault.Member(fault.InvalidSetting, "COUNTERSIGN_SMTP_URL", "%v", err)
	}
	return server, nil
}
