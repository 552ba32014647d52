package facts

import "github.com/countersign/countersign/internal/scoring/call"

// Language is what a text was read as.
type Language string

// The languages that this package reads.
const (
	SQL   Language = "sql"
	Shell Language = "shell"
)

// Languages says which texts of an action were read as statements or commands, by the
// JSON pointer of the value ("/code" for the code). It is what Extract reads them as:
// whoever shows a text in this language shows what its facts stand on. A text that is
// both, under a name that says it is a command, is a command.
func Languages(in *call.Call) map[string]Language {
	c := collector{call: in, languages: map[string]Language{}}
	c.read(in)
	if language, ok := c.languages[CodePointer]; ok {
		c.languages["/code"] = language
		delete(c.languages, CodePointer)
	}
	return c.languages
}

// speaks writes down what the text of a value was read as; what stands inside of it
// does not count.
func (c *collector) speaks(r reading, language Language) {
	if c.languages != nil && c.depth == 0 {
		c.languages[r.pointer()] = language
	}
}
