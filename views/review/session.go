package review

import "github.com/countersign/countersign/views"

// SessionOne is a session of an agent: its calls, what it wrote, and what it may do.
type SessionOne struct {
	Title []views.Run
	// Back leads to the agent, or to where calls are listed.
	Back views.Link
	// Summary is who, from when to when, in a line.
	Summary []views.Run
	// State says whether it goes on; its chip has a tone and an icon.
	State string
	Tone  views.Tone
	Icon  views.Icon
	Links []views.Link
	Stats []views.Stat
	// Alert says that its score is above what the policy accepts; nil where it is not.
	Alert *views.Notice
	// Acknowledge takes the name of the session, Session; empty where nobody is asked to.
	Acknowledge, Session string
	Score                SessionScore
	// Note says that the figures do not count everything; empty where they do.
	Note     string
	Grants   views.SessionGrants
	Problems []views.FieldError
	// Windows choose which calls are listed.
	Windows []views.Window
	Rows    []SessionRow
	Empty   *views.Empty
	// Sealed says what is left out of the rows; empty where nothing is.
	Sealed string
	// Label, Older and Newest are the neighbours of this page.
	Label, Older, Newest string
	Files                SessionFiles
}

// SessionScore is what the pattern matches of a session come to.
type SessionScore struct {
	// About says what the numbers are, Note what is left out of them; empty for nothing.
	About, Note string
	Stats       []views.Stat
	// Days is the table by day; without rows there is none.
	Days views.Figure
	// Downloads are its evaluations as a file, for those who may.
	Downloads []views.Download
}

// SessionRow is one call.
type SessionRow struct {
	ID, URL        string
	When, ISO, Ago string
	Sentence       []views.Run
	// Command is what a call runs in a shell, as it stands there; none where it runs none.
	Command []views.Run
	Level   views.Level
	// Why says what let it through or what held it; WhyURL leads to what would change
	// that. Both are empty where it is sealed.
	Why    []views.Run
	WhyURL string
	// Verdict is what became of it, By of whom and after how long.
	Verdict string
	Tone    views.Tone
	By      string
	// Writes says how many files it wrote; empty for none.
	Writes string
}

// SessionFiles are the files that a session wrote.
type SessionFiles struct {
	None, Note, More string
	Rows             []SessionFile
}

// SessionFile is one of them.
type SessionFile struct {
	Path []views.Run
	// Findings are what speaks against running it; none where nothing does.
	Findings []string
	// State says for example that it was deleted; empty for nothing.
	State string
	Times string
	// URL leads to the call that wrote it last.
	URL, Last, LastISO string
}
