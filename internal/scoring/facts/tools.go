package facts

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// Options that change what a call does.
var (
	allOption = listOf("--all")
)

// versions reads git.
func (c *collector) versions(cmd *command) {
	rest := cmd.rest()
	switch cmd.verb(0) {
	case "push":
		c.push(cmd, rest)
	case "branch", "checkout", "switch", "merge", "rebase":
		c.revisions("branch", rest)
	case "tag":
		c.revisions("tag", rest)
	case "reset", "revert", "cherry-pick":
		c.revisions("commit", rest)
	case "rm", "mv", "add", "restore", "clean":
		c.pathsOf(rest)
	case "clone", "remote", "fetch", "pull", "submodule":
		for i, w := range rest {
			switch {
			case isRemote(w.text):
				c.remote(w)
			case cmd.verb(0) == "clone":
				c.pathsOf([]word{w})
			case cmd.verb(0) == "pull" && i > 0:
				c.revisions("branch", []word{w})
			}
		}
	}
	for _, option := range cmd.options {
		if hasWord("-b -B -c", option.name) && hasWord("checkout switch", cmd.verb(0)) {
			c.revisions("branch", option.of)
		}
	}
	c.pathsOf(cmd.behind)
}

// push reads what git push sends where: remote, then [+][source:]destination.
func (c *collector) push(cmd *command, rest []word) {
	if len(rest) > 0 && isRemote(rest[0].text) {
		c.remote(rest[0])
	}
	if len(rest) == 1 && !isRemote(rest[0].text) {
		c.addWord(Target, "remote", rest[0])
	}
	for _, w := range rest[min(1, len(rest)):] {
		start := strings.LastIndexByte(w.text, ':') + 1
		if strings.HasPrefix(w.text, "+") {
			c.flag("force", FromShell, w.reading, 0, 1)
			start = max(start, 1)
		}
		label := "branch"
		switch full := w.text[start:]; {
		case strings.HasPrefix(full, "refs/heads/"):
			start += len("refs/heads/")
		case strings.HasPrefix(full, "refs/tags/"):
			start += len("refs/tags/")
			label = "tag"
		}
		c.add(Branch, label, FromShell, w.reading, start, len(w.text))
	}
}

func (c *collector) revisions(label string, words []word) {
	for _, w := range words {
		c.addWord(Branch, label, w)
	}
}

// isRemote reports whether a word is the address of a repository: a URL or
// user@host:path.
func isRemote(text string) bool {
	return strings.Contains(text, "://") || strings.Contains(text, "@") && strings.Contains(text, ":")
}

// remote takes the host of an address that may be a URL or [user@]host[:path].
func (c *collector) remote(w word) {
	if strings.Contains(w.text, "://") {
		c.operandsOf([]word{w})
		return
	}
	start, end := 0, len(w.text)
	if at := strings.IndexByte(w.text, ':'); at >= 0 && strings.Count(w.text, ":") == 1 {
		end = at
		c.add(Path, "path", FromShell, w.reading, at+1, len(w.text))
	}
	start = strings.LastIndexByte(w.text[:end], '@') + 1
	c.add(Host, "host", FromShell, w.reading, start, end)
}

// kinds are the short names of kubectl's resources.
var kinds = wordlist.Map("facts.kinds")

func kindOf(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(name), ".")
	for _, one := range []string{name, strings.TrimSuffix(name, "s"), strings.TrimSuffix(name, "es")} {
		if full, ok := kinds[one]; ok {
			return full
		}
	}
	if strings.HasSuffix(name, "sses") || strings.HasSuffix(name, "ies") {
		return strings.TrimSuffix(strings.TrimSuffix(name, "es"), "i")
	}
	if strings.HasSuffix(name, "ss") {
		return name
	}
	return strings.TrimSuffix(name, "s")
}

// cluster reads kubectl: kind name…, or kind/name….
func (c *collector) cluster(cmd *command) {
	rest := cmd.rest()
	kind := ""
	switch cmd.verb(0) {
	case "drain", "cordon", "uncordon":
		kind = "node"
	case "exec", "logs", "attach", "port-forward", "run", "debug":
		kind = "pod"
	case "config":
		if cmd.verb(1) == "use-context" || cmd.verb(1) == "delete-context" || cmd.verb(1) == "delete-cluster" {
			c.thingsOf("cluster", rest)
		}
		rest = nil
	case "cp":
		c.operandsOf(rest)
		rest = nil
	}
	for i, w := range rest {
		slash := strings.IndexByte(w.text, '/')
		switch {
		case slash > 0:
			c.add(Target, kindOf(w.text[:slash]), FromShell, w.reading, slash+1, len(w.text))
		case kind == "" && i == 0:
			kind, _, _ = strings.Cut(w.text, ",")
			kind = kindOf(kind)
			if cmd.verb(0) == "create" && len(rest) > 2 {
				kind = kindOf(w.text)
			}
		case kind != "" && !strings.Contains(w.text, "="): // not the image or label that is set
			c.addWord(Target, kind, w)
		}
		if hasWord("exec port-forward set label annotate taint", cmd.verb(0)) && i > 0 {
			break
		}
	}
	if cmd.has(allOption) && kind != "" && len(rest) == 1 {
		c.addWord(Target, "all of a kind", rest[0])
	}
	c.named1(cmd, "-n --namespace", Target, "namespace")
	c.named1(cmd, "--context --cluster", Target, "cluster")
	c.named1(cmd, "-f --filename -k --kustomize", Path, "path")
}

// named1 takes the values of these options.
func (c *collector) named1(cmd *command, names string, kind Kind, label string) {
	for _, o := range cmd.options {
		if hasWord(names, o.name) {
			for _, w := range o.of {
				c.addWord(kind, label, w)
			}
		}
	}
}

// tool reads programs whose operands are things of one kind.
func (c *collector) tool(cmd *command) {
	rest := cmd.rest()
	switch cmd.class {
	case release:
		if hasWord("install upgrade uninstall delete rollback status", cmd.verb(0)) && len(rest) > 0 {
			c.addWord(Target, "release", rest[0])
			if hasWord("uninstall delete", cmd.verb(0)) {
				c.thingsOf("release", rest[1:])
			}
			c.operandsOf(rest[1:])
		}
		c.named1(cmd, "-n --namespace", Target, "namespace")
		c.named1(cmd, "--kube-context", Target, "cluster")
		c.named1(cmd, "-f --values", Path, "path")
	case plans:
		switch cmd.verb(0) {
		case "state", "import", "taint", "untaint":
			c.thingsOf("resource", rest)
		case "workspace", "stack":
			c.thingsOf("workspace", rest)
		default:
			c.operandsOf(rest)
		}
		c.named1(cmd, "-target --target -replace", Target, "resource")
		c.named1(cmd, "--stack -s", Target, "stack")
		c.named1(cmd, "-chdir -var-file -state", Path, "path")
	case packages:
		if hasWord(wordlist.Text("facts.packageChanges"), cmd.verb(0)) {
			for _, w := range rest {
				if looksLikePath(w.text) && !strings.HasPrefix(w.text, "@") {
					c.operandsOf([]word{w})
				} else {
					c.addWord(Target, "package", w)
				}
			}
		} else {
			c.operandsOf(rest)
		}
	case services:
		c.thingsOf("service", rest)
	case service:
		c.thingsOf("service", cmd.operands[:min(1, len(cmd.operands))])
	case schedule:
		c.named1(cmd, "-u", Target, "user")
		c.pathsOf(rest)
	}
}

// dockerNouns are the words of docker before its verb.
var dockerNouns = wordlist.Text("facts.dockerNouns")

// images reads docker: [noun] verb thing….
func (c *collector) images(cmd *command) {
	rest := cmd.rest()
	label, verb := "container", cmd.verb(0)
	switch {
	case len(cmd.sub) == 2:
		label, verb = cmd.verb(0), cmd.verb(1)
	case hasWord("rmi pull push tag save load build history", verb):
		label = "image"
	}
	switch {
	case cmd.name == "docker-compose" || cmd.verb(0) == "compose":
		label = "service"
		for _, o := range cmd.options {
			if verb == "down" && o.name == "-v" {
				c.flag("volumes", FromShell, o.reading, 0, len(o.text))
			}
		}
		c.named1(cmd, "-p --project-name", Target, "project")
		c.named1(cmd, "-f --file", Path, "path")
	case verb == "run":
		label = "image"
	}
	switch {
	case verb == "build" || verb == "cp":
		c.operandsOf(rest)
	case verb == "login":
		for _, w := range rest[:min(1, len(rest))] {
			c.addWord(Host, "host", w)
		}
	default:
		c.thingsOf(label, rest)
	}
	c.named1(cmd, "--name", Target, "container")
	c.named1(cmd, "-H --host", Host, "host")
	c.named1(cmd, "-v --volume --mount", Path, "volume")
}
