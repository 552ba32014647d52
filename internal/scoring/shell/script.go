package shell

import (
	"path"
	"strings"
)

// Script is what a command text would run.
type Script struct {
	// Commands are all simple commands, in the order in which they would begin to run,
	// those of substitutions, functions and shells inside of shells too. A command of a
	// loop over literal words, or of a function, stands once for each time it is known to run.
	Commands []Command
	// Unreadable is why the text could not be read to its end, with its place; nil where
	// it was.
	Unreadable []Unreadable
}

// Unreadable is a part of a text whose commands cannot be known.
type Unreadable struct {
	Why        Cause
	Start, End int // bytes of the text
}

// Role says what a command is beside others of its script.
type Role int

const (
	// Program runs a program or a builtin.
	Program Role = iota
	// Function calls a function of the text; what that runs is listed too.
	Function
	// Alias is the name of an alias of the text; what it stands for is listed too.
	Alias
	// Outer only runs another command, which is listed too, elsewhere or by a way that has
	// options of its own: ssh, docker exec, npx.
	Outer
)

// Command is one simple command: a program with its arguments.
type Command struct {
	Role Role
	// Words are the program and its arguments, wrappers looked through: of
	// `sudo env A=1 rm -rf /x` they are rm, -rf, /x. There are none where only variables
	// are set, or only files are opened.
	Words []Word
	// Wrappers are the programs that were looked through, the outermost first.
	Wrappers []string
	// Assigns are the variables that are set in front of it, by env or by export.
	Assigns []Assign
	// Redirects are its own, and those of the groups around it.
	Redirects []Redirect
	// Dir is the folder that cd, -C or the like put it in; "" is where the text starts,
	// and DirKnown is false where that depends on what is not known. Of a loop over folders
	// that a pattern names it is the pattern.
	Dir      string
	DirKnown bool
	// From is the index in Commands of the command whose output it reads through a pipe
	// or a process substitution; -1 for none.
	From int
	// Input is the text that it reads: of a here-document, a here-string, or a pipe from a
	// command that prints a text that is known. It is nil for none.
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
	// Of is what its value is taken from, where that is not known but what it is made of is:
	// of $f in `for f in $(ls)` the words that the loop goes through, and of ${f%.c} f.
	Of *Word
	// Start and End are its bytes in the text, quotes included.
	Start, End int

	// at is one more than where Text itself stands in the text, byte for byte; 0 where it
	// does not.
	at int
	// assembled says that what is not known of it comes from this text, not from the
	// environment: a shell that gets it as its text may run anything.
	assembled bool
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
	if len(c.Words) == 0 || !c.Words[0].Literal || c.Words[0].Glob {
		return ""
	}
	return baseName(c.Words[0].Text)
}

// baseName is the name of a program without its folder, as Unix and Windows write it.
func baseName(program string) string {
	if i := strings.LastIndexByte(program, '\\'); i >= 0 {
		program = program[i+1:]
	}
	return strings.TrimSuffix(path.Base(program), ".exe")
}
