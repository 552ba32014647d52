package views

// Filter is the form over a list. It sends with GET, so its state is the address.
type Filter struct {
	// URL is the list without any filter.
	URL   string
	Label string // of the form, for example "Filter entries"
	// Hidden is sent with it.
	Hidden []HiddenField
	// Lead stands in the first row; More folds away, and is open when something of
	// it is set.
	Lead, More []FilterField
	MoreLabel  string
	MoreOpen   bool
	// Spans are quick choices of a time, as whole addresses.
	Spans []Link
	// Chips are what is set, each with an address without it.
	Chips []FilterChip
	// Saved are the reader's own; nil for none, and where nothing can be kept.
	Saved *SavedFilters
	// Problems are shown above the form.
	Problems []FieldError
}

// FieldKind says which control a [FilterField] is.
type FieldKind uint8

const (
	// FieldText is a line of text.
	FieldText FieldKind = iota
	// FieldSearch is a line of text that is searched for.
	FieldSearch
	// FieldTime is a moment.
	FieldTime
	// FieldDay is a day.
	FieldDay
	// FieldSelect is one of several.
	FieldSelect
	// FieldBoxes is any of several.
	FieldBoxes
)

// FilterField is one control of a [Filter].
type FilterField struct {
	Kind FieldKind
	// ID and Name are the control's; Value is what it holds.
	ID, Name, Label, Value string
	Hint, Placeholder      string
	Error                  string
	// Summary is what a folded list of boxes says, for example "2 kinds".
	Summary string
	// Groups are the choices of a FieldSelect or FieldBoxes; a group without a label
	// stands by itself.
	Groups []ChoiceGroup
	// Beside is a small select after the text, nil for none. It has no visible label.
	Beside *FilterField
}

// ChoiceGroup is a part of a list of choices.
type ChoiceGroup struct {
	Label   string
	Choices []Choice
}

// FilterChip is one thing that the list is narrowed by.
type FilterChip struct {
	Name  string
	Value []Run
	// Without is the address of the list without it.
	Without string
}

// HiddenField is a value that a form sends without showing it.
type HiddenField struct{ Name, Value string }

// Download is a form that sends a list as a file.
type Download struct {
	URL    string
	Label  string
	Fields []HiddenField
}

func (f FilterField) timeType() string {
	// A field for times shows nothing at all of what is no time, so what was typed
	// would be gone.
	switch {
	case f.Error != "":
		return "text"
	case f.Kind == FieldDay:
		return "date"
	}

	return "datetime-local"
}

// active says that the control narrows the list.
func (f FilterField) active() bool {
	if f.Value != "" {
		return true
	}
	for _, g := range f.Groups {
		for _, c := range g.Choices {
			if c.Checked && c.Value != "" {
				return true
			}
		}
	}

	return false
}

// SavedFilters are what a reader narrows the queue by again and again.
type SavedFilters struct {
	Filters []SavedFilter
	// Current is the name of the one that is shown; empty for none.
	Current string
	// Save and Forget are addresses of forms (POST); Fields are the filter that is
	// shown, empty where nothing is left out.
	Save, Forget string
	Fields       []HiddenField
	// Most bounds a name, in characters.
	Most int
}

// SavedFilter is one of them.
type SavedFilter struct {
	Name, URL string
	Current   bool
}
