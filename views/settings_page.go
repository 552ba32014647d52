package views

// SettingsItem is one entry of the settings' own navigation.
type SettingsItem struct {
	Label string
	URL   string
	Icon  Icon
	// Here says that this is the page shown.
	Here bool
}
