// Package workspace judges what a coding agent does in the folder that an admin bound it
// to (docs/workspace.md): inside of it the agent works without being asked; what leaves
// the folder, destroys it or brings in foreign code is held.
//
// It is pure: Examine reads a call, Reading.Asks says of which files it has to know what
// the agent wrote before, and Reading.Judge answers.
package workspace
