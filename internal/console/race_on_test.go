//go:build race

package console

// underRace: the race detector makes a computation ten times as slow and learns
// nothing from repeating it, so the long ones are cut short. make test runs them in
// full without it.
const underRace = true
