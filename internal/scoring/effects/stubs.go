// Until their readers stand: what is executed cannot be read.
package effects

func queryEffects(text, pointer string, start int) ([]Effect, bool) { return nil, false }
func looksLikeCode(text string) (string, bool)                      { return "", false }
func codeEffects(text, pointer string) []Effect                     { return []Effect{{Kind: Execute, Breadth: One}} }
