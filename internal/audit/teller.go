package audit

import (
	"strconv"
	"time"

	"github.com/countersign/countersign/internal/fault"
)

// teller finds the parts of a sentence.
type teller struct {
	Event
	names Names
}

// get is a text or number of the data; "" where there is none.
func (t teller) get(path ...string) string {
	v := t.Data
	for _, name := range path {
		v = v.Get(name)
	}
	if s := v.Text(); s != "" {
		return s
	}
	return v.Number()
}

// moment is a time of the data; as it is where it is none.
func (t teller) moment(name string) fault.Text {
	at, err := time.Parse(time.RFC3339, t.get(name))
	if err != nil {
		return fault.Verbatim(t.get(name))
	}
	return fault.Textf("%s", fault.Moment{Time: at})
}

// standingIn adds in whose place somebody decided.
func (t teller) standingIn(s fault.Text) fault.Text {
	if t.get("for") == "" {
		return s
	}
	return fault.Textf("%s for %s (away)", s, t.person("for"))
}

// many is how many a list of the data has.
func (t teller) many(name string) string { return strconv.Itoa(t.Data.Get(name).Len()) }

// what is the request by its sentence, where that is known. Otherwise it is the function,
// quoted nowhere: names of functions are one word.
func (t teller) what() fault.Text {
	if t.Approval != "" {
		if s := t.names("approval", t.Approval); s != t.Approval {
			return fault.Textf("%s", s) // it quotes what is not ours
		}
	}
	if t.Function == "" {
		return fault.Textf("an action")
	}
	return fault.Verbatim(t.Function)
}

// agent is the name of the agent that the event is about.
func (t teller) agent() fault.Text {
	if t.Agent == "" {
		return withoutName
	}
	return fault.Verbatim(t.names("agent", t.Agent))
}

var withoutName = fault.Textf("without a name")

// or is a text of the data, or other words where it is missing.
func (t teller) or(name string, otherwise fault.Text) fault.Text {
	if s := t.get(name); s != "" {
		return fault.Verbatim(s)
	}
	return otherwise
}

func (t teller) person(name string) fault.Text {
	if id := t.get(name); id != "" {
		return fault.Verbatim(t.names("person", id))
	}
	return fault.Textf("someone")
}

// workspace is the folder of a binding.
func (t teller) workspace() fault.Text {
	if t.Data.Get("sandboxed").Bool() {
		return fault.Textf("the workspace %s, a sandbox", t.get("workspace"))
	}
	return fault.Textf("the workspace %s", t.get("workspace"))
}

// channel is the name of the channel that the event is about.
func (t teller) channel() fault.Text { return t.or("name", withoutName) }

// roles joins the roles of the data.
func (t teller) roles() fault.Text {
	var all []fault.Text
	for _, v := range t.Data.Get("roles").Elements() {
		all = append(all, wordOf(roleWords, v.Text()))
	}
	return fault.Join(all, ", ")
}

// with adds a part that may be missing, a string or a text: the first argument of
// format is s, the second the part.
func with(s fault.Text, format string, part any) fault.Text {
	if part == "" {
		return s
	}
	if t, ok := part.(fault.Text); ok && t.Empty() {
		return s
	}
	return fault.Textf(format, s, part)
}

// because adds the reason in quotation marks.
func (t teller) because(s fault.Text) fault.Text {
	return with(s, "%s: “%s”", t.get("reason"))
}

// weakening says so where a change of the policy weakens it.
func (t teller) weakening(s fault.Text) fault.Text {
	if t.Data.Get("weakens").Len() > 0 {
		return fault.Textf("%s, which weakens it", s)
	}
	return s
}

// wordOf is what the table says for a word of the record, or the word.
func wordOf(table map[string]fault.Text, word string) fault.Text {
	if t, ok := table[word]; ok {
		return t
	}
	if word == "" {
		return fault.Text{}
	}
	return fault.Verbatim(word)
}

func (t teller) challenge(path ...string) fault.Text {
	kind := t.get(path...)
	if kind == "" {
		return fault.Textf("a challenge")
	}
	return wordOf(challenges, kind)
}
