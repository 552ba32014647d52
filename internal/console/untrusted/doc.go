// Package untrusted draws texts of agents so that they cannot fool a reader.
//
//	runs.go         a text as runs, which read back to it byte for byte
//	confusables.go  what looks like another character; names.go what cannot be seen
//	renderer.go     the values of a page: marked (marks.go), coloured (highlight.go,
//	                language.go), compared (diff.go)
//	edits.go        the files that an act edits
//
// Whatever is said about a text, no character of it is lost, moved or added.
package untrusted
