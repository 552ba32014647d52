// Package act is what commands do, understood once: readers of programs say it, and what it
// means without a workspace, in one, and to people is folded from it.
package act

import (
	"slices"

	"github.com/countersign/countersign/internal/scoring/shell"
)

// Verb says what is done.
type Verb string

const (
	Print     Verb = "print"     // it only prints, computes or looks
	Read      Verb = "read"      // what stands in Target is read
	Write     Verb = "write"     // Target is created or changed
	Search    Verb = "search"    // all that stands below Target is read
	Look      Verb = "look"      // Target is what is looked for
	Show      Verb = "show"      // the environment is printed
	Edit      Verb = "edit"      // Target is changed in place, by the script in Text
	Append    Verb = "append"    // something is added to what Target holds
	Overwrite Verb = "overwrite" // what Target held is gone
	Empty     Verb = "empty"     // Target is cut to nothing
	Folder    Verb = "folder"    // Target is made, a folder or a pipe
	Delete    Verb = "delete"    // Target is gone
	Copy      Verb = "copy"      // From is put to Target
	Move      Verb = "move"      // the same, and gone from where it was
	Link      Verb = "link"      // Target is made another name of From
	Pack      Verb = "pack"      // From is put into the archive Target
	Unpack    Verb = "unpack"    // the archive From is unpacked into Target
	Run       Verb = "run"       // Target is a program, or a text, that is run
	Feed      Verb = "feed"      // something is sent through programs that only print
	Load      Verb = "load"      // what Target says is done: a script, settings
	Connect   Verb = "connect"   // Target decides where something connects
	Command   Verb = "command"   // a server is given a command
	Mail      Verb = "mail"      // mail is sent
	Request   Verb = "request"   // HTTP
	Statement Verb = "statement" // Target is run by a database
	Open      Verb = "open"      // Target is a database, a file
	Wait      Verb = "wait"      // what is typed is run
	Unknown   Verb = "unknown"   // Target is an option that nobody knows

	// Of programs:
	Do     Verb = "do"     // what Deed says
	Query  Verb = "query"  // the statement Target is run
	Call   Verb = "call"   // Text is called, which is not known to be harmless
	Method Verb = "method" // the same of a method, of which the name may say what it does
	Say    Verb = "say"    // Target is a literal, maybe a path or an address
	Hidden Verb = "hidden" // what is done cannot be read

	Make    Verb = "make"    // code, or a name, is made when it runs
	Library Verb = "library" // a library, or a part of a module, is taken in that cannot be read
	Change  Verb = "change"  // the files From are written, deleted or changed
)

// Deed is what calls of a function do, as a table says it.
type Deed struct {
	Kind, Verb, Object string
	Sensitive          bool // what is read is secret
	Outside            bool // whom it reaches is
	All                bool // it is of all that there is
}

// Act is one thing that a command does. Where that is, and what it means there, it does not say.
type Act struct {
	Verb   Verb
	Target shell.Word
	Reason Reason
	From   []shell.Word
	Text   string
	Flags  Flags
	HTTP   *HTTP // of Request
	Deed   Deed  // of Do
	// Start and End are where it stands in a program.
	Start, End int
}

// Has reports whether one of some verbs is among acts.
func Has(all []Act, verbs ...Verb) bool {
	return slices.ContainsFunc(all, func(a Act) bool { return slices.Contains(verbs, a.Verb) })
}

// Flags say how.
type Flags int

const (
	Recursive Flags = 1 << iota
	Symbolic        // of Link
	Keeps           // what stands at Target is kept
	Adds            // what comes in is added to it
	Input           // what comes in is what the command reads
	Anywhere        // files of an archive go to wherever it says
	Listed          // From names a file with the names
	Guessed         // only the name says that it does this
	Handed          // it is not called, but handed over
	Opens           // of Change: a file is opened to write
	Handle          // of Call: what has the function acts on something outside
)

// Reason is why something is said: a code, and what belongs to it. What it is in words decides
// nothing.
type Reason struct {
	Code string
	Args []string
}

// Because is a reason.
func Because(code string, args ...string) Reason { return Reason{code, args} }

// HTTP is a request of a program: to all of its addresses alike.
type HTTP struct {
	Method  string // upper case; "" where nothing says it
	URLs    []shell.Word
	Body    bool         // something is sent
	Data    []shell.Word // of that what stands in the call
	Uploads []shell.Word // and the files
	Outputs []shell.Word // where what comes is kept, of each address
	Named   bool         // where Outputs say nothing it is kept under its own name
	Folder  string       // and in this folder, with a slash at its end
	Saves   []shell.Word // other files that are written
	Secret  bool         // a credential is sent
	// Made says that a part of what is sent is put together when it runs.
	Made bool
	Said []shell.Word // values that travel along
}
