package views

import (
	"strings"

	"github.com/a-h/templ"
)

// LineField is a text of one line.
type LineField struct {
	ID, Name, Label, Value, Hint, Error string
	// Setting, Was and Now are those of a policy.TextField.
	Setting  bool
	Was, Now string
	// Type is for example "email"; empty is "text". A password is never given back.
	Type string
	// Autocomplete is what the browser may fill in; empty switches it off.
	Autocomplete string
	Required     bool
	// Mono sets it in the machine's type, for names and slugs.
	Mono bool
	Max  string
}

func (f LineField) kind() string {
	if f.Type == "" {
		return "text"
	}

	return f.Type
}

func (f LineField) filled() string {
	if f.Autocomplete == "" {
		return "off"
	}

	return f.Autocomplete
}

// SelectField is a choice of one from a list that opens.
type SelectField struct {
	ID, Name, Label, Hint, Error string
	Options                      []Choice
	// Quiet keeps the label for assistive technology only.
	Quiet bool
}

// BoxField is a box to tick.
type BoxField struct {
	ID, Name, Value, Label string
	// Note stands behind the label; may be empty.
	Note     string
	Checked  bool
	Required bool
}

// BoxGroup are boxes under one heading.
type BoxGroup struct {
	ID, Label, Error string
	Boxes            []BoxField
}

// Button sends its form.
type Button struct {
	Label string
	Icon  Icon
	// Kind is "primary", "final" or empty.
	Kind string
}

// PlainForm is a form of a settings page: hidden values, fields in the order in
// which they are set here, and one button.
type PlainForm struct {
	// URL is where it is POSTed.
	URL     string
	Hidden  []Hidden
	Lines   []LineField
	Areas   []AreaField
	Lists   []SelectField
	Groups  []BoxGroup
	Confirm *BoxField
	Button  Button
	// Other sends the same form to another address; nil for none.
	Other *OtherButton
	// Cancel leads away without doing anything; nil for none.
	Cancel *Link
}

// OtherButton sends a form to another address than its own.
type OtherButton struct{ Label, URL string }

// Panel is a heading with what it does, and its form.
type Panel struct {
	ID, Title string
	Text      []Run
	Form      PlainForm
}

// Secret is something that is shown this once: a key or a link.
type Secret struct {
	// ID names the element whose text is copied.
	ID    string
	Label string
	Value string
}

// AreaField is a text of several lines set in the machine's type.
type AreaField struct {
	ID, Name, Label, Value, Hint, Error, Rows string
	// Prose says that it is read, not run: it is checked for spelling.
	Prose bool
}

// Choice is one option of a policy.ChoiceField.
type Choice struct {
	Value, Label string
	// Hint is one sentence; may be empty.
	Hint    string
	Checked bool
}

// FieldError is one line of the error summary.
type FieldError struct {
	Text string
	// Field is the id of the control that it is about; empty for none.
	Field string
}

// Hidden is a field that a form carries along.
type Hidden struct {
	Name, Value string
}

// TypedWord is a confirmation box.
type TypedWord struct {
	Say, Value, Error, Why string
}

// DescribedBy lists the ids of the lines below a field, as fieldNotes draws them.
func DescribedBy(id, hint, was, wrong string) string {
	var all []string
	for _, line := range []struct{ text, end string }{{wrong, "-error"}, {was, "-was"}, {hint, "-hint"}} {
		if line.text != "" {
			all = append(all, id+line.end)
		}
	}

	return strings.Join(all, " ")
}

// DraftState is for the script that asks before a draft is left: whether it differs
// already from what is stored, or only once something is typed.
func DraftState(changed bool) string {
	if changed {
		return "changed"
	}
	return "typed"
}

// OfSetting marks the element around a setting for the script that counts changes: by its
// name, and where the draft has another value than the policy in force, with that one.
func OfSetting(is bool, name, was, now string) templ.Attributes {
	switch {
	case !is:
		return nil
	case was == "":
		return templ.Attributes{"data-field": name}
	}

	return templ.Attributes{"data-field": name, "data-changed": true, "data-now": now}
}
