package approvals

// Offered is offered, for the tests outside of the package.
func Offered(set []Question) map[string][]string { return offered(set) }

// Banded gives days the bands that the days before them make.
func Banded(all []ScoreDay) []ScoreDay { return banded(all, 1) }
