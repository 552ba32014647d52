package effects

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/code"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// codeEffects reads a program in a language that nobody names.
func codeEffects(text *call.Text, pointer string) []Effect {
	if language, ok := code.LanguageOf(text); ok {
		return programEffects(language, text, pointer)
	}
	python, javascript := programEffects("python", text, pointer), programEffects("javascript", text, pointer)
	if Harmless(python) && onlyExecutes(javascript) || Harmless(javascript) && onlyExecutes(python) {
		// It is a program of one of them, and the other does not know its words.
		return computes(text, pointer)
	}
	f := findings{all: python}
	f.merge(javascript)
	return f.worstFirst()
}

func onlyExecutes(all []Effect) bool {
	return !slices.ContainsFunc(all, func(e Effect) bool { return e.Kind != Execute && (e.Kind != Read || e.Sensitive) })
}

// computes is a program that only reads and computes.
func computes(text *call.Text, pointer string) []Effect {
	return []Effect{{Kind: Read, Verb: "compute", Breadth: One, Certain: true, Evidence: []Evidence{{Pointer: pointer, End: len(text.String()), Why: "every call is known to be harmless"}}}}
}

// programEffects says what a program does: it is a read where every import and every call is
// known to be harmless, else what was recognised, and execute for what was not.
func programEffects(language string, text *call.Text, pointer string) []Effect {
	return ProgramEffects(code.Read(language, text), text, pointer)
}

// ProgramEffects are those of what a program does.
func ProgramEffects(p *code.Program, text *call.Text, pointer string) []Effect {
	f := programFold{text: text, pointer: pointer}
	for _, a := range p.Acts {
		f.act(a)
	}
	f.leaking(p)
	if len(f.all) == 0 {
		return computes(text, pointer)
	}
	return f.worstFirst()
}

// programFold gathers the effects of what a program does.
type programFold struct {
	findings
	text    *call.Text
	pointer string
	calls   int              // of what is not known
	said    map[string]named // what names say
}

// leaking adds that secrets are sent away: a program that uses the whole environment sends
// something to somebody outside.
func (f *programFold) leaking(p *code.Program) {
	shows := slices.IndexFunc(p.Acts, func(a act.Act) bool { return a.Verb == act.Show })
	sends := func(e Effect) bool {
		return e.Kind == Message && e.Audience == Outside || e.Object == "request" && e.Kind != Read
	}
	if shows >= 0 && slices.ContainsFunc(f.all, sends) {
		f.found(Effect{Kind: Permission, Verb: "send", Object: "secret"}, p.Acts[shows], "it uses all variables of the environment, and sends something outside")
	}
}

func (f *programFold) act(a act.Act) {
	switch a.Verb {
	case act.Do:
		e := Effect{Kind: Kind(a.Deed.Kind), Verb: a.Deed.Verb, Object: a.Deed.Object, Sensitive: a.Deed.Sensitive}
		if a.Deed.Outside {
			e.Audience = Outside
		}
		if a.Deed.All {
			e.Breadth = All
		}
		f.found(e, a, a.Reason.Code)
	case act.Hidden:
		f.found(Effect{Kind: Execute, Verb: "run", Object: "code"}, a, "can't be read: "+a.Reason.Code)
	case act.Call, act.Method:
		f.call(a)
	case act.Say:
		switch text := a.Target.Text; {
		case !strings.Contains(text, "://"):
			if isSecretPath(cleanPath(text)) {
				f.found(Effect{Kind: Read, Verb: "read", Object: "secret file", Sensitive: true}, a, "the path holds secrets")
			}
		case isInsideAddress(text):
			f.found(Effect{Kind: Read, Verb: "fetch", Object: "internal address", Sensitive: true}, a, "the address can only be reached from inside")
		}
	case act.Change:
		if a.Flags&act.Opens == 0 {
			break // what it does says its name
		}
		e := Effect{Kind: Write, Verb: "write", Object: "file"}
		if slices.ContainsFunc(a.From, func(w shell.Word) bool { return w.Literal && isGuardingPath(cleanPath(w.Text)) }) {
			e = Effect{Kind: Permission, Verb: "write", Object: "system file"}
		}
		f.found(e, a, "opens a file to write")
	case act.Request:
		f.request(a)
	case act.Query:
		if a.Target.Text != "" {
			f.tell(statementEffects(f.text.Inner(a.Target.Text), f.pointer, 0), a)
		}
	case act.Run:
		f.run(a)
	}
}

// run adds what a command does, as far as it is known.
func (f *programFold) run(a act.Act) {
	if a.Flags&act.Handed != 0 {
		return // that it is handed over stands beside
	}
	known := a.Target.Literal
	if a.Target.Text != "" {
		f.tell(shellEffects(f.text.Inner(a.Target.Text), f.pointer), a)
	} else {
		known = len(a.From) > 0
		var words []string
		for _, w := range a.From {
			known = known && w.Literal
			if w.Text != "" && w.Text != code.Rest {
				words = append(words, w.Text)
			}
		}
		if len(words) > 0 {
			a.Target.Start = -1
			f.tell(shellEffects(f.text.InnerArgv(words), f.pointer), a)
		}
	}
	if !known {
		f.found(Effect{Kind: Execute, Verb: "run", Object: "code"}, a, "can't be read: the command is assembled")
	}
}

// found adds an effect of an act.
func (f *programFold) found(e Effect, a act.Act, why string) {
	e.Certain = true
	if e.Breadth == "" {
		e.Breadth = One
	}
	e.Evidence = []Evidence{{Pointer: f.pointer, Start: a.Start, End: a.End, Why: why}}
	f.add(e)
}

// call adds the call of what is not known to be harmless: what has its name may say that it
// does more.
func (f *programFold) call(a act.Act) {
	name := a.Reason.Code
	if a.Verb == act.Method {
		n, ok := f.said[a.Text]
		if !ok {
			if f.said == nil {
				f.said = map[string]named{}
			}
			n = readName(a.Text)
			f.said[a.Text] = n
		}
		if a.Flags&act.Handle != 0 && n.known && n.kind == Read && !n.sensitive {
			return // describe_instances
		}
		if n.known && n.kind != Read && n.kind != Unknown && n.kind != Execute {
			f.found(Effect{Kind: n.kind, Verb: n.verb, Breadth: n.breadth}, a, "calls "+name)
		}
	}
	if f.calls++; f.calls <= maxPlaces { // more places its effect may not have
		f.found(Effect{Kind: Execute, Verb: "call", Object: "code"}, a, "calls "+name+", which isn't known to be harmless")
	}
}

// request adds what a request does: to what its address names, and by its method.
func (f *programFold) request(a act.Act) {
	method := a.HTTP.Method
	switch method {
	case "":
		f.found(Effect{Kind: Execute, Verb: "send", Object: "request"}, a, "the method of the request isn't known")
		return
	case "CONNECT":
		f.found(Effect{Kind: Message, Verb: "send", Object: "request", Audience: Outside}, a, "opens a connection over which anything may be sent")
		return
	}
	n := named{kind: Read, verb: strings.ToLower(method), object: "request"}
	switch method {
	case "POST", "PUT", "PATCH":
		n.kind = Write
	case "DELETE", "PURGE":
		n.kind = Delete
	}
	for _, w := range a.HTTP.URLs {
		words().requested(&n, w.Text, method)
	}
	e := Effect{Kind: n.kind, Verb: n.verb, Object: "request"}
	if e.Kind == Message {
		e.Audience = Outside
	}
	f.found(e, a, "sends a "+method+" request")
}

// tell adds effects of what is run of a program: with places in it where those are known.
func (f *programFold) tell(all []Effect, a act.Act) {
	start := a.Target.Start
	for _, e := range all {
		places := make([]Evidence, 0, len(e.Evidence)+1)
		for _, place := range e.Evidence {
			place.Pointer = f.pointer
			if start < 0 || start+place.End > len(f.text.String()) {
				place.Start, place.End = a.Start, a.End
			} else {
				place.Start, place.End = place.Start+start, place.End+start
			}
			places = append(places, place)
		}
		if len(places) == 0 {
			places = append(places, Evidence{Pointer: f.pointer, Start: a.Start, End: a.End, Why: "runs a command"})
		}
		e.Evidence = places
		f.add(e)
	}
}
