package audit

import "github.com/countersign/countersign/internal/fault"

// What events say of the server's own keys.

var ofTheServer = fault.Textf("of the server")

// use is what a key of the server signs.
func (t teller) use() fault.Text {
	if t.get("use") == "" {
		return uses["grants"]
	}
	return wordOf(uses, t.get("use"))
}
