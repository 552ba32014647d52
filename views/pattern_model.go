package views

// PatternModel is one evaluation of the pattern model, so that its score and its action
// can be followed to the end.
type PatternModel struct {
	// Label is "Clean", "Suspicious" or "Dangerous", Tone how it is drawn; Summary goes on
	// for example "52 of 100, block".
	Label   string
	Tone    Tone
	Summary string
	// Facts are score, severity, actions, reason and threshold; none of a clean pass.
	Facts []Fact
	Terms []PatternTerm
	// Sum is how the terms make the score: "40 + 8 + 6.8 = 54.8, rounded 55".
	Sum   string
	Bands []ScoreBand
}

// PatternTerm is what one match adds to the score.
type PatternTerm struct {
	Pattern, Severity, Action string
	// Where is the field and the bytes of the first place, and how many more there are.
	Where []Run
	// Formula is "40 × 0.85^1", Points what that makes.
	Formula, Points string
}

// ScoreBand is a row of the reference table of pattern scores.
type ScoreBand struct {
	Scores, Action string
	// Here marks the row of a score.
	Here bool
}
