package rules

import "slices"

// Extended lists our own rules in their order. The caller may change the slice.
func Extended() []Rule { return slices.Clone(extended) }

var extended = compileAll(GroupExtended, nil)
