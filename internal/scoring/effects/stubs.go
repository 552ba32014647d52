// Until their readers stand: what is executed cannot be read.
package effects

import "github.com/countersign/countersign/internal/scoring/shell"

func shellEffects(s shell.Script, pointer string) []Effect {
	return []Effect{{Kind: Execute, Breadth: One}}
}
func queryEffects(text, pointer string, start int) ([]Effect, bool) { return nil, false }
