package sql

import (
	"strings"
	"sync"
)

// Text is a text as databases read it. Each dialect takes it apart once.
type Text struct {
	text  string
	mutex sync.Mutex
	read  []reading
}

// reading is what one dialect read.
type reading struct {
	dialect Dialect
	tokens  []Token
}

// Read is a text of which nothing was taken apart yet.
func Read(text string) *Text { return &Text{text: text} }

// Dialects are the ways in which a text may be read: nobody knows which database
// will get it, so where they differ it is read in both.
func (t *Text) Dialects() []Dialect {
	if strings.Contains(t.text, `\'`) || strings.Contains(t.text, `\"`) || strings.Contains(t.text, "#") || strings.Contains(t.text, "/*") || strings.Contains(t.text, "--") {
		return []Dialect{standard, mysql}
	}
	return []Dialect{standard}
}

// String is the text itself.
func (t *Text) String() string { return t.text }

// Tokens are all that one dialect reads.
func (t *Text) Tokens(d Dialect) []Token {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for _, r := range t.read {
		if r.dialect == d {
			return r.tokens
		}
	}
	r := reading{d, d.tokens(t.text)}
	t.read = append(t.read, r)
	return r.tokens
}
