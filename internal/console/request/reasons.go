package request

import (
	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views/texts"
)

// ReasonsFor are the reasons that the form of an act offers. They only fill the text.
func ReasonsFor(say texts.Printer, own tenants.Reasons, act approvals.Verdict) []string {
	list, builtIn := own.Deny, []string{say.Say("Wrong target"), say.Say("Not now"), say.Say("Too broad"), say.Say("Needs a ticket"), say.Say("I can't judge this")}
	switch act {
	case approvals.VerdictRequestChanges:
		list, builtIn = own.RequestChanges, []string{say.Say("Narrow it down"), say.Say("Explain why it's needed"), say.Say("Try it in staging first"), say.Say("Name a limit")}
	case VerdictWithdraw:
		list, builtIn = nil, []string{say.Say("Wrong target"), say.Say("Not now"), say.Say("Approved by mistake")}
	case VerdictExtend:
		list, builtIn = own.Extend, []string{say.Say("Asking the owner"), say.Say("Reading the details"), say.Say("Waiting for a second person")}
	}
	if len(list) > 0 {
		return list
	}
	return builtIn
}

// ReasonAct is an act with reasons, by the name of its field.
type ReasonAct struct {
	Name, Label string
	Act         approvals.Verdict
}

// ReasonActs are those whose reasons an organisation chooses.
func ReasonActs(say texts.Printer) []ReasonAct {
	return []ReasonAct{
		{"deny", say.Say("Deny"), approvals.VerdictDeny},
		{"request_changes", say.Say("Request changes"), approvals.VerdictRequestChanges},
		{"extend", say.Say("Extend the time"), VerdictExtend},
	}
}
