package approvals

// Banded gives days the bands that the days before them make.
func Banded(all []ScoreDay) []ScoreDay { return banded(all, 1) }
