package headline

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

var (
	granting = words("granting")
	revoking = words("revoking")
	access   = words("access")
	paying   = words("paying")
	stopping = words("stopping")
	persons  = words("persons")
	making   = words("making")
)

// consequence is what follows, from the effect that decides: so it says nothing else than the
// level does.
func (a *act) consequence() string {
	if len(a.Effects) == 0 {
		return "Passes content on"
	}
	e := a.Effects[0]
	switch e.Kind {
	case effects.Read:
		if e.Sensitive {
			return "Reads what is sensitive"
		}
		return "Only reads"
	case effects.Delete:
		return a.deletes(e)
	case effects.Permission:
		return a.access(e)
	case effects.Money:
		switch {
		case e.Amount != nil && paying[e.Verb]:
			return "Moves money"
		case e.Verb == "transfer" && a.written == nil && !slices.ContainsFunc(a.arguments, func(arg Argument) bool { return arg.Role == Amount }):
			return "Hands it over" // a domain, a repository
		}
		return "Moves or promises money"
	case effects.Message:
		switch {
		case e.Audience == effects.Public:
			return "Publishes to everyone"
		case e.Audience == effects.Outside && a.leaves():
			return "Sends to people outside"
		case e.Audience == effects.Inside:
			return "Sends to people inside"
		}
		return "Sends to people"
	case effects.Execute:
		if a.written == nil && !e.Certain {
			break // a click, a task: what follows stands nowhere
		}
		return "Runs code that isn't understood"
	case effects.Write:
		if making[e.Verb] && a.written == nil {
			return "Creates"
		}
		return "Changes"
	}
	return "Not known what it does"
}

func (a *act) deletes(e effects.Effect) string {
	does := "Deletes"
	switch e.Verb {
	case "overwrite", "replace":
		does = "Overwrites"
	case wordlist.OneOf("headline.endingVerbs", e.Verb):
		does = "Ends what runs"
	case "move":
		does = "Moves"
	case "reset", "discard", "revert", "rollback", "restore":
		does = "Deletes changes"
	}
	if e.Breadth == effects.All && does == "Deletes" {
		does += " all of it"
	}
	if r := a.reversible(); r != nil && !*r {
		does += " for good"
	}
	return does
}

func (a *act) access(e effects.Effect) string {
	about := slices.ContainsFunc(strings.Fields(e.Object), func(w string) bool { return access[singular(w)] }) ||
		slices.ContainsFunc(a.arguments, func(arg Argument) bool { return arg.Role == Given })
	switch {
	case about && revoking[e.Verb]:
		return "Removes access"
	case about && granting[e.Verb]:
		return "Grants access"
	case !about && !e.Certain && e.Verb == "assign" && slices.ContainsFunc(strings.Fields(e.Object), func(w string) bool { return persons[singular(w)] }):
		return "Changes who is assigned"
	}
	return "Changes access or security"
}

// leaves reports whether an address says who gets a message.
func (a *act) leaves() bool {
	return slices.ContainsFunc(a.arguments, func(arg Argument) bool {
		return arg.Role == Recipient && strings.Contains(arg.Values[0].Text(), "@") || arg.Words != nil && (slices.Contains(arg.Words, "phone") || slices.Contains(arg.Words, "sms"))
	})
}
