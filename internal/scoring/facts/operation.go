package facts

import (
	"slices"
	"strings"
)

// operation is what is done: the verb and, without any value, what to.
type operation struct {
	verb   string // "Delete", "Run DROP TABLE", "Run rm"; "" where none is known
	object string // "user"; "" where the name says none
	risk   int    // how much it can destroy, on the scale of sqlVerbs and programs
	joint  string // text only: what stands between the verb and what it acts on
	every  bool   // text only: nothing narrows the DELETE or UPDATE down
	text   bool   // read from a statement or command, not from the function's name
	target string // text only: what the statement or command names first
	kind   Kind   // of target
}

// about adds what a statement or command names first.
func (o operation) about(found []Fact) operation {
	for _, f := range found {
		if f.Kind.salient() {
			o.target, o.kind = f.Value, f.Kind
			break
		}
	}
	return o
}

// noun is the kind of what a statement or command acts on, with its article,
// unless the verb names it already.
func (o operation) noun() string {
	if o.joint == " " {
		return ""
	}
	return withArticle(string(o.kind))
}

// verbs are the words of function names that say what is done, by class.
var verbs = func() map[string]int {
	classes := map[string]int{}
	for class, words := range map[int]string{
		changes: "delete remove drop destroy purge truncate kill erase wipe clear reset terminate revoke disable cancel uninstall detach " +
			"deactivate suspend ban block unlink prune invalidate " +
			"write update modify set create send deploy push publish transfer pay refund charge withdraw transmit post put patch " +
			"restart stop start pause resume scale rotate grant add insert upload import export move rename copy merge rebase approve reject " +
			"close open assign unassign invite enable install upgrade downgrade rollback revert restore archive append edit change replace " +
			"apply attach configure commit submit schedule reboot shutdown migrate promote demote sync subscribe unsubscribe notify reply " +
			"forward release cancel book order buy sell place mark lock unlock tag label register provision rebuild flush sign encrypt decrypt",
		reads: "read get list fetch search find check show describe count view lookup query download inspect summarize preview validate verify " +
			"test ping watch browse scan analyze compare",
		runs: "run execute exec call invoke eval trigger perform",
	} {
		for word := range strings.FieldsSeq(words) {
			classes[word] = class
		}
	}
	return classes
}()

// The classes of verbs.
const (
	unknown = iota
	runs    // says nothing: what is run decides
	reads
	changes
)

// Verbs are the words of function names that say what is done, in alphabetical order.
func Verbs() (all []string) {
	for word, class := range verbs {
		if class != runs {
			all = append(all, word)
		}
	}
	slices.Sort(all)
	return all
}

// newOperation reads a function's name: the first word that is a verb, and the
// words behind it, or before it where there are none (user.delete). The words of a name
// that is no identifier would read as ours: it has a class, and nothing to say.
func newOperation(function string) (o operation, class int) {
	var few [functionWords]string
	verb, object := operationOf(lowerWords(few[:0], function, len(few)))
	if verb == "" || !isIdentifier(function) {
		return operation{}, verbs[verb]
	}
	return operation{verb: strings.ToUpper(verb[:1]) + verb[1:], object: objectOf(object)}, verbs[verb]
}

// functionWords is how many words of a function's name are read, the last ones.
const functionWords = 12

// operationOf is newOperation in the words of the name; verb is "" where there is none.
func operationOf(words []string) (verb string, object []string) {
	at := slices.IndexFunc(words, func(w string) bool { return verbs[w] != unknown })
	if at < 0 {
		return "", nil
	}
	object = words[at+1:]
	if len(object) == 0 {
		object = words[:at]
	}
	if len(object) == 1 && hasWord("http https api rest rpc", object[0]) {
		object = nil // how, not what
	}
	return words[at], object
}

func objectOf(words []string) string { return shorten(strings.Join(words, " "), 60) }

// operate remembers the most dangerous operation of the texts.
func (c *collector) operate(o operation) {
	c.operations++
	if !c.operated || o.risk > c.operation.risk {
		c.operation, c.operated = o, true
	}
}

// read says what an action does. A statement or command decides, unless the
// function's name says itself that it changes something: list_users with a DROP
// in it must not read as a list.
func read(in Input) operation {
	o, class := newOperation(in.Function)
	if class == changes {
		return o
	}
	c := collector{operationOnly: true}
	c.read(in)
	if c.operated {
		return c.operation
	}
	return o
}

// Operation is the verb and the object of an action, without any value:
// ("Delete", "user"), ("Run DROP TABLE", "table"), ("Run rm", "path"), and
// ("Run", the function's name) where no verb is known.
func Operation(in Input, facts []Fact) (verb, object string) {
	o := read(in)
	switch {
	case o.verb == "":
		return "Run", shorten(functionNamed(in.Function), 60)
	case o.object != "":
		return o.verb, o.object
	case o.text:
		return o.verb, string(o.kind)
	}
	if f, ok := Salient(in, facts); ok {
		return o.verb, f.Label
	}
	return o.verb, ""
}
