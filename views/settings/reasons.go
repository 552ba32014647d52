package settings

import "github.com/countersign/countersign/views"

// ReasonSettings are the reasons that forms offer.
type ReasonSettings struct {
	Items  []views.SettingsItem
	Errors []views.FieldError
	// Form changes them; nil for whoever may only read.
	Form *views.PlainForm
	// Lists are what is offered, for those who may only read.
	Lists []ReasonList
}

// ReasonList is what is offered for one act.
type ReasonList struct {
	ID, Title string
	Reasons   []string
}
