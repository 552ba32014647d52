package notices

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/slack-go/slack"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/outbound"
)

// slackCard is a message as blocks. Texts of agents are plain text, so that Slack reads no
// mention or markup out of them, and inert, so that it makes no links.
func slackCard(m Message) (text string, blocks []slack.Block) {
	title := inert(m.Title)
	plain := func(s string) *slack.TextBlockObject {
		off := false
		return &slack.TextBlockObject{Type: slack.PlainTextType, Text: s, Emoji: &off}
	}
	blocks = append(blocks, slack.NewSectionBlock(plain(title), nil, nil))
	for _, l := range m.lines() {
		blocks = append(blocks, slack.NewSectionBlock(plain(l.label+": "+l.text), nil, nil))
	}
	if until := m.until(); until != "" {
		blocks = append(blocks, slack.NewContextBlock("", plain(until)))
	}
	// A link in a text, not a button: Slack warns whoever presses a button of an app that takes
	// no presses, as one with an incoming webhook does not.
	link := slack.NewTextBlockObject(slack.MarkdownType, "<"+m.Link+"|Open in Countersign>", false, false)
	return title, append(blocks, slack.NewSectionBlock(link, nil, nil))
}

// SlackHook is a channel to a room of Slack, by the address of an incoming webhook.
type SlackHook struct{ Client *outbound.Client }

// About is what never changes about the kind.
func (SlackHook) About() About {
	return About{
		Kind: "slack", Label: fault.Textf("Slack webhook"), Help: fault.Textf("The address of an incoming webhook in your workspace. Messages aren't updated when a request ends; use a bot for that."),
		Form:  []Field{{Name: fieldURL, Label: fault.Textf("Webhook address"), Secret: true, Required: true, Example: "https://hooks.slack.com/services/…"}},
		Tells: ForPeople(), Retries: PeopleRetries(),
	}
}

// ForPeople is what a new channel that people read tells of.
func ForPeople() []Kind { return []Kind{Held, Escalated, Ending, Proposed, Silent, Disabled} }

// Check refuses addresses that can never be called.
func (s SlackHook) Check(c Settings) error { return s.Client.CheckURL(fieldURL, c.Secrets[fieldURL]) }

// Shown is the host: the rest of the address is a secret.
func (SlackHook) Shown(c Settings) string { return hostOf(c.Secrets[fieldURL]) }

// Follows: what came by a webhook cannot be changed.
func (SlackHook) Follows(Settings) bool { return false }

// Send posts a card.
func (s SlackHook) Send(ctx context.Context, c Settings, m Message) (string, error) {
	text, blocks := slackCard(m)
	body, err := json.Marshal(slack.WebhookMessage{Text: text, Blocks: &slack.Blocks{BlockSet: blocks}})
	if err != nil {
		return "", err
	}
	return "", post(ctx, s.Client, c.Secrets[fieldURL], http.Header{}, body, m.Now)
}

const (
	fieldToken = "token"
	fieldRoom  = "room"
)

// SlackBot is a channel to a channel of Slack, as a bot: it changes its card when the request
// ends.
type SlackBot struct {
	Client *outbound.Client
	API    string // base of the addresses of Slack's API, with a slash at its end; "" is Slack's own
}

// About is what never changes about the kind.
func (SlackBot) About() About {
	return About{
		Kind: "slack-bot", Label: fault.Textf("Slack bot"), Help: fault.Textf("Needs a bot with the chat:write scope that has joined the channel. Its message is updated when the request ends."),
		Form: []Field{
			{Name: fieldToken, Label: fault.Textf("Bot token"), Secret: true, Required: true, Example: "xoxb-…"},
			{Name: fieldRoom, Label: fault.Textf("Slack channel"), Help: fault.Textf("Its ID or its name."), Required: true, Example: "C0123456789 or #ops"},
		},
		Tells: ForPeople(), Retries: PeopleRetries(),
	}
}

// Check refuses what is no token of a bot.
func (SlackBot) Check(c Settings) error {
	if t := c.Secrets[fieldToken]; !strings.HasPrefix(t, "xoxb-") || strings.ContainsAny(t, " \r\n\t") {
		return fault.Member(fault.InvalidForm, fieldToken, "this isn't a bot token; bot tokens start with xoxb-")
	}
	if room := c.Fields[fieldRoom]; len(room) > 100 || strings.ContainsAny(room, " \r\n\t<>@") {
		return fault.Member(fault.InvalidForm, fieldRoom, "this isn't a Slack channel; enter its ID, or its name with #")
	}
	return nil
}

// Shown is the room.
func (SlackBot) Shown(c Settings) string { return c.Fields[fieldRoom] }

// Follows: the card says how the request ended.
func (SlackBot) Follows(Settings) bool { return true }

// Send posts a card, or changes the one that called.
func (s SlackBot) Send(ctx context.Context, c Settings, m Message) (string, error) {
	options := []slack.Option{slack.OptionHTTPClient(s.Client.HTTP())}
	if s.API != "" {
		options = append(options, slack.OptionAPIURL(s.API))
	}
	api := slack.New(c.Secrets[fieldToken], options...)
	text, blocks := slackCard(m)
	say := []slack.MsgOption{slack.MsgOptionText(text, false), slack.MsgOptionBlocks(blocks...), slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl()}
	if m.Kind.Ends() && len(m.Prior) > 0 {
		return m.Prior[0], slackEnd(ctx, api, m.Prior, say)
	}
	room, at, err := api.PostMessageContext(ctx, c.Fields[fieldRoom], say...)
	if err != nil {
		return "", slackFailure(err)
	}
	return room + " " + at, nil
}

// slackEnd changes every card that called. One that is gone keeps no other from being changed.
func slackEnd(ctx context.Context, api *slack.Client, cards []string, say []slack.MsgOption) (failed error) {
	for _, card := range cards {
		room, at, _ := strings.Cut(card, " ")
		_, _, _, err := api.UpdateMessageContext(ctx, room, at, say...)
		var f *Failure
		if failure := slackFailure(err); failure != nil && (failed == nil || errors.As(failed, &f) && f.Final) {
			failed = failure // rather one that is worth another attempt
		}
	}
	return failed
}

// finalSlack are the errors of Slack's API that stay until somebody changes the settings.
var finalSlack = map[string]bool{
	"invalid_auth": true, "not_authed": true, "account_inactive": true, "token_revoked": true, "token_expired": true, "missing_scope": true,
	"channel_not_found": true, "not_in_channel": true, "is_archived": true, "no_permission": true, "message_not_found": true, "cant_update_message": true,
}

// slackFailure is what an error of the library means.
func slackFailure(err error) error {
	var said slack.SlackErrorResponse
	var later *slack.RateLimitedError
	var status slack.StatusCodeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &said):
		return &Failure{Text: "Slack answered " + oneLine(said.Err), Final: finalSlack[said.Err]}
	case errors.As(err, &later):
		return &Failure{Text: "Slack is limiting requests", RetryAfter: later.RetryAfter}
	case errors.As(err, &status):
		return &Failure{Text: "Slack answered " + oneLine(status.Status)}
	}
	return unsent(outbound.Clean(err))
}
