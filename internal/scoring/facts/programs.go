package facts

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	programs "github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// class says how the operands of a program are read.
type class string

const (
	looks    class = "looks"    // what looks like a path, a URL or a bucket
	paths    class = "paths"    // each is a path
	owned    class = "owned"    // the first is a mode or owner, the others are paths
	things   class = "things"   // each is a thing, of the program's label
	disk     class = "disk"     // dd: of= is written, if= is read
	printed  class = "printed"  // text
	inline   class = "code"     // -c or -e is a program
	script   class = "script"   // a shell; its command line is read for itself
	finding  class = "finding"  // find
	versions class = "versions" // git
	cluster  class = "cluster"  // kubectl
	release  class = "release"  // helm
	images   class = "images"   // docker
	plans    class = "plans"    // terraform
	cloud    class = "cloud"    // aws, gcloud, az, gh
	services class = "services" // systemctl verb name
	service  class = "service"  // service name verb
	packages class = "packages" // npm, pip
	database class = "database" // psql, mysql
	login    class = "login"    // ssh
	copying  class = "copying"  // scp, rsync
	web      class = "web"      // curl, wget
	hosts    class = "hosts"    // the first operand is a host
	schedule class = "schedule" // crontab
)

// program is what is known about a program.
type program struct {
	name  string
	risk  int // how much it can destroy, on the scale of sqlVerbs
	class class
	label string // of things
}

// table are those that are known.
var table = sync.OnceValue(func() map[string]*program {
	all := map[string]*program{}
	for names, says := range programs.Of().Facts {
		for name := range strings.FieldsSeq(names) {
			p := &program{name: name}
			var what string
			if _, err := fmt.Sscan(says+" .", &p.risk, &what, &p.label); err != nil {
				panic("facts: the embedded programs: " + names + ": " + err.Error()) // a test loads them
			}
			p.class, p.label = class(what), strings.TrimSuffix(p.label, ".")
			all[name] = p
		}
	}
	return all
})

// destroying are the words of subcommands that destroy; harmless are those that
// change nothing.
var (
	destroying = listOf(wordlist.Text("facts.destroying"))
	harmless   = listOf(wordlist.Text("facts.harmless"))
)

// destroys reports whether the word of a subcommand says that it destroys, and isHarmless
// whether it says that it changes nothing: it may stand before a hyphen.
func destroys(word string) bool {
	first, _, _ := strings.Cut(word, "-")
	return destroying.has(first) || len(first) < len(word) && destroying.has(word)
}

func isHarmless(word string) bool {
	first, _, _ := strings.Cut(word, "-")
	return harmless.has(first) || len(first) < len(word) && harmless.has(word)
}

// nothing is what is known about any other program.
var nothing = &program{class: looks}

// findProgram is the name of a program without its folder and in lower case, and what
// is known about it; mkfs.ext4 is mkfs.
func findProgram(text string) (name string, p *program, known bool) {
	name = path.Base(strings.ReplaceAll(text, `\`, "/"))
	if strings.HasPrefix(name, "mkfs.") {
		name = "mkfs"
	}
	lower := strings.ToLower(name)
	for _, name := range []string{lower, strings.TrimSuffix(lower, ".exe")} {
		if p := table()[name]; p != nil {
			return p.name, p, true
		}
	}
	return name, nothing, false
}

// knownProgram reports whether a word names a known program.
func knownProgram(text string) bool {
	if text == "" {
		return false
	}
	_, _, known := findProgram(text)
	return known || slices.Contains([]string{"sudo", "doas", "env", "nohup", "time", "timeout", "xargs", "chroot"}, text)
}

// list is a list of words.
type list map[string]bool

// listOf is the list of words between spaces.
func listOf(words string) list {
	all := list{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}

// has reports whether a word stands in the list.
func (l list) has(word string) bool { return l[word] }

// hasWord reports whether a word stands in a list between spaces.
func hasWord(list, word string) bool {
	if word == "" || strings.IndexByte(word, ' ') >= 0 {
		return false
	}
	for at := 0; ; at++ {
		n := strings.Index(list[at:], word)
		if n < 0 {
			return false
		}
		at += n
		end := at + len(word)
		if (at == 0 || list[at-1] == ' ') && (end == len(list) || list[end] == ' ') {
			return true
		}
	}
}
