package effects

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// echo prints: the value of a secret variable is a secret.
func (x *commands) echo(_ shell.Command, args []shell.Word) {
	x.found("read", "print", "", x.name()+" prints")
	for _, w := range args {
		if w.Literal {
			continue
		}
		for _, name := range program.VariablesIn(w.Text) {
			if program.IsSecretVariable(name) {
				x.found(sensitiveRead, "print", "secret", x.name()+" prints the variable "+short(name))
			}
		}
	}
}

func (x *commands) environment(c shell.Command, args []shell.Word) {
	if c.Program() == "xargs" {
		x.found("read", "print", "", "xargs prints")
		return
	}
	if c.Program() == "printenv" && len(args) > 0 && !slices.ContainsFunc(args, func(w shell.Word) bool { return program.IsSecretVariable(w.Text) }) {
		x.found("read", "print", "variable", "printenv prints a variable")
		return
	}
	x.found(sensitiveRead, "print", "environment", c.Program()+" prints the environment")
}

func (x *commands) exported(c shell.Command, args []shell.Word) {
	if c.Program() != "unset" && (len(args) == 0 || c.Program() != "set" && len(args) == 1 && slices.Contains([]string{"-p", "-x", "-px"}, args[0].Text)) {
		x.found(sensitiveRead, "print", "environment", c.Program()+" prints the environment")
		return
	}
	if slices.ContainsFunc(args, func(w shell.Word) bool { return strings.HasPrefix(w.Text, "HIST") || w.Text == "history" }) {
		x.found("permission", "stop", "history", c.Program()+" stops what the shell remembers")
		return
	}
	x.found("read", "set", "variable", c.Program()+" sets a variable")
}

// loading are variables that load code, or choose a program, where it is fetched from, or
// who it speaks for.
var loading = setOf(`PATH LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH NODE_OPTIONS NODE_PATH BASH_ENV ENV PROMPT_COMMAND PYTHONPATH
	PYTHONSTARTUP PYTHONHOME PERL5OPT PERL5LIB PERL5DB RUBYOPT RUBYLIB GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR GIT_CONFIG_GLOBAL GIT_CONFIG_COUNT GIT_PROXY_COMMAND
	GIT_ASKPASS GIT_EXEC_PATH GIT_TEMPLATE_DIR RUSTC_WRAPPER RUSTC CARGO_BUILD_RUSTC_WRAPPER JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS MAVEN_OPTS CLASSPATH PIP_INDEX_URL PIP_EXTRA_INDEX_URL
	UV_INDEX_URL NPM_CONFIG_REGISTRY HTTPS_PROXY HTTP_PROXY ALL_PROXY GOPROXY GOFLAGS GONOSUMDB GOINSECURE SSL_CERT_FILE NODE_TLS_REJECT_UNAUTHORIZED PAGER EDITOR VISUAL BROWSER
	MANPAGER LESSOPEN LESSCLOSE SHELLOPTS HOME MAKEFLAGS CC CXX PS4 SUDO_ASKPASS SSH_ASKPASS RSYNC_RSH PSQL_PAGER`)

// assigned reads the variables that are set in front of a command, or by export.
func (x *commands) assigned(c shell.Command) {
	for _, a := range c.Assigns {
		alone := len(c.Words) == 0 // it may be exported already
		if !loading[a.Name] || alone && !slices.Contains([]string{"PATH", "LD_PRELOAD", "PROMPT_COMMAND", "BASH_ENV", "ENV", "PS4"}, a.Name) || isOrdinary(a.Name, a.Value) {
			continue
		}
		x.found("execute", "set", "variable", "the variable "+short(a.Name)+" decides what is loaded or run")
	}
}

// isOrdinary reports whether a variable that may load code or choose a program has a value
// that people give it every day, and that does neither.
func isOrdinary(name string, w shell.Word) bool {
	value := w.Text
	in := func(list string) bool { return slices.Contains(strings.Fields(list), value) }
	switch name {
	case "PATH":
		for _, folder := range strings.Split(value, ":") {
			if !isUsualFolder(folder) {
				return false
			}
		}
		return true
	case "PYTHONPATH", "NODE_PATH", "CLASSPATH":
		return w.Literal && !strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "~") && !strings.Contains(value, "..")
	case "PAGER", "GIT_PAGER", "MANPAGER", "EDITOR", "VISUAL", "GIT_EDITOR", "BROWSER", "PSQL_PAGER":
		return value == "" || in("cat less more true vi vim nano none :")
	case "CC", "CXX", "RUSTC":
		return in("gcc clang cc g++ clang++ c++ rustc gcc-12 gcc-13 gcc-14")
	case "NODE_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "MAVEN_OPTS", "GOFLAGS", "MAKEFLAGS", "RUBYOPT", "PERL5OPT":
		for _, bad := range []string{"require", "import", "loader", "agent", "exec", "-r", "-I", "-M", "eval", "$(", "`", "SHELL"} {
			if strings.Contains(value, bad) {
				return false
			}
		}
		return w.Literal
	case "PS4":
		return !strings.Contains(value, "$(") && !strings.Contains(value, "`")
	case "GOPROXY":
		return in("off direct https://proxy.golang.org https://proxy.golang.org,direct")
	}
	return false
}

// isUsualFolder reports whether programs of the system or of the user stand in a folder
// of PATH.
func isUsualFolder(folder string) bool {
	switch folder {
	case "$PATH", "${PATH}":
		return true
	}
	if strings.Contains(folder, "..") {
		return false
	}
	for _, usual := range []string{"/usr/", "/bin", "/sbin", "/opt/", "/snap/", "~/.", "~/go/bin", "~/bin", "/nix/", "/home/linuxbrew/"} {
		if strings.HasPrefix(folder, usual) {
			return true
		}
	}
	return strings.HasSuffix(folder, "node_modules/.bin") && !strings.HasPrefix(folder, "/")
}
