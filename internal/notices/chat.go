package notices

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/outbound"
)

// Teams is a channel to Microsoft Teams, by the address of a workflow that posts what a
// webhook brings.
type Teams struct{ Client *outbound.Client }

// About is what never changes about the kind.
func (Teams) About() About {
	return About{
		Kind: "teams", Label: fault.Textf("Microsoft Teams"), Help: fault.Textf("The address of a workflow made from the template “Post to a channel when a webhook request is received”."),
		Form:  []Field{{Name: fieldURL, Label: fault.Textf("Workflow address"), Secret: true, Required: true, Example: "https://….logic.azure.com/workflows/…"}},
		Tells: ForPeople(), Retries: PeopleRetries(),
	}
}

// Check refuses addresses that can never be called.
func (t Teams) Check(c Settings) error { return t.Client.CheckURL(fieldURL, c.Secrets[fieldURL]) }

// Shown is the host: the rest of the address is a secret.
func (Teams) Shown(c Settings) string { return hostOf(c.Secrets[fieldURL]) }

// Follows: what came by a workflow cannot be changed.
func (Teams) Follows(Settings) bool { return false }

// Send posts an Adaptive Card. Text runs of a RichTextBlock are text: Teams reads no
// Markdown out of them, as it does of a TextBlock.
func (t Teams) Send(ctx context.Context, c Settings, m Message) (string, error) {
	run := func(text string, more map[string]any) map[string]any {
		all := map[string]any{"type": "TextRun", "text": text}
		for k, v := range more {
			all[k] = v
		}
		return map[string]any{"type": "RichTextBlock", "inlines": []any{all}}
	}
	body := []any{run(inert(m.Title), map[string]any{"weight": "Bolder", "size": "Medium"})}
	for _, l := range m.lines() {
		body = append(body, run(l.label+": "+l.text, nil))
	}
	if until := m.until(); until != "" {
		body = append(body, run(until, map[string]any{"isSubtle": true}))
	}
	text, err := json.Marshal(map[string]any{
		"type": "message",
		"attachments": []any{map[string]any{
			"contentType": "application/vnd.microsoft.card.adaptive",
			"content": map[string]any{
				"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4", "body": body,
				"actions": []any{map[string]any{"type": "Action.OpenUrl", "title": "Open in Countersign", "url": m.Link}},
			},
		}},
	})
	if err != nil {
		return "", err
	}
	return "", post(ctx, t.Client, c.Secrets[fieldURL], http.Header{}, text, m.Now)
}

const fieldTemplate = "template"

// Chat is a channel to any other chat that takes JSON by a webhook: an admin writes what is
// sent, with fields.
type Chat struct{ Client *outbound.Client }

// About is what never changes about the kind.
func (Chat) About() About {
	return About{
		Kind: "chat", Label: fault.Textf("Other chat"), Help: fault.Textf("Any chat that accepts JSON webhooks, such as Mattermost, Google Chat, Discord or Zulip."),
		Form: []Field{
			{Name: fieldURL, Label: fault.Textf("Webhook address"), Secret: true, Required: true, Example: "https://chat.example.com/hooks/…"},
			{Name: fieldTemplate, Label: fault.Textf("Template"), Lines: 6, Required: true, Example: `{"text": "{{title}} {{link}}"}`, Help: fault.Textf("JSON with these placeholders: {{title}}, {{level}}, {{agent}}, {{link}}, {{kind}}, {{status}}, {{id}}, {{organisation}} and {{expires}}. {{sentence}}, {{target}} and {{reason}} stay empty unless your organisation allows details in notices.")},
		},
		Tells: ForPeople(), Retries: PeopleRetries(),
	}
}

// Check refuses addresses that can never be called, and templates that are no JSON or name
// fields that are none.
func (c Chat) Check(s Settings) error {
	if err := c.Client.CheckURL(fieldURL, s.Secrets[fieldURL]); err != nil {
		return err
	}
	_, err := fill(s.Fields[fieldTemplate], Message{})
	return err
}

// Shown is the host: the rest of the address can be a secret.
func (Chat) Shown(c Settings) string { return hostOf(c.Secrets[fieldURL]) }

// Follows: what came by a webhook cannot be changed.
func (Chat) Follows(Settings) bool { return false }

// Send posts the template, filled.
func (c Chat) Send(ctx context.Context, s Settings, m Message) (string, error) {
	body, err := fill(s.Fields[fieldTemplate], m)
	if err != nil {
		return "", &Failure{Text: "the template can't be filled: " + err.Error(), Final: true}
	}
	return "", post(ctx, c.Client, s.Secrets[fieldURL], http.Header{}, body, m.Now)
}

// Preview is what would be sent.
func (Chat) Preview(s Settings, m Message) (string, error) {
	body, err := fill(s.Fields[fieldTemplate], m)
	return string(body), err
}

// templateFields are what a template can name.
func templateFields(m Message) map[string]string {
	all := map[string]string{
		"title": inert(m.Title), "level": m.Level, "agent": inert(m.Agent), "link": m.Link, "kind": string(m.Kind), "status": m.Status,
		"id": m.Approval, "organisation": m.Tenant, "expires": "", "sentence": "", "target": "", "reason": "",
	}
	if !m.Expires.IsZero() {
		all["expires"] = m.Expires.UTC().Format("2006-01-02T15:04:05Z")
	}
	if m.More != nil {
		all["sentence"], all["target"], all["reason"] = inert(m.More.Sentence), inert(m.More.Target), inert(m.More.Reason)
	}
	return all
}

var placeholder = regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`)

// fill parses the template first and fills its texts then: whatever stands in a field, the
// JSON around it stays what the admin wrote.
func fill(template string, m Message) ([]byte, error) {
	var tree any
	if err := json.Unmarshal([]byte(template), &tree); err != nil {
		return nil, fault.Member(fault.InvalidForm, fieldTemplate, "the template isn't valid JSON: %s", err.Error())
	}
	if _, ok := tree.(map[string]any); !ok {
		return nil, fault.Member(fault.InvalidForm, fieldTemplate, "the template isn't a JSON object; start it with { and end it with }")
	}
	fields := templateFields(m)
	var unknown []string
	tree = filled(tree, func(text string) string {
		return placeholder.ReplaceAllStringFunc(text, func(found string) string {
			name := placeholder.FindStringSubmatch(found)[1]
			value, ok := fields[name]
			if !ok {
				unknown = append(unknown, name)
			}
			return value
		})
	})
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return nil, fault.Member(fault.InvalidForm, fieldTemplate, "there is no field %.60q; a template can name title, level, agent, link, kind, status, id, organisation, expires, sentence, target, reason", strings.Join(slices.Compact(unknown), ", "))
	}
	return json.Marshal(tree)
}

// filled is a tree in which each text was filled; names of members stay.
func filled(v any, say func(string) string) any {
	switch v := v.(type) {
	case string:
		return say(v)
	case []any:
		for i := range v {
			v[i] = filled(v[i], say)
		}
	case map[string]any:
		for k := range v {
			v[k] = filled(v[k], say)
		}
	}
	return v
}
