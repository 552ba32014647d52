package program

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// forge reads gh api and glab api: a request with a method, or with fields, which make it a
// POST. What else gh and glab do says the table.
func forge(name string, args []shell.Word, _ shell.Command) []act.Act {
	cut := OptionsOf(name + " api").Take(args)
	if cut.First() != "api" {
		return nil
	}
	r := &act.HTTP{URLs: cut.Operands[1:]}
	for _, o := range cut.Options {
		switch o.Role() {
		case "method":
			r.Method = strings.ToUpper(o.Value.Text)
		case "body":
			r.Body, r.Data = true, append(r.Data, o.Value)
		}
	}
	code := "api"
	if len(r.URLs) > 0 && r.URLs[0].Text == "graphql" {
		if onlyQueries(r.Data) {
			return []act.Act{{Verb: act.Print, Reason: act.Because("query")}}
		}
		code = "mutation"
	}
	return []act.Act{{Verb: act.Request, HTTP: r, Reason: act.Because(code)}}
}

// onlyQueries reports whether fields hold a query of GraphQL that can be read and changes nothing.
func onlyQueries(fields []shell.Word) (asks bool) {
	for _, w := range fields {
		text, ok := strings.CutPrefix(w.Text, "query=")
		if strings.Contains(strings.ToLower(text), "mutation") || ok && (!w.Literal || strings.HasPrefix(text, "@")) {
			return false
		}
		asks = asks || ok
	}
	return asks
}
