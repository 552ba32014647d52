package settings

import "github.com/countersign/countersign/views"

// NoticesSettings lists where an organisation is told of something outside of the console.
type NoticesSettings struct {
	Items   []views.SettingsItem
	Notices []views.Notice
	// Add lists the kinds that can be added; none for readers.
	Add  []ChannelKind
	Rows []ChannelRow
	// Routing leads to who is called.
	Routing *views.Link
	// Detail says what notices may say; nil for readers.
	Detail *views.Panel
	// DetailNow says it in words.
	DetailNow string
}

// ChannelKind is one that can be added.
type ChannelKind struct {
	Link views.Link
	Help string
}

// ChannelRow is one channel.
type ChannelRow struct {
	Name, URL string
	Kind      string
	// To is where it leads, for example "https://hooks.slack.com".
	To    []views.Run
	Tells string
	State string
	Tone  views.Tone
	Icon  views.Icon
}

// ChannelSettings is one channel, or a new one.
type ChannelSettings struct {
	Items   []views.SettingsItem
	Back    views.Link
	Title   string
	Summary string
	Notices []views.Notice
	Errors  []views.FieldError
	Facts   []views.Fact
	// Refresh is where to look again soon: a test is on its way. Empty for not.
	Refresh string
	// Form changes it; nil for readers.
	Form *views.PlainForm
	// Preview is what would be sent; empty for none.
	Preview string
	// Panels are what else can be done; none for readers and for new ones.
	Panels []views.Panel
}

// ChannelShown is the page that shows the secret of a channel, once.
type ChannelShown struct {
	Items  []views.SettingsItem
	Title  string
	Warn   views.Notice
	Secret views.Secret
	Text   string
	Done   views.Link
}
