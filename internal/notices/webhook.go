package notices

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/outbound"
)

// RotationOverlap is for how long the secret before still signs, too.
const RotationOverlap = 24 * time.Hour

// secretBytes is the length of a signing secret: Standard Webhooks 1.0.0 asks for 24 to 64.
const secretBytes = 32

const (
	fieldURL     = "url"
	fieldSecret  = "secret"
	fieldBefore  = "secret_before"
	fieldOverlap = "secret_before_until" // RFC 3339
)

// Webhook is a channel to a program, by Standard Webhooks 1.0.0
// (https://github.com/standard-webhooks/standard-webhooks).
type Webhook struct{ Client *outbound.Client }

// About is what never changes about the kind.
func (Webhook) About() About {
	return About{
		Kind: "webhook", Label: fault.Textf("Webhook"), Help: fault.Textf("Signed JSON for programs, in the Standard Webhooks 1.0.0 format."),
		Form: []Field{
			{Name: fieldURL, Label: fault.Textf("Address"), Help: fault.Textf("Receives a POST for each notice. It can hold a token, so it isn't shown again."), Secret: true, Required: true, Example: "https://example.com/countersign"},
			{Name: fieldSecret, Label: fault.Textf("Signing secret"), Secret: true, Made: true},
		},
		Tells: Kinds(), Retries: ProgramRetries(), Late: true,
	}
}

// Check refuses addresses that can never be called.
func (w Webhook) Check(c Settings) error { return w.Client.CheckURL(fieldURL, c.Secrets[fieldURL]) }

// Shown is the host: the rest of the address can be a secret.
func (Webhook) Shown(c Settings) string { return hostOf(c.Secrets[fieldURL]) }

// Follows: a program asks for what it wants to know.
func (Webhook) Follows(Settings) bool { return false }

// Make adds a signing secret, which is shown once.
func (Webhook) Make(c *Settings) string {
	secret := make([]byte, secretBytes)
	rand.Read(secret) // it never fails
	c.Secrets[fieldSecret] = "whsec_" + base64.StdEncoding.EncodeToString(secret)
	return c.Secrets[fieldSecret]
}

// Rotate makes another one. The one before signs beside it for RotationOverlap.
func (w Webhook) Rotate(c *Settings, now time.Time) string {
	c.Secrets[fieldBefore] = c.Secrets[fieldSecret]
	c.Secrets[fieldOverlap] = now.Add(RotationOverlap).UTC().Format(time.RFC3339)
	return w.Make(c)
}

// payload is the body of a webhook: what happened, and where to look.
type payload struct {
	Type      string      `json:"type"`
	Timestamp string      `json:"timestamp"`
	Data      payloadData `json:"data"`
}

type payloadData struct {
	Organisation string `json:"organisation"`
	ID           string `json:"id,omitempty"`
	Status       string `json:"status,omitempty"`
	Level        string `json:"level,omitempty"`
	Agent        string `json:"agent,omitempty"`
	ExpiresAt    string `json:"expires_at,omitempty"`
	Link         string `json:"link"`
	Sentence     string `json:"sentence,omitempty"`
	Target       string `json:"target,omitempty"`
	Reason       string `json:"reason,omitempty"`
	Needs        string `json:"needs,omitempty"`
}

func payloadOf(m Message) payload {
	p := payload{Type: string(m.Kind), Timestamp: m.At.UTC().Format(time.RFC3339Nano), Data: payloadData{
		Organisation: m.Tenant, ID: m.Approval, Status: m.Status, Level: m.Level, Agent: m.Agent, Link: m.Link,
	}}
	if !m.Expires.IsZero() {
		p.Data.ExpiresAt = m.Expires.UTC().Format(time.RFC3339Nano)
	}
	if m.More != nil {
		p.Data.Sentence, p.Data.Target, p.Data.Reason, p.Data.Needs = m.More.Sentence, m.More.Target, m.More.Reason, m.More.Needs
	}
	return p
}

// Send signs and posts.
func (w Webhook) Send(ctx context.Context, c Settings, m Message) (string, error) {
	body, err := json.Marshal(payloadOf(m))
	if err != nil {
		return "", err
	}
	signature, err := signatures(c, m, body)
	if err != nil {
		return "", &Failure{Text: "the signing secret can't be read; rotate it", Final: true}
	}
	header := http.Header{}
	header.Set(standardwebhooks.HeaderWebhookID, m.ID)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(m.Now.Unix(), 10))
	header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return "", post(ctx, w.Client, c.Secrets[fieldURL], header, body, m.Now)
}

// signatures are one, or two while a rotated secret is still good; with spaces between.
func signatures(c Settings, m Message, body []byte) (string, error) {
	secrets := []string{c.Secrets[fieldSecret]}
	if until, err := time.Parse(time.RFC3339, c.Secrets[fieldOverlap]); err == nil && m.Now.Before(until) {
		secrets = append(secrets, c.Secrets[fieldBefore])
	}
	all := ""
	for _, secret := range secrets {
		hook, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return "", err
		}
		one, err := hook.Sign(m.ID, m.Now, body)
		if err != nil {
			return "", err
		}
		if all != "" {
			all += " "
		}
		all += one
	}
	return all, nil
}
