package views

// NoticesSettings lists where an organisation is told of something outside of the console.
type NoticesSettings struct {
	Items   []SettingsItem
	Notices []Notice
	// Add lists the kinds that can be added; none for readers.
	Add  []ChannelKind
	Rows []ChannelRow
	// Routing leads to who is called.
	Routing *Link
	// Detail says what notices may say; nil for readers.
	Detail *Panel
	// DetailNow says it in words.
	DetailNow string
}

// ChannelKind is one that can be added.
type ChannelKind struct {
	Link Link
	Help string
}

// ChannelRow is one channel.
type ChannelRow struct {
	Name, URL string
	Kind      string
	// To is where it leads, for example "https://hooks.slack.com".
	To    []Run
	Tells string
	State string
	Tone  Tone
	Icon  Icon
}

// ChannelSettings is one channel, or a new one.
type ChannelSettings struct {
	Items   []SettingsItem
	Back    Link
	Title   string
	Summary string
	Notices []Notice
	Errors  []FieldError
	Facts   []Fact
	// Refresh is where to look again soon: a test is on its way. Empty for not.
	Refresh string
	// Form changes it; nil for readers.
	Form *PlainForm
	// Preview is what would be sent; empty for none.
	Preview string
	// Panels are what else can be done; none for readers and for new ones.
	Panels []Panel
}

// ChannelShown is the page that shows the secret of a channel, once.
type ChannelShown struct {
	Items  []SettingsItem
	Title  string
	Warn   Notice
	Secret Secret
	Text   string
	Done   Link
}
