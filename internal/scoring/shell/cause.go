package shell

// Cause is why a part of a text can't be read.
type Cause int

// The causes. What each is in words stands in causes, and decides nothing.
const (
	NoParse Cause = iota
	NameUnknown
	Printed
	Assembled
	StartsShell
	ScriptUnknown
	TooDeep
	TooOften
	AliasUnknown
	ReadsCode
	IndexRuns
	Encoded
	MethodUnknown
	PromptRuns
)

var causes = [...]string{
	NoParse:       "doesn't parse",
	NameUnknown:   "the program's name is known only when it runs",
	Printed:       "runs what another command prints",
	Assembled:     "runs a text that it assembles",
	StartsShell:   "starts a shell",
	ScriptUnknown: "runs a script that is known only when it runs",
	TooDeep:       "is nested too deeply",
	TooOften:      "calls its functions too often to follow",
	AliasUnknown:  "an alias is only known when it runs",
	ReadsCode:     "runs what it reads",
	IndexRuns:     "runs what an index holds",
	Encoded:       "runs an encoded text",
	MethodUnknown: "calls a method that isn't known",
	PromptRuns:    "expands a value as a prompt, which runs what it contains",
}

// String is the cause in words, behind what it is of.
func (c Cause) String() string { return causes[c] }
