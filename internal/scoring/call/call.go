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
	texts map[string]*Text
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
	of     *Call
	text   string
	script func() shell.Script
	sql    *sql.Text
}

// Text is a text that stands in the call.
func (c *Call) Text(text string) *Text {
	return c.known(text, text, func() shell.Script { return shell.Read(text) })
}

// Argv is a program and its arguments, as a list that no shell splits.
func (c *Call) Argv(words []string) *Text {
	return c.known("\x00"+strings.Join(words, "\x00"), strings.Join(words, " "), func() shell.Script { return shell.ReadArgv(words) })
}

func (c *Call) known(key, text string, script func() shell.Script) *Text {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if t := c.texts[key]; t != nil {
		return t
	}
	if c.texts == nil {
		c.texts = map[string]*Text{}
	}
	t := &Text{of: c, text: text, script: sync.OnceValue(script), sql: sql.Read(text)}
	c.texts[key] = t
	return t
}

// String is the text; of an argv the words, joined with spaces.
func (t *Text) String() string { return t.text }

// Inner is a text that stands in this one, or is made of it.
func (t *Text) Inner(text string) *Text { return t.of.Text(text) }

// InnerArgv is an argv that does.
func (t *Text) InnerArgv(words []string) *Text { return t.of.Argv(words) }

// Script is what a shell would run of it.
func (t *Text) Script() shell.Script { return t.script() }

// SQL is the text as databases read it.
func (t *Text) SQL() *sql.Text { return t.sql }
