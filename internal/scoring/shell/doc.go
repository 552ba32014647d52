// Package shell reads a command text as bash does and lists the simple commands that
// would run: through lists, pipes, loops, substitutions, wrappers (sudo, env, timeout,
// xargs, find -exec) and shells inside of shells. mvdan.cc/sh parses; this package says
// which commands there are, what of their words is known, and where they stand.
//
//	text ──parse──▶ statements ──scope: variables, functions, folder──▶ words
//	     ◀──a text in a word: bash -c, eval, trap, ssh, here-document── calls ──▶ Commands
//
// What it promises: each call that stands in the text is in Script.Commands, or within
// Script.Unreadable; a value is literal only where nothing in the text may have changed
// it; and the time is linear in the text, whatever stands in it.
package shell
