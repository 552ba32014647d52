package texts

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"sync"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
)

//go:embed *.json
var files embed.FS

// catalogue is the texts of one language. It does not change.
type catalogue struct {
	language string
	tag      language.Tag
	// entries are by key.
	entries map[string]entry
	// numbers writes numbers in the way of the language; latin, that its digits are
	// 0 to 9.
	numbers *message.Printer
	latin   bool
}

// entry is one text, or one for each plural category of the language.
type entry struct {
	text string
	// forms are by CLDR category; nil where no number decides.
	forms map[plural.Form]string
	// arg is the place of the number that decides, from 1; 0 for the first number.
	arg int
}

// categories are the names of the forms in the files.
var categories = map[string]plural.Form{
	"zero": plural.Zero, "one": plural.One, "two": plural.Two,
	"few": plural.Few, "many": plural.Many, "other": plural.Other,
}

// UnmarshalJSON reads a text, or an object of texts by category.
func (e *entry) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, &e.text)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	e.forms = map[plural.Form]string{}
	for name, value := range members {
		if name == "arg" {
			if err := json.Unmarshal(value, &e.arg); err != nil {
				return err
			}

			continue
		}
		form, ok := categories[name]
		if !ok {
			return fmt.Errorf("%q is no plural category", name)
		}
		var text string
		if err := json.Unmarshal(value, &text); err != nil {
			return err
		}
		e.forms[form] = text
	}
	if e.forms[plural.Other] == "" {
		return fmt.Errorf(`"other" is missing`)
	}

	return nil
}

// all are the catalogues, English first. A file that cannot be read has no
// catalogue, and English without its file says its keys; the test of this package
// fails on both.
var all = sync.OnceValue(func() []*catalogue {
	catalogues, err := load()
	if err != nil || len(catalogues) == 0 {
		return []*catalogue{newCatalogue(language.English, nil)}
	}

	return catalogues
})

// load reads the files.
func load() ([]*catalogue, error) {
	names, err := files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var catalogues []*catalogue
	for _, f := range names {
		data, err := files.ReadFile(f.Name())
		if err != nil {
			return nil, err
		}
		tag, err := language.Parse(strings.TrimSuffix(f.Name(), path.Ext(f.Name())))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		var entries map[string]entry
		if err := json.Unmarshal(data, &entries); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		c := newCatalogue(tag, entries)
		if tag == language.English {
			catalogues = append([]*catalogue{c}, catalogues...)
		} else {
			catalogues = append(catalogues, c)
		}
	}

	return catalogues, nil
}

func newCatalogue(tag language.Tag, entries map[string]entry) *catalogue {
	c := &catalogue{language: tag.String(), tag: tag, entries: entries}
	c.numbers = message.NewPrinter(tag, message.Catalog(catalog.NewBuilder()))
	c.latin = c.numbers.Sprintf("%d", 789) == "789"

	return c
}

// text is the text of key, in the form that the number among args decides.
func (c *catalogue) text(key string, args []any) string {
	e, ok := c.entries[key]
	switch {
	case !ok:
		return key
	case e.forms == nil:
		return e.text
	}
	form := plural.Other
	if n, ok := count(args, e.arg); ok {
		if n < 0 {
			n = -n
		}
		form = plural.Cardinal.MatchPlural(c.tag, n, 0, 0, 0, 0)
	}
	if text, ok := e.forms[form]; ok {
		return text
	}

	return e.forms[plural.Other]
}
