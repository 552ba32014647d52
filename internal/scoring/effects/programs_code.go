package effects

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/code"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// What commands run that is no shell: programs and statements.

// of places effects of a text that stands in a word at that word.
func (x *commands) of(all []Effect) {
	for _, e := range all {
		for i := range e.Evidence {
			e.Evidence[i].Pointer, e.Evidence[i].Start, e.Evidence[i].End = x.pointer, x.current.Start, x.current.End
		}
		x.all = append(x.all, e)
	}
}

// runsScript is a shell that runs a file.
func (x *commands) runsScript(c shell.Command, args []shell.Word) {
	if slices.ContainsFunc(args, func(w shell.Word) bool { return w.Text == "-n" }) && strings.HasSuffix(c.Program(), "sh") && len(args) == 2 && c.Program() != "pwsh" {
		x.found("read", "check", "script", c.Program()+" -n only checks a script")
		return
	}
	x.found("execute", "run", "script", c.Program()+" runs a script")
}

// interprets is python, node and the like.
func (x *commands) interprets(c shell.Command, args []shell.Word) {
	name := strings.ToLower(c.Program())
	if name == "deno" && len(args) > 0 {
		switch args[0].Text {
		case "test", "lint", "check", "info", "doc", "types", "bench":
			x.found("read", "check", "program", "deno "+args[0].Text+" checks a program")
			return
		case "fmt", "cache", "install", "add", "remove", "compile", "bundle", "init", "upgrade", "clean", "outdated":
			x.found("write", "change", "program", "deno "+args[0].Text+" changes files")
			return
		}
	}
	for i, w := range args {
		text := w.Text
		switch {
		case (name == "deno" && text == "eval" || name != "deno" && code.IsInline(name, text)) || len(text) > 2 && name == "perl" && text[0] == '-' && text[1] != '-' && strings.HasSuffix(text, "e") && strings.Trim(text, "-nlpaie0wsE") == "" || name == "ruby" && len(text) > 2 && text[0] == '-' && strings.HasSuffix(text, "e") && strings.Trim(text, "-nlpaie") == "":
			if i+1 < len(args) {
				files := args[i+2:]
				if name == "perl" || name == "ruby" {
					letters, _ := perlInPlace(args)
					text += letters
					files = slices.DeleteFunc(slices.Clone(files), func(w shell.Word) bool { return strings.HasPrefix(w.Text, "-") })
				}
				x.runsText(name, text, args[i+1], files)
				return
			}
		case strings.HasPrefix(name, "py") && len(text) > 2 && strings.HasPrefix(text, "-c"):
			w.Text = text[2:]
			x.runsText(name, "-c", w, args[i+1:])
			return
		case strings.HasPrefix(name, "py") && text == "-m" && i+1 < len(args):
			x.module(c, args[i+1].Text, args[i+2:])
			return
		case name == "php" && text == "-l" || name == "ruby" && text == "-c" || name == "perl" && text == "-c" || strings.HasPrefix(name, "node") && (text == "--check" || text == "-c" || text == "--test"):
			x.found("read", "check", "program", name+" "+text+" checks a program")
			return
		case text == "--version" || text == "-v" && len(args) == 1 || text == "-V" && len(args) == 1 || text == "-i" && name == "php" && len(args) == 1 || text == "-m" && name == "php" && len(args) == 1:
			x.found("read", "read", "", name+" is only asked about itself")
			return
		case strings.HasPrefix(text, "-") && text != "-":
			continue
		case name == "php" && (text == "artisan" || strings.HasSuffix(text, "bin/console") || text == "vendor/bin/phpunit"), strings.HasPrefix(name, "py") && text == "manage.py", name == "ruby" && strings.HasSuffix(text, "bin/rails"):
			base := text[strings.LastIndexByte(text, '/')+1:]
			if base == "console" {
				base = "symfony"
			}
			if x.tools.harmless[base] {
				x.found("read", "test", "program", name+" "+text+" runs tests")
				return
			}
			x.byRules(x.tools.programs[base], base, args[i+1:])
			return
		}
		break
	}
	if c.Input != nil && c.Input.Literal {
		x.runsText(name, "", *c.Input, nil)
		return
	}
	x.found("execute", "run", "program", name+" runs a program that isn't in the text")
}

// runsText is a program that stands in the command itself.
func (x *commands) runsText(name, option string, text shell.Word, files []shell.Word) {
	if !text.Literal {
		x.found("execute", "run", "program", name+" runs a program that is known only when it runs")
	}
	switch {
	case strings.HasPrefix(name, "py"):
		x.of(programEffects("python", x.source.Inner(text.Text), x.pointer))
	case strings.HasPrefix(name, "node"), name == "deno":
		x.of(programEffects("javascript", x.source.Inner(text.Text), x.pointer))
	case name == "perl" || name == "ruby":
		if strings.Contains(option, "i") {
			for _, w := range files {
				x.writes(w, "changes")
			}
			if len(files) == 0 {
				x.found("write", "change", "file", name+" changes files")
			}
			if isSubstitution(text.Text) {
				return
			}
		}
		if strings.ContainsAny(option, "np") && (isSubstitution(text.Text) || isSelection(text.Text)) {
			x.found("read", "print", "", name+" prints")
			x.readsFiles(files)
			return
		}
		fallthrough
	default:
		x.found("execute", "run", "program", name+" runs a program")
		for _, verb := range []string{"unlink", "rmtree", "rmdir", "delete", "File.rm", "FileUtils.rm", "rm_rf", "truncate"} {
			if strings.Contains(text.Text, verb) {
				x.found("delete", "delete", "file", name+" runs a program that deletes files")
				break
			}
		}
	}
}

// isSubstitution reports whether a program of Perl is one s/…/…/ and cannot run anything.
func isSubstitution(text string) bool {
	text = strings.TrimSuffix(strings.TrimSpace(text), ";")
	if len(text) < 4 || text[0] != 's' && !strings.HasPrefix(text, "tr") && text[0] != 'y' {
		return false
	}
	i := strings.IndexAny(text, "/|#{!,")
	if i < 0 || i > 2 {
		return false
	}
	flags := text[strings.LastIndexByte(text, text[i])+1:]
	return strings.Trim(flags, "gimsx") == "" && !strings.Contains(text, "(?{") && !strings.Contains(text, "(??{") && !strings.Contains(text, "@{") && strings.Count(text, text[i:i+1]) <= 3 && !strings.Contains(text, ";")
}

// isSelection reports whether a program of Perl only prints the lines that match: print if /x/.
func isSelection(text string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "print ")
	if !ok {
		return false
	}
	rest, ok = strings.CutPrefix(strings.TrimSuffix(strings.TrimSpace(rest), ";"), "if /")
	return ok && strings.HasSuffix(rest, "/") && strings.Count(rest, "/") == 1 && !strings.ContainsAny(rest, "{;@$`")
}

// module is python -m.
func (x *commands) module(c shell.Command, module string, args []shell.Word) {
	if module == "http.server" {
		x.found("permission", "open", "server", "python -m http.server serves the folder on the network")
		return
	}
	name := code.Module(module)
	switch p := x.tools.programs[name]; {
	case p != nil:
		x.byRules(p, name, args)
	case x.tools.testers[name]:
		x.found("write", "run", "tests", "python -m "+module+" runs the project's own code")
	case x.tools.harmless[name]:
		x.found("read", "check", "", "python -m "+short(module)+" only reads")
		x.readsFiles(args)
	default:
		x.found("execute", "run", "program", "python -m "+short(module)+" runs a program")
	}
}

// ansible runs a module on hosts: -m shell -a 'text'.
func (x *commands) ansible(_ shell.Command, args []shell.Word) {
	c := taken("ansible", args)
	module, text := "command", ""
	for _, o := range c.Options {
		value := o.Value.Text
		switch o.Name {
		case "-m", "--module-name":
			module = value
		case "-a", "--args":
			text = value
		case "--list-hosts":
			x.found("read", "list", "host", "ansible lists hosts")
			return
		}
	}
	switch module[strings.LastIndexByte(module, '.')+1:] {
	case "ping", "setup", "debug", "stat", "service_facts", "package_facts", "gather_facts":
		x.found("read", "ask", "host", "ansible "+short(module)+" asks hosts")
	case "shell", "command", "raw":
		before := len(x.all)
		x.inner(text)
		for i := before; i < len(x.all); i++ {
			if x.all[i].Kind != Read && len(c.Operands) > 0 && c.Operands[0].Text == "all" {
				x.all[i].Breadth = All
			}
		}
	default:
		x.found("execute", "run", "module", "ansible "+short(module)+" changes hosts")
	}
}
