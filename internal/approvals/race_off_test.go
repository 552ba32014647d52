//go:build !race

package approvals

const underRace = false
