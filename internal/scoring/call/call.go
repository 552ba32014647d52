package call

import (
	"strconv"
	"strings"
	"sync"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/sql"
)

// Call is a call and what was recognised in it so far. It is safe for concurrent use, and
// not to be copied.
type Call struct {
	Function    string
	Arguments   canon.Value // an object, an array, or Absent
	Code        string
	Environment string // what the call itself says of it

	mutex sync.Mutex
	tree  *Node
	texts *texts
}

// Inner is a call that stands in this one, as a dispatcher makes it. Texts are taken apart
// once for both.
func (c *Call) Inner(function string, arguments canon.Value) *Call {
	return &Call{Function: function, Arguments: arguments, texts: c.table()}
}

// texts are those of a call and of the calls in it.
type texts struct {
	mutex sync.Mutex
	all   map[string]*Text
}

func (c *Call) table() *texts {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.texts == nil {
		c.texts = &texts{all: map[string]*Text{}}
	}
	return c.texts
}

// Tree is the arguments with all that stands in them.
func (c *Call) Tree() *Node {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.tree == nil {
		c.tree = Tree(c.Arguments, "/arguments")
	}
	return c.tree
}

// At is the text at a JSON pointer into the action; "" where there is none.
func (c *Call) At(pointer string) string {
	switch pointer {
	case "/function":
		return c.Function
	case "/code":
		return c.Code
	case "/environment":
		return c.Environment
	}
	v := c.Arguments
	rest, ok := strings.CutPrefix(pointer, "/arguments/")
	if !ok {
		return ""
	}
	for name := range strings.SplitSeq(rest, "/") {
		if v.Kind() == canon.KindArray {
			i, err := strconv.Atoi(name)
			if err != nil {
				return ""
			}
			v = v.Element(i)
			continue
		}
		v = v.Get(unescaped.Replace(name))
	}
	return v.Text()
}

// unescaped undoes what canon.PointerEscape does.
var unescaped = strings.NewReplacer("~1", "/", "~0", "~")

// Text is a text of a call: a value, or one that stands in a value.
type Text struct {
	of       *texts
	text     string
	script   func() shell.Script
	sql      *sql.Text
	document func() canon.Value
	made     sync.Map // func() any by key
}

// Text is a text that stands in the call.
func (c *Call) Text(text string) *Text { return c.table().text(text) }

// Argv is a program and its arguments, as a list that no shell splits.
func (c *Call) Argv(words []string) *Text { return c.table().argv(words) }

func (all *texts) text(text string) *Text {
	return all.known(text, text, func() shell.Script { return shell.Read(text) })
}

func (all *texts) argv(words []string) *Text {
	return all.known("\x00"+strings.Join(words, "\x00"), strings.Join(words, " "), func() shell.Script { return shell.ReadArgv(words) })
}

func (all *texts) known(key, text string, script func() shell.Script) *Text {
	all.mutex.Lock()
	defer all.mutex.Unlock()
	t := all.all[key]
	if t == nil {
		t = &Text{of: all, text: text, script: sync.OnceValue(script), sql: sql.Read(text)}
		t.document = sync.OnceValue(t.parse)
		all.all[key] = t
	}
	return t
}

// String is the text; of an argv the words, joined with spaces.
func (t *Text) String() string { return t.text }

// Inner is a text that stands in this one, or is made of it.
func (t *Text) Inner(text string) *Text { return t.of.text(text) }

// InnerArgv is an argv that does.
func (t *Text) InnerArgv(words []string) *Text { return t.of.argv(words) }

// Script is what a shell would run of it.
func (t *Text) Script() shell.Script { return t.script() }

// SQL is the text as databases read it.
func (t *Text) SQL() *sql.Text { return t.sql }

// Document is the object or array that the text is as JSON; Absent where it is none.
func (t *Text) Document() canon.Value { return t.document() }

func (t *Text) parse() canon.Value {
	if first := strings.TrimLeft(t.text, " \t\r\n"); first == "" || first[0] != '{' && first[0] != '[' {
		return canon.Value{}
	}
	v, err := canon.Parse([]byte(t.text))
	if err != nil {
		return canon.Value{}
	}
	return v
}

// Made is what a reader makes of a text, the first time that it is asked for by this key: what
// this package knows nothing of, such as the tokens of a program. A key is of a type of the
// reader's own.
func Made[T any](t *Text, key any, from func(text string) T) T {
	made, _ := t.made.LoadOrStore(key, sync.OnceValue(func() any { return from(t.text) }))
	return made.(func() any)().(T)
}
