package effects

// Within reports whether effects are the same as those that were shown, one for one,
// whatever their order, and move no more money in the same currency.
func Within(all, shown []Effect) bool {
	if len(all) != len(shown) {
		return false
	}
	taken := make([]bool, len(shown))
	for _, e := range all {
		at := -1
		for i, s := range shown {
			if !taken[i] && e.within(s) {
				at = i
				break
			}
		}
		if at < 0 {
			return false
		}
		taken[at] = true
	}
	return true
}

func (e Effect) within(s Effect) bool {
	same := e.Kind == s.Kind && e.Verb == s.Verb && e.Object == s.Object && e.Breadth == s.Breadth && e.Sensitive == s.Sensitive && e.Audience == s.Audience
	switch {
	case !same || (e.Amount == nil) != (s.Amount == nil):
		return false
	case e.Amount == nil:
		return true
	case e.Amount.OrMore:
		return *e.Amount == *s.Amount
	}
	return e.Amount.Currency == s.Amount.Currency && e.Amount.Value <= s.Amount.Value
}

// Plain are effects without what they were read from.
func Plain(all []Effect) []Effect {
	plain := make([]Effect, len(all))
	for i, e := range all {
		e.Evidence = nil
		plain[i] = e
	}
	return plain
}
