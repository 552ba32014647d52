package views

// Replay is what a draft would have made of the newest actions.
type Replay struct {
	// Moved of Of actions change their level.
	Moved, Of string
	Rows      []ReplayRow
	Facts     []Fact
	// Passing says that people, or the policy, refused what would now pass.
	Passing *Notice
	Denied  []ReplayDenied
	// More is said below a list that was cut; may be empty.
	More string
	// Note says what was replayed, Hint how the table is read.
	Note []Run
	Hint string
	// None stands in place of all where there is nothing to replay.
	None string
}

// ReplayRow is what becomes of the actions of one level, from LOW to CRITICAL.
type ReplayRow struct {
	Level Level
	Cells []ReplayCell
}

// ReplayCell is how many go from one level to another.
type ReplayCell struct {
	// Text is for example "3 go up"; empty for none.
	Text string
	// Tone tells those that stay from those that move.
	Tone Tone
}

// ReplayDenied is an action that was refused and would pass.
type ReplayDenied struct {
	URL      string
	Sentence []Run
	Level    Level
	// Note is for example "denied 18 Nov by Mei Tanaka".
	Note string
}
