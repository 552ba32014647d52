package facts

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// run adds the facts of one command.
func (c *collector) run(cmd *command) {
	switch {
	case cmd.known:
		c.covered = append(c.covered, cmd.start)
	case looksLikePath(cmd.start.text):
		c.addWord(Path, "program", cmd.start)
	}
	switch cmd.class {
	case looks, script, finding:
		c.operandsOf(cmd.operands)
	case paths:
		c.pathsOf(cmd.operands)
	case owned:
		skip := 1
		if cmd.has(givenMode) {
			skip = 0
		}
		c.pathsOf(cmd.operands[min(skip, len(cmd.operands)):])
	case things:
		c.thingsOf(cmd.label, cmd.operands)
	case disk:
		c.disk(cmd)
	case inline:
		c.programs(cmd)
	case versions:
		c.versions(cmd)
	case cluster:
		c.cluster(cmd)
	case release, plans, packages, services, service, schedule:
		c.tool(cmd)
	case images:
		c.images(cmd)
	case cloud:
		c.cloud(cmd)
	case database:
		c.database(cmd)
	case login, hosts:
		c.login(cmd)
	case copying:
		c.copying(cmd)
	case web:
		c.web(cmd)
	}
	c.pathsOf(cmd.files)
	c.flags(cmd)
	if cmd.class != cloud && cmd.class != database && cmd.class != web {
		c.optionPaths(cmd)
	}
}

// addWord takes a whole word.
func (c *collector) addWord(kind Kind, label string, w word) {
	c.add(kind, label, FromShell, w.reading, 0, len(w.text))
}

func (c *collector) thingsOf(label string, words []word) {
	for _, w := range words {
		c.addWord(Target, label, w)
	}
}

func (c *collector) pathsOf(words []word) {
	for _, w := range words {
		if strings.Contains(w.text, "://") {
			c.operandsOf([]word{w})
			continue
		}
		c.addWord(Path, "path", w)
	}
}

// operandsOf takes what can only be a bucket, a URL or a path.
func (c *collector) operandsOf(words []word) {
	for _, w := range words {
		scheme, isURL := "", false
		if strings.IndexByte(w.text, ':') >= 0 {
			scheme, _, isURL = strings.Cut(w.text, "://")
		}
		switch {
		case isURL && hasWord("s3 gs gcs abfs abfss wasb wasbs oss", scheme):
			c.addWord(Target, "bucket", w)
		case isURL:
			if start, end := hostOf(w.text); start < end {
				c.add(Host, "host", FromShell, w.reading, start, end)
			} else {
				c.add(Path, "path", FromShell, w.reading, min(len(scheme)+3, len(w.text)), len(w.text))
			}
		case looksLikePath(w.text):
			c.addWord(Path, "path", w)
		}
	}
}

// givenMode are options in place of the mode or owner of chmod and its like.
var givenMode = listOf("-e -f --expression --file --reference")

// flagOptions are options that mean the same to every program.
var flagOptions = wordlist.Map("facts.flagOptions")

// flagLetters are the letters of short options that mean something, by program.
var flagLetters = wordlist.Map("facts.flagLetters")

// flags adds what the options say by themselves: that it forces, goes deep, or
// only tries.
func (c *collector) flags(cmd *command) {
	letters := flagLetters[cmd.name]
	for i, o := range cmd.options {
		label, ok := flagOptions[strings.ToLower(o.name)]
		if ok && (len(o.of) == 0 || strings.ToLower(o.of[0].text) != "false" && strings.ToLower(o.of[0].text) != "none") {
			c.flag(label, FromShell, o.reading, 0, len(o.text))
		}
		if strings.HasPrefix(o.text, "--") || len(o.of) > 0 || letters == "" || i > 0 && cmd.options[i-1].word.reading == o.word.reading {
			continue
		}
		for _, letter := range [...]struct{ letters, label string }{{"rRa", "recursive"}, {"fD", "force"}} {
			if hasLetter(o.text[1:], letter.letters, letters) {
				c.flag(letter.label, FromShell, o.reading, 0, len(o.text))
			}
		}
	}
}

// hasLetter reports whether one of the letters that stand in both lists stands in text.
func hasLetter(text, list, other string) bool {
	for i := range len(list) {
		if strings.IndexByte(other, list[i]) >= 0 && strings.IndexByte(text, list[i]) >= 0 {
			return true
		}
	}
	return false
}

// optionPaths adds the paths, URLs and numbers that options name.
func (c *collector) optionPaths(cmd *command) {
	for _, o := range cmd.options {
		for _, w := range o.of {
			if cmd.class == inline || cmd.class == script {
				continue
			}
			switch k := readKey(o.name, ""); {
			case k.kind == Count && isNumber(w.text):
				c.addWord(Count, k.label, w)
			default:
				c.operandsOf([]word{w})
			}
		}
	}
}

// disk reads dd: what is written to comes first.
func (c *collector) disk(cmd *command) {
	for _, side := range []string{"of=", "if="} {
		for _, w := range cmd.operands {
			if strings.HasPrefix(w.text, side) {
				c.add(Path, "path", FromShell, w.reading, len(side), len(w.text))
			}
		}
	}
}

// programs reads the program of python -c and its like.
func (c *collector) programs(cmd *command) {
	for _, o := range cmd.options {
		for _, w := range o.of {
			if hasWord("-c -e -E -r -p -pe -ne", o.name) || o.name == "--eval" || o.name == "--print" {
				c.nested(w.reading, context{code: true}, asProgram)
			} else {
				c.operandsOf([]word{w})
			}
		}
	}
	c.operandsOf(cmd.operands)
	for _, r := range cmd.inputs {
		c.nested(r, context{code: true}, asProgram)
	}
}
