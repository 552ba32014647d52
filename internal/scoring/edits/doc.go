// Package edits reads what a call does to the text of files: every shape in which tools take
// an edit or a patch (docs/effects.md, "Edits and patches"). Effects, workspace, headline and
// page ask it; none of them knows a shape.
//
//	Read(call) ─┬─ pairs          old_string/new_string, oldText/newText, lists of them
//	            ├─ whole files    content, contents, file_text of a tool that writes a file
//	            ├─ notebooks      notebook_path and new_source
//	            ├─ SEARCH/REPLACE blocks in a text
//	            └─ Patch(text) ─┬ unified diffs, with the headers of git or without
//	                            └ *** Begin Patch, under any member's name
//
// It is pure and total, its work is linear in the call, and where a patch can be read in two
// ways it names the files of both.
package edits
