// Package install puts our hook into the settings of coding agents, takes it out again, and
// proves that it holds (see doctor.go).
//
//	settings file ──Plan──▶ Change ──Diff──▶ a person says yes ──Apply──▶ settings file
//	                                                                   └▶ FILE.countersign-bak
//
// What it promises:
//
//   - A file is changed in its text: every byte that is not ours stays, with comments, order,
//     line ends and a byte-order mark. A file that the agent would not read is refused, and
//     nothing is written. Files are replaced by rename; mode, owner and links stay.
//   - Twice is once. The backup is of the file before the first time, and a second run does not
//     touch it. Undo gives back the very bytes if nothing else changed, and otherwise takes only
//     our entries out.
//   - The hook is strict: agents run a tool when its hook breaks, each in its own way
//     (docs/hooks.md), so the command line turns every failure into the one that blocks.
//
// # What it cannot do
//
// Whoever may edit the file can take the hook out; an administrator's file (Managed) is the
// answer to that. Some agents have switches that no settings file shows, such as Claude Code's
// --bare: the doctor's live run proves what it started, and no other run.
package install
