// Package level holds the one scale on which every model's answer is compared.
package level

import "fmt"

// Level is how risky something is. The order is the order of the constants, so
// levels compare with < and >.
type Level uint8

const (
	Safe     Level = iota // only the rule scorer says it; everywhere else it counts as Low
	Low                   // by default let through
	Medium                // by default one deliberate click
	High                  // by default a quiz
	Critical              // by default a typed target
)

var names = [...]string{"SAFE", "LOW", "MEDIUM", "HIGH", "CRITICAL"}

// All lists the levels that an approval can have, lowest first.
func All() []Level { return []Level{Low, Medium, High, Critical} }

// String is the word used everywhere: API, console, logs.
func (l Level) String() string {
	if int(l) < len(names) {
		return names[l]
	}
	return fmt.Sprintf("Level(%d)", uint8(l))
}

// Parse reads the word that String writes.
func Parse(s string) (Level, error) {
	for i, n := range names {
		if s == n {
			return Level(i), nil
		}
	}
	return Safe, fmt.Errorf("level %q isn't one of SAFE, LOW, MEDIUM, HIGH, CRITICAL", s)
}

// MarshalText writes the word.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads the word.
func (l *Level) UnmarshalText(b []byte) (err error) {
	*l, err = Parse(string(b))
	return err
}
