package shell

import "path"

// Script is what a command text would run.
type Script struct {
	// Commands are all simple commands, in the order in which they are written, those
	// of substitutions and of shells inside of shells too.
	Commands []Command
	// Unreadable is why the text could not be read to its end ("does not parse", "runs
	// what it assembles"), with its place; nil where it was.
	Unreadable []Unreadable
}

// Unreadable is a part of a text whose commands cannot be known.
type Unreadable struct {
	Why        string // a few English words: "runs an assembled text"
	Start, End int    // bytes of the text
}

// Command is one simple command: a program with its arguments.
type Command struct {
	// Words are the program and its arguments, wrappers looked through: of
	// `sudo env A=1 rm -rf /x` they are rm, -rf, /x.
	Words []Word
	// Wrappers are the programs that were looked through, the outermost first.
	Wrappers []string
	// Assigns are the variables that are set in front of it, or by env.
	Assigns []Assign
	// Redirects are its own, and those of the groups around it.
	Redirects []Redirect
	// Dir is the folder that cd, -C or the like put it in; "" is where the text starts,
	// and DirKnown is false where that depends on what is not known.
	Dir      string
	DirKnown bool
	// From is the index in Commands of the command whose output it reads through a pipe
	// or a process substitution; -1 for none.
	From int
	// Input is the text of a here-document or here-string; nil for none.
	Input *Word
	// Start and End are its bytes in the text, wrappers included.
	Start, End int
}

// Word is one word, as the program gets it.
type Word struct {
	// Text is its value: without quotes, variables of the text that have a literal value
	// put in. Where part of it is known only when it runs, that part stands as it is
	// written, and Literal is false.
	Text    string
	Literal bool
	// Glob says that an unquoted * ? or [ stands in it.
	Glob bool
	// Start and End are its bytes in the text, quotes included.
	Start, End int
}

// Assign is NAME=value.
type Assign struct {
	Name  string
	Value Word
}

// Redirect is an operator and its file: ">", "/tmp/x". Here-documents are Input.
type Redirect struct {
	Op   string // ">", ">>", "<", "<>", ">|", "&>", "&>>"; duplications (2>&1) are left out
	File Word
}

// Program is the program's name without its folder: "rm" of "/bin/rm"; "" where it is
// not known, or there is none.
func (c Command) Program() string {
	if len(c.Words) == 0 || !c.Words[0].Literal {
		return ""
	}
	return path.Base(c.Words[0].Text)
}

func Read(text string) Script       { return Script{} }
func ReadArgv(argv []string) Script { return Script{} }
