package approvals

import (
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/headline"
	"github.com/countersign/countersign/internal/scoring/level"
)

// Subject is what an approval is about.
type Subject struct {
	headline.All
	Environment string
}

// Subject says what the action in force does. It is drawn from the stored bytes, which are masked.
func (a Approval) Subject() Subject {
	action, err := a.Parsed()
	if err != nil { // an edited row; audit verify says so
		const unreadable = "Unreadable action"
		return Subject{All: headline.All{Headline: headline.Headline{Text: unreadable, Parts: []headline.Part{{Role: headline.Label, Text: unreadable, By: headline.Ours}}}}}
	}
	return a.subject(action)
}

func (a Approval) subject(action scoring.Action) Subject {
	s := Subject{All: action.Read(a.Assessment), Environment: action.Environment()}
	if f, ok := a.Assessment.Fact(facts.Environment); ok {
		s.Environment = f.Value
	}
	return s
}

// Line is an approval as a list shows it: no bytes of the action, no assessment, and
// no text that is longer than MaxWords.
type Line struct {
	Tenant, ID          string
	Agent               Agent // without its owner
	Function, Session   string
	Digest, ShownDigest string // of the action in force
	Level               level.Level
	Effect              effects.Kind // the one that decides; "" where none was read
	Status              Status
	Version             int64
	Words               Words
	Quiz                bool // the treatment asks for a quiz
	Edited              bool // by an operator
	Required, Signed    int  // how many people must approve, and how many did
	CreatedAt           time.Time
	ExpiresAt           time.Time
	Decision            *Decision         // nil while pending; without evidence
	Needed              []deciders.Needed // as of Approval; the service tells them
	NoOne               fault.Text

	// Identical is how many wait that are the same act of the same agent, this one
	// included; Asking that the reader is answering its quiz, and Covered that they are
	// answering any. The service tells them.
	Identical       int
	Newer           string // id of the newest request for the same target, where that is another act
	Asking, Covered bool
	// Also are the others of the page that its row stands for.
	Also []string
}

// Words are the texts of a Line.
type Words struct {
	Parts       []headline.Part `json:"parts"` // of the headline, as many as a row shows
	Consequence string          `json:"consequence"`
	Reversible  *bool           `json:"reversible,omitempty"`
	Environment string          `json:"environment,omitempty"`
	Needs       bool            `json:"needs,omitempty"` // the policy says who has to approve
}

// Text is the headline's row on one line.
func (w Words) Text() string { return headline.Plain(w.Parts) }

// MaxWords bounds each text of a Line, in characters.
const MaxWords = 200

// Line draws the line of a: what the store keeps when it writes a, and what it
// reads where it kept none.
func (a Approval) Line() Line { return a.LineAbout(a.Subject()) }

// LineAbout is Line of an approval whose subject was read.
func (a Approval) LineAbout(about Subject) Line {
	l := Line{
		Tenant: a.Tenant, ID: a.ID, Agent: Agent{ID: a.Agent.ID, Name: a.Agent.Name}, Function: a.Function, Session: a.Session,
		Digest: a.Digest, ShownDigest: a.ShownDigest, Level: a.Assessment.Level, Effect: a.Effect(), Status: a.Status, Version: a.Version,
		Quiz: a.Treatment.Challenge == scoring.ChallengeQuiz, Edited: a.Proposed != nil,
		Required: a.Treatment.ApprovalsRequired, Signed: len(a.Signatures), CreatedAt: a.CreatedAt, ExpiresAt: a.ExpiresAt,
	}
	l.Words.Parts, l.Words.Consequence, l.Words.Reversible = about.Row(headline.MaxRow), about.Consequence, about.Reversible
	l.Words.Needs = len(a.Treatment.Needs) > 0
	var more int
	if l.Words.Environment, more = cut(about.Environment); more > 0 {
		l.Words.Environment += "…"
	}
	if a.Decision != nil {
		d := *a.Decision
		d.Evidence = nil
		l.Decision = &d
	}
	return l
}

// cut is the beginning of a text, and how many characters follow it.
func cut(s string) (string, int) {
	rest := utf8.RuneCountInString(s) - MaxWords
	if rest <= 0 {
		return s, 0
	}
	n := 0
	for i := range s {
		if n == MaxWords {
			return s[:i], rest
		}
		n++
	}
	return s, 0
}

// Act is what makes requests identical.
type Act struct{ Agent, Digest string }

// Act is the act of a line.
func (l Line) Act() Act { return Act{l.Agent.ID, l.Digest} }

// Place is where a line stands in the queue; lists go on behind it.
type Place struct {
	Level     level.Level
	ExpiresAt time.Time
	ID        string
}

// Place is the place of a line.
func (l Line) Place() Place { return Place{l.Level, l.ExpiresAt, l.ID} }
