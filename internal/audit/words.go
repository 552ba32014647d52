package audit

import (
	"maps"
	"slices"
	"strings"
)

// What an event says in one sentence, for people who do not read JSON. Texts of
// agents and people stand in it as they are: whoever shows it makes them safe.

// Names says who an id is: kind is person or agent. Where it knows none it returns
// the id.
type Names func(kind, id string) string

// People are the ids of the people that the event names: who did it, and whom its
// data tells of.
func (e Event) People() (ids []string) {
	if e.Actor.Kind == "person" && e.Actor.ID != "" {
		ids = append(ids, e.Actor.ID)
	}
	for _, v := range e.Data.Members() {
		if strings.HasPrefix(v.Text(), "per_") {
			ids = append(ids, v.Text())
		}
	}
	return ids
}

// Kinds lists every kind that this program writes, sorted.
func Kinds() []Kind { return slices.Sorted(maps.Keys(sentences)) }

// Sentence says what happened, without who did it: it begins with the verb. A kind
// of another version of this program is told by its name and its data.
func (e Event) Sentence(names Names) string {
	if say, ok := sentences[e.Kind]; ok {
		return say(teller{e, names})
	}
	s := string(e.Kind)
	if e.Data.Len() > 0 {
		s += " " + string(e.Data.Canonical())
	}
	return s
}

// teller finds the parts of a sentence.
type teller struct {
	Event
	names Names
}

// get is a text or number of the data; "" where there is none.
func (t teller) get(path ...string) string {
	v := t.Data
	for _, name := range path {
		v = v.Get(name)
	}
	if s := v.Text(); s != "" {
		return s
	}
	return v.Number()
}

// what is the function, quoted nowhere: names of functions are one word.
func (t teller) what() string {
	if t.Function == "" {
		return "an action"
	}
	return t.Function
}

// agent is the name of the agent that the event is about.
func (t teller) agent() string {
	if t.Agent == "" {
		return "without a name"
	}
	return t.names("agent", t.Agent)
}

// or is a text of the data, or other words where it is missing.
func (t teller) or(name, otherwise string) string {
	if s := t.get(name); s != "" {
		return s
	}
	return otherwise
}

func (t teller) person(name string) string {
	if id := t.get(name); id != "" {
		return t.names("person", id)
	}
	return "somebody"
}

// list joins the texts of an array.
func (t teller) list(name string) string {
	var all []string
	for _, v := range t.Data.Get(name).Elements() {
		all = append(all, v.Text())
	}
	return strings.Join(all, ", ")
}

// with adds a part that may be missing.
func with(s, before, part string) string {
	if part == "" {
		return s
	}
	return s + before + part
}

// because adds the reason in quotation marks.
func (t teller) because(s string) string {
	if r := t.get("reason"); r != "" {
		return s + ": “" + r + "”"
	}
	return s
}

// weakening says so where a change of the policy weakens it.
func (t teller) weakening(s string) string {
	if t.Data.Get("weakens").Len() > 0 {
		s += ", which weakens it"
	}
	return s
}

// challenges are the words for what an operator had to pass.
var challenges = map[string]string{"confirm": "one click", "quiz": "the questions", "explicit_confirmation": "the typed target"}

func (t teller) challenge(path ...string) string {
	kind := t.get(path...)
	if kind == "" {
		return "a challenge"
	}
	if words, ok := challenges[kind]; ok {
		return words
	}
	return kind
}

// sentences is the one table of kinds and their words. A kind without a row here
// fails a test.
var sentences = map[Kind]func(teller) string{
	TenantCreated: func(t teller) string {
		return with("Created the organisation", " with policy version ", t.get("policy_version"))
	},
	AgentCreated: func(t teller) string {
		s := "Created the agent " + t.or("name", "without a name")
		if t.get("owner") != "" {
			s += ", owned by " + t.person("owner")
		}
		return s
	},
	AgentKeyRotated: func(t teller) string {
		return with("Gave the agent "+t.agent()+" a new key", "; the old one works until ", t.get("replaced_until"))
	},
	AgentKeyRevoked: func(t teller) string { return "Revoked a key of the agent " + t.agent() },
	AgentKeyExpiry: func(t teller) string {
		return with("Set when a key of the agent "+t.agent()+" expires", ": ", t.get("expires_at"))
	},
	AgentStopped: func(t teller) string { return t.because("Stopped the agent " + t.agent()) },
	IncidentRecorded: func(t teller) string {
		return t.because("Recorded an incident of the agent " + t.agent() + ": it begins again, without trust")
	},
	AgentStarted:  func(t teller) string { return "Started the agent " + t.agent() + " again" },
	AgentsStopped: func(t teller) string { return t.because("Stopped all agents") },
	AgentsResumed: func(t teller) string { return t.because("Let all agents go on") },
	PersonCreated: func(t teller) string { return with("Added "+t.person("person"), " as ", t.list("roles")) },
	RolesGranted: func(t teller) string {
		if t.list("roles") == "" {
			return "Took every role from " + t.person("person")
		}
		return "Gave " + t.person("person") + " the roles " + t.list("roles")
	},
	PersonInvited:   func(t teller) string { return with("Invited somebody", " as ", t.list("roles")) },
	InviteWithdrawn: func(teller) string { return "Took an invitation back" },
	InviteRefused:   func(teller) string { return "Refused an invitation: the password was wrong" },
	PersonJoined:    func(t teller) string { return with(t.person("person")+" joined", " as ", t.list("roles")) },
	RolesChanged: func(t teller) string {
		return with("Changed the roles of "+t.person("person"), " to ", t.list("roles"))
	},
	PersonRemoved: func(t teller) string { return t.because("Removed " + t.person("person")) },
	ResetIssued: func(t teller) string {
		return "Issued a link with which " + t.person("person") + " chooses a new password"
	},
	PasswordChanged: func(t teller) string { return "Changed the password of " + t.person("person") },
	SessionsRevoked: func(t teller) string { return "Ended sessions of " + t.person("person") },
	AssessmentMade: func(t teller) string {
		return with("Asked what would happen to "+t.what(), ": scored ", t.get("treatment", "score"))
	},
	Edited: func(t teller) string {
		return with("Edited the arguments of "+t.what(), ", which made version ", t.get("version"))
	},
	Signed: func(t teller) string {
		return with(with("Signed "+t.what(), ", ", t.get("given")), " of ", t.get("required"))
	},
	PolicyProposed: func(t teller) string { return t.because(t.weakening("Proposed another policy")) },
	PolicyChanged: func(t teller) string {
		s := t.weakening(with("Changed the policy", " to version ", t.get("version")))
		if t.get("proposal") != "" {
			s += ", as " + t.person("author") + " proposed"
		}
		if t.Data.Get("single_person").Bool() {
			s += ", with nobody else to look"
		}
		return t.because(s)
	},
	ProposalRejected: func(t teller) string {
		return t.because("Rejected the policy that " + t.person("author") + " proposed")
	},
	ProposalWithdrawn: func(teller) string { return "Took a proposed policy back" },

	StandingCreated: func(t teller) string {
		s := with("Allowed "+t.what()+" ahead to the agent "+t.agent(), ", ", t.get("uses")) + " times"
		if t.Data.Get("single_person").Bool() {
			s += ", with nobody else to look"
		}
		return t.because(s)
	},
	StandingUsed: func(t teller) string {
		return with("Used a standing grant for "+t.what(), ", ", t.get("left")) + " left"
	},
	StandingRevoked: func(t teller) string {
		return t.because("Took back what was allowed ahead for " + t.what())
	},

	LinkIssued:    func(t teller) string { return "Issued a sign-in link for " + t.person("person") },
	SignedIn:      func(t teller) string { return with("Signed in", " by ", t.get("how")) },
	SignInRefused: func(t teller) string { return with("Was refused at sign-in", " by ", t.get("how")) },
	SignedOut:     func(teller) string { return "Signed out" },

	Submitted: func(t teller) string {
		s := with("Proposed "+t.what(), ", scored ", t.get("treatment", "score"))
		return with(s, ", revises ", t.get("revises"))
	},
	Viewed: func(t teller) string { return "Opened the request about " + t.what() },
	SectionRead: func(t teller) string {
		return with(with("Acknowledged a section of "+t.what(), ": ", t.get("section")), " of ", t.get("of"))
	},
	Claimed: func(t teller) string {
		if t.get("from") == "" {
			return "Claimed " + t.what()
		}
		return "Took over " + t.what() + " from " + t.person("from")
	},
	Released:        func(t teller) string { return "Released " + t.what() },
	ChallengeIssued: func(t teller) string { return "Was given " + t.challenge("kind") + " to pass for " + t.what() },
	ChallengePassed: func(t teller) string {
		return with("Answered about "+t.what()+": all right", ", attempt ", t.get("attempt"))
	},
	ChallengeFailed: func(t teller) string {
		return with("Answered about "+t.what()+": not all right", ", attempt ", t.get("attempt"))
	},
	Approved: func(t teller) string {
		if t.Actor.Kind == "policy" && strings.HasPrefix(t.Actor.ID, "stg_") {
			return "Let " + t.what() + " through: it was allowed ahead"
		}
		if t.Actor.Kind == "policy" {
			return "Let " + t.what() + " through"
		}
		s := "Approved " + t.what()
		if t.get("evidence", "kind") != "" {
			s += " after " + t.challenge("evidence", "kind")
		}
		if t.Data.Get("evidence").Get("single_person").Bool() {
			s += ", with nobody else to decide"
		}
		return s
	},
	Blocked:          func(t teller) string { return t.because("Blocked " + t.what()) },
	Denied:           func(t teller) string { return t.because("Denied " + t.what()) },
	ChangesRequested: func(t teller) string { return t.because("Asked for changes to " + t.what()) },
	Expired:          func(t teller) string { return "Let " + t.what() + " expire: nobody decided in time" },
	Cancelled:        func(t teller) string { return t.because("Took " + t.what() + " back") },
	Restated: func(t teller) string {
		return with("Treats "+t.what()+" more strictly now", ": ", t.challenge("treatment", "challenge"))
	},
	GrantConsumed: func(t teller) string { return "Spent the grant for " + t.what() },
	GrantVoided: func(t teller) string {
		if t.get("reason") != "" {
			return t.because("Made the grant for " + t.what() + " void")
		}
		return "Made the grant for " + t.what() + " void: the policy is stricter now"
	},
	Reported: func(t teller) string {
		return with("Reported that "+t.what()+" "+t.or("status", "ended"), ": ", t.get("detail"))
	},

	SigningKeyPublished: func(t teller) string {
		return with("Published the key "+t.or("key", "of the server")+" that signs "+t.or("use", "grants"), ", from ", t.get("from"))
	},
	SigningKeyWithdrawn: func(t teller) string {
		return "Withdrew the key " + t.or("key", "of the server") + " that signed " + t.or("use", "grants")
	},

	Exported: func(t teller) string {
		of := "of the trail"
		switch t.get("list") {
		case "history":
			of = "of the history"
		case "questions", "operators":
			of = "of the quiz statistics (" + t.get("list") + ")"
		default:
			if figure, ok := strings.CutPrefix(t.get("list"), "insights-"); ok {
				of = "of the insights (" + figure + ")"
			}
		}
		entries := " entries "
		if t.get("count") == "1" {
			entries = " entry "
		}
		return "Exported " + t.or("count", "some") + entries + of + " as " + strings.ToUpper(t.or("format", "a file"))
	},
	Verified: func(t teller) string {
		if t.Data.Get("holds").Bool() {
			return "Verified the trail: " + t.or("size", "all") + " entries hold"
		}
		return with("Verified the trail: it does not hold", ", ", t.get("problem"))
	},
}
