package effects

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
)

//go:embed cmdlets.yaml
var cmdletsYAML []byte

// cmdletWords are the words of PowerShell; cmdlets.yaml says what each member is.
type cmdletWords struct {
	Verbs   map[deed]set
	Aliases map[string]string
	Rules   []cmdletRule

	verbs map[string]deed
}

type cmdletRule struct {
	Verbs, Nouns, Has, But set
	ButNouns               set `yaml:"but_nouns"`
	Instead, Does          deed
}

func (r cmdletRule) isOf(verb, noun string, d deed) bool {
	has := len(r.Has) == 0
	for part := range r.Has {
		has = has || strings.Contains(noun, part)
	}
	return has && (r.Verbs == nil || r.Verbs[verb]) && (r.Nouns == nil || r.Nouns[noun]) && !r.But[verb] && !r.ButNouns[noun] && (r.Instead == "" || r.Instead == d)
}

var cmdlets = sync.OnceValue(func() *cmdletWords {
	w := &cmdletWords{verbs: map[string]deed{}}
	if err := decodeKnown(cmdletsYAML, w); err != nil {
		panic("effects: cmdlets.yaml: " + err.Error()) // a test loads it
	}
	for d, verbs := range w.Verbs {
		for v := range verbs {
			w.verbs[v] = d
		}
	}
	return w
})

// cmdlet is a command of PowerShell: its verb says what it does.
func (x *commands) cmdlet(c shell.Command) {
	name := c.Program()
	verb, noun, _ := strings.Cut(strings.ToLower(name), "-")
	d, ok := cmdlets().verbs[verb]
	args := c.Words[1:]
	texts := make([]string, len(args))
	for i, w := range args {
		texts[i] = strings.ToLower(w.Text)
	}
	for i, w := range args { // Get-Date > file
		if (w.Text == ">" || w.Text == ">>") && i+1 < len(args) {
			x.writes(args[i+1], "writes")
		}
	}
	for _, r := range cmdlets().Rules {
		if r.isOf(verb, noun, d) {
			d = r.Does
		}
	}
	switch {
	case verb == "tee":
		x.tees(args)
		return
	case verb == "foreach" && x.callsMember(texts):
		d = "execute"
	case noun == "webrequest" || noun == "restmethod":
		x.invokesWeb(args)
		return
	case noun == "file" && verb == "out" || noun == "content" && verb == "set":
		if at := slices.IndexFunc(args, func(w shell.Word) bool { return !strings.HasPrefix(w.Text, "-") && isOld(w) }); at >= 0 {
			x.overwrites(args[at], "overwrites")
			return
		}
	}
	if !ok && d == "" {
		x.found("execute", "run", "command", short(name)+" isn't a known command")
		return
	}
	if slices.Contains(texts, "-whatif") {
		d = "read"
	}
	if d == "delete" && (noun == "item" || noun == "childitem" || noun == "content") {
		recursive := slices.ContainsFunc(texts, func(t string) bool { return strings.HasPrefix("-recurse", t) && len(t) > 1 })
		var targets []shell.Word
		for _, w := range args {
			if !strings.HasPrefix(w.Text, "-") {
				targets = append(targets, w)
			}
		}
		x.deletes(targets, recursive)
		return
	}
	e := x.found(d, verbsOf[d].verb, "", short(name)+" "+verbsOf[d].phrase+" "+named1(args, ""))
	if d == "permission" {
		e.Verb = verb
		for _, w := range split(name[len(verb):]) {
			if PlainWords(w.text) {
				e.Object = strings.TrimSpace(e.Object + " " + w.text)
			}
		}
	}
	if d != "read" && slices.ContainsFunc(args, func(w shell.Word) bool { return w.Text == "*" }) {
		e.Breadth = All
	}
	if d == "delete" && (noun == "volume" || noun == "disk" || noun == "partition") {
		e.Breadth = All
	}
	x.readsFiles(args)
}

// invokesWeb is Invoke-WebRequest.
func (x *commands) invokesWeb(args []shell.Word) {
	t := &act.HTTP{}
	for i := 0; i < len(args); i++ {
		option := strings.ToLower(args[i].Text)
		if option == "-usebasicparsing" || option == "-usedefaultcredentials" {
			continue
		}
		value := args[i]
		if strings.HasPrefix(option, "-") {
			value = shell.Word{Literal: true}
			if i++; i < len(args) {
				value = args[i]
			}
		}
		switch {
		case option == "-method":
			t.Method = strings.ToUpper(value.Text)
		case option == "-body" || option == "-form":
			t.Body = true
		case option == "-infile":
			t.Body, t.Uploads = true, append(t.Uploads, value)
		case option == "-outfile":
			t.Saves = append(t.Saves, value)
		case option == "-uri" || !strings.HasPrefix(option, "-"):
			t.URLs = append(t.URLs, value)
		}
	}
	x.transfers(t, "PowerShell")
}

// showsVariables adds that variables of the environment are shown by their drive: gci env:.
func (x *commands) showsVariables(name string, args []shell.Word) {
	if !slices.Contains([]string{"get-childitem", "get-item", "get-content", "ls", "dir", "cat", "type"}, name) {
		return
	}
	for _, w := range args {
		if len(w.Text) < 4 || !strings.EqualFold(w.Text[:4], "env:") {
			continue
		}
		variable := strings.Trim(w.Text[4:], `\/`)
		if variable == "" || strings.ContainsAny(variable, "*?") || program.IsSecretVariable(variable) {
			x.found(sensitiveRead, "print", "environment", name+" prints "+short(w.Text))
		}
	}
}

// tees is Tee-Object: what it is given it writes, too.
func (x *commands) tees(args []shell.Word) {
	for i, w := range args {
		option := strings.ToLower(w.Text)
		if strings.HasPrefix(option, "-v") {
			break
		}
		if !strings.HasPrefix(option, "-") {
			x.writes(w, "writes")
			return
		}
		if i == len(args)-1 {
			break
		}
	}
	x.found("read", "print", "", "Tee-Object prints")
}

// callsMember reports whether ForEach-Object is given the name of a method, not a script:
// % Delete.
func (x *commands) callsMember(texts []string) bool {
	return slices.ContainsFunc(texts, func(t string) bool {
		d, ok := x.tools.verbs[strings.TrimSuffix(t, "()")]
		return ok && d != "read"
	})
}
