package effects

import "testing"

func TestWithin(t *testing.T) {
	t.Parallel()
	write := Effect{Kind: Write, Verb: "update", Object: "ticket", Breadth: One, Evidence: []Evidence{{Pointer: "/function"}}}
	pay := Effect{Kind: Money, Verb: "refund", Breadth: One, Amount: &Amount{Value: 50, Currency: "EUR"}}
	mail := Effect{Kind: Message, Verb: "send", Breadth: One, Audience: Inside}
	but := func(e Effect, change func(*Effect)) Effect { change(&e); return e }
	sum := func(value float64, currency string) Effect {
		return but(pay, func(e *Effect) { e.Amount = &Amount{Value: value, Currency: currency} })
	}
	for what, c := range map[string]struct {
		all, shown []Effect
		want       bool
	}{
		"the same":                  {[]Effect{write}, Plain([]Effect{write}), true},
		"in another order":          {[]Effect{mail, write}, []Effect{write, mail}, true},
		"one more":                  {[]Effect{write, mail}, []Effect{write}, false},
		"one less":                  {[]Effect{write}, []Effect{write, mail}, false},
		"one twice":                 {[]Effect{write, write}, []Effect{write, mail}, false},
		"another kind":              {[]Effect{but(write, func(e *Effect) { e.Kind = Delete })}, []Effect{write}, false},
		"another verb":              {[]Effect{but(write, func(e *Effect) { e.Verb = "merge" })}, []Effect{write}, false},
		"another object":            {[]Effect{but(write, func(e *Effect) { e.Object = "user" })}, []Effect{write}, false},
		"more of them":              {[]Effect{but(write, func(e *Effect) { e.Breadth = Several })}, []Effect{write}, false},
		"to others":                 {[]Effect{but(mail, func(e *Effect) { e.Audience = Outside })}, []Effect{mail}, false},
		"sensitive":                 {[]Effect{but(write, func(e *Effect) { e.Sensitive = true })}, []Effect{write}, false},
		"less money":                {[]Effect{sum(49.99, "EUR")}, []Effect{pay}, true},
		"as much":                   {[]Effect{sum(50, "EUR")}, []Effect{pay}, true},
		"more":                      {[]Effect{sum(50.01, "EUR")}, []Effect{pay}, false},
		"of another currency":       {[]Effect{sum(1, "USD")}, []Effect{pay}, false},
		"of a currency that is not": {[]Effect{sum(1, "")}, []Effect{pay}, false},
		"a sum that is not named":   {[]Effect{but(pay, func(e *Effect) { e.Amount = nil })}, []Effect{pay}, false},
		"a sum where none was":      {[]Effect{pay}, []Effect{but(pay, func(e *Effect) { e.Amount = nil })}, false},
	} {
		if got := Within(c.all, c.shown); got != c.want {
			t.Errorf("%s: got %v", what, got)
		}
	}
}
