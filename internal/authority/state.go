package authority

import (
	"slices"
	"time"
)

// State is what an organisation's authority depends on, at one moment.
type State struct {
	Now time.Time
	// Single says that the organisation is in single-person mode: it has been since it
	// was made, and no second person who may decide or manage has signed in so far.
	Single bool
	// Wait is how long a weakening waits that another admin saw; Kinship is how long an
	// invitation or a password link ties two people.
	Wait, Kinship time.Duration
	People        []Person
	Ties          []Tie
}

// Person is a member, or somebody who was one or had more rights within Kinship.
type Person struct {
	ID, Name string
	// Decides and Manages are the roles operator and admin. A suspended person keeps
	// them, and may do nothing.
	Decides, Manages bool
	Suspended        bool
	// Decided and Managed say that they lost that role within Kinship, for the first time at LostAt.
	Decided, Managed bool
	LostAt           time.Time
	// Since is when they got their present rights; what they saw before counts for nothing.
	Since time.Time
	// SignedIn says that they have ever signed in since they are a member.
	SignedIn bool
}

// Tie says that By made Person what they are: invited them, or made a link with which a
// password was chosen for them. Whoever held that link may be By.
type Tie struct {
	Person, By string
	At         time.Time
}

// Opening is when somebody first opened a page that showed a weakening.
type Opening struct {
	Person string
	At     time.Time
}

func (p Person) decides() bool  { return p.Decides && !p.Suspended }
func (p Person) manages() bool  { return p.Manages && !p.Suspended }
func (p Person) eligible() bool { return p.Decides || p.Manages }

// Members are those who are a member now and not suspended.
func (s State) Members() []Person {
	return slices.DeleteFunc(slices.Clone(s.People), func(p Person) bool { return p.Name == "" || p.Suspended })
}

// Find returns somebody by id; a stranger has no rights.
func (s State) Find(id string) Person {
	if i := slices.IndexFunc(s.People, func(p Person) bool { return p.ID == id }); i >= 0 {
		return s.People[i]
	}
	return Person{ID: id}
}

// Decides and Manages report what somebody may do now.
func (s State) Decides(id string) bool { return s.Find(id).decides() }

// Manages reports whether somebody is an admin now.
func (s State) Manages(id string) bool { return s.Find(id).manages() }

// behind are the people who may be somebody: they themselves, and within Kinship of
// being invited (or of a password link) whoever did that, and whoever invited those, at
// whatever time. Only ties of theirs from before a time count, where one is given.
func (s State) behind(id string, before time.Time) []string {
	all := []string{id}
	for _, t := range s.Ties {
		if t.Person == id && s.Now.Before(t.At.Add(s.Kinship)) && (before.IsZero() || t.At.Before(before)) {
			all = s.ancestors(all, t.By)
		}
	}
	return all
}

func (s State) ancestors(all []string, id string) []string {
	if slices.Contains(all, id) {
		return all
	}
	all = append(all, id)
	for _, t := range s.Ties {
		if t.Person == id {
			all = s.ancestors(all, t.By)
		}
	}
	return all
}

// Related reports whether two accounts may be one person: one invited the other, or one
// person invited both, directly or through others, within Kinship. It goes both ways.
func (s State) Related(a, b string) bool {
	return a == b || meet(s.behind(a, time.Time{}), s.behind(b, time.Time{}))
}

func meet(a, b []string) bool {
	return slices.ContainsFunc(a, func(id string) bool { return slices.Contains(b, id) })
}

// wasRelated is Related to somebody as they were when they lost a right: whoever took it
// does not make them theirs by inviting them again.
func (s State) wasRelated(a string, p Person) bool {
	if !p.Decided && !p.Managed {
		return s.Related(a, p.ID)
	}
	return a == p.ID || meet(s.behind(a, time.Time{}), s.behind(p.ID, p.LostAt))
}

// RelatedUntil is when somebody's ties end; zero where there are none.
func (s State) RelatedUntil(ids ...string) (until time.Time) {
	for _, t := range s.Ties {
		if end := t.At.Add(s.Kinship); slices.Contains(ids, t.Person) && s.Now.Before(end) && end.After(until) {
			until = end
		}
	}
	return until
}

// EndsSingle reports whether single-person mode is over: two people who may decide or
// manage have signed in.
func (s State) EndsSingle() bool {
	n := 0
	for _, p := range s.People {
		if p.eligible() && p.SignedIn {
			n++
		}
	}
	return s.Single && n > 1
}
