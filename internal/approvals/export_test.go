package approvals

// Offered is offered, for the tests outside of the package.
func Offered(set []Question) map[string][]string { return offered(set) }
