package effects

// inner adds what a text does that stands in an argument and is run.
func (x *commands) inner(text string) {
	c := x.current
	for _, e := range shellEffects(x.source.Inner(text), x.pointer) {
		for i := range e.Evidence {
			e.Evidence[i].Start, e.Evidence[i].End = c.Start, c.End
		}
		x.all = append(x.all, e)
	}
}
