// Package shell reads a command text as bash does and lists the simple commands that
// would run: through lists, pipes, loops, substitutions, wrappers (sudo, env, timeout,
// xargs, find -exec) and shells inside of shells. mvdan.cc/sh parses; this package says
// which commands there are, what of their words is known, and where they stand.
package shell
