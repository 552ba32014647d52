package workspace

import (
	"slices"

	"github.com/countersign/countersign/internal/scoring/level"
)

// Binding is the folder that an admin bound an agent to.
type Binding struct {
	Folder string `json:"folder"` // absolute and clean
	// Sandboxed says that what runs there reaches nothing that matters but through the
	// network: so the admin says.
	Sandboxed bool `json:"sandboxed,omitempty"`

	// part says that a text is only a part of its file, and nested in how many others it
	// stands.
	part   bool
	nested int
}

// Finding is what speaks against running a text.
type Finding string

const (
	// Network is a client with a credential, a writing method, a URL that is not literal,
	// or one of a service or database that is not on localhost.
	Network Finding = "network"
	// Outside is a secret path, the environment as a whole, or a change outside of the folder.
	Outside Finding = "outside"
	// Child is a child process that cannot itself be read.
	Child Finding = "child"
	// Hidden is decoded or assembled code, or a text that could not be computed.
	Hidden Finding = "hidden"
)

// Findings lists them.
func Findings() []Finding { return []Finding{Network, Outside, Child, Hidden} }

// Valid reports whether f is one of Findings.
func (f Finding) Valid() bool { return slices.Contains(Findings(), f) }

// File is what is remembered of a file that the agent wrote: what its text showed, never
// the text.
type File struct {
	Path     string    `json:"path"` // absolute and clean
	SHA256   string    `json:"sha256,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
	// Foreign says that it was downloaded, cloned or unpacked.
	Foreign bool `json:"foreign,omitempty"`
	// Folder says that Path is a folder whose files are all as this says: a clone.
	Folder bool `json:"folder,omitempty"`
	// Plain says that it was written as data: its text was read as that of no program.
	Plain bool `json:"plain,omitempty"`
	// Tasks are those that a Makefile, a package.json or the like defines, each judged
	// as the shell text that it is.
	Tasks []Task `json:"tasks,omitempty"`
	// Reviewed says that a person approved a build, a test or an install since it was written.
	Reviewed bool `json:"reviewed,omitempty"`
	// Gone says that the file was deleted, with Folder that all below it was: it is forgotten,
	// but for Before.
	Gone bool `json:"gone,omitempty"`
	// Before are the findings of what the file held before it was deleted or written anew:
	// version control may bring that back.
	Before []Finding `json:"before,omitempty"`
	// Edited says of a write that it changed the file: what it had may still be there.
	Edited bool `json:"edited,omitempty"`
}

// Task is a target or script of a file.
type Task struct {
	Name    string      `json:"name"`
	Level   level.Level `json:"level"`
	Because string      `json:"because,omitempty"`
	// Runs are files of the workspace that it runs, as far as its text says so.
	Runs []string `json:"runs,omitempty"`
}

// Memory is what is remembered of the files that a call asks about.
type Memory struct {
	Files []File `json:"files,omitempty"`
	// Full says that the agent wrote more files than are kept: of own code that is not
	// listed nobody knows what it holds.
	Full bool `json:"full,omitempty"`
}

// Asks says of which files a call has to know.
type Asks struct {
	// Paths are files, and folders with all that is in them.
	Paths []string
	// Unreviewed asks for all with findings that no person has approved since: a build or
	// a test runs them. Manifests asks so for manifests, lock files and index settings.
	// Gone asks for those that were deleted and had findings.
	Unreviewed, Manifests, Gone bool
}

// None reports whether nothing is asked for.
func (a Asks) None() bool { return len(a.Paths) == 0 && !a.Unreviewed && !a.Manifests && !a.Gone }
