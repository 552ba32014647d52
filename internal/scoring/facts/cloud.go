package facts

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// The command lines of clouds name what they act on by the words of the call
// (compute instances delete web-1) and by the names of their options
// (--db-instance-identifier), which are read like the names of arguments.

// cloudVerbs end the words of a call where names follow them.
var cloudVerbs = listOf(wordlist.Text("facts.cloudVerbs"))

// cloudWords is how many operands say what a call does.
func (cmd *command) cloudWords() int {
	switch cmd.name {
	case "aws":
		return 2
	case "az": // names are options, so all words belong to the call
		return len(cmd.operands)
	}
	for i, w := range cmd.operands {
		if cloudVerbs.has(w.text) {
			return i + 1
		}
		if i > 0 && strings.ContainsAny(w.text, "/.@:") {
			return i
		}
	}
	return min(len(cmd.operands), 2)
}

// cloudTakes is how many words behind an option may be its values.
func (cmd *command) cloudTakes(name string) int {
	storage := cmd.name == "gsutil" || len(cmd.operands) > 0 && (cmd.operands[0].text == "s3" || cmd.operands[0].text == "storage")
	switch {
	case !strings.HasPrefix(name, "--"):
		if len(name) == 2 && strings.Contains("ngsapzRob", name[1:]) && !storage {
			return 1
		}
		return 0
	case strings.HasPrefix(name, "--no-"), strings.HasPrefix(name, "--skip-"), strings.HasPrefix(name, "--only-"),
		cloudKey(name, "").kind == Flag:
		return 0
	case storage:
		return 0
	case cmd.name == "aws" || cmd.name == "az":
		return maxPerKind
	}
	return 1
}

// cloudKey reads the name of an option. parent is what the call is about.
func cloudKey(name, parent string) key {
	switch name {
	case "-n":
		name = "--name"
	case "-g", "--resource-group":
		return key{kind: Target, label: "resource group", last: "group"}
	case "-s":
		name = "--server"
	case "-a", "--app":
		return key{kind: Target, label: "app", last: "app"}
	case "-p":
		name = "--project"
	case "-R":
		name = "--repo"
	case "--zone", "-z", "--location":
		return key{kind: Environment, label: strings.TrimLeft(name, "-"), last: "zone"}
	case "--server", "--vm-name", "--instance":
		return key{kind: Target, label: strings.TrimLeft(strings.TrimSuffix(name, "-name"), "-"), last: "name"}
	case "--member":
		return key{kind: Recipient, label: "member", last: "member"}
	case "--tags", "--tag", "--query", "--output", "--format", "--filter", "--filters":
		return key{}
	}
	name, isARN := strings.CutSuffix(strings.ToLower(name), "-arn")
	if stem, ok := strings.CutSuffix(name, "-identifier"); ok || isARN {
		name = stem + "-id"
	}
	k := readKey(name, parent)
	if k.kind == Amount {
		k.kind = Count
	}
	return k
}

// cloud reads one call.
func (c *collector) cloud(cmd *command) {
	about := cmd.about()
	rest := cmd.rest()
	if cmd.name == "aws" && cmd.verb(0) == "s3" || cmd.name == "gsutil" || cmd.verb(0) == "storage" {
		c.operandsOf(rest)
		rest = nil
	}
	for _, w := range rest {
		switch {
		case cmd.verb(len(cmd.sub)-1) == "query":
			c.statement(w.reading)
		case strings.Contains(w.text, "://"):
			c.operandsOf([]word{w})
		default:
			c.addWord(Target, about, w)
		}
	}
	for _, isName := range []bool{true, false} { // its name before its group
		name, k := "", key{}
		for _, o := range cmd.options {
			if len(o.of) == 0 {
				continue
			}
			if o.name != name {
				name, k = o.name, cloudKey(o.name, about)
			}
			if isName != (k.kind == Target && k.label == about) {
				continue
			}
			for _, w := range o.of {
				if k.kind != "" && k.kind != Flag {
					c.keyed(k, FromShell, w.reading, "")
				} else {
					c.operandsOf([]word{w})
				}
			}
		}
	}
}

// about is what the call is about, in the singular: instance, of compute instances
// delete and of ec2 terminate-instances.
func (cmd *command) about() string {
	n := len(cmd.sub)
	if n == 0 {
		return "target"
	}
	last := cmd.sub[n-1].text
	if last == "ssh" || last == "scp" {
		return "instance"
	}
	if _, noun, ok := strings.Cut(last, "-"); ok && cmd.name == "aws" {
		last = noun[strings.LastIndexByte(noun, '-')+1:]
	} else if n > 1 && cloudVerbs.has(last) {
		last = cmd.sub[n-2].text
	}
	last = kindOf(last)
	if full, ok := humanWords[last]; ok {
		last = full
	}
	return shorten(last, 40)
}
