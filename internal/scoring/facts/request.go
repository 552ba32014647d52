package facts

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/call"
)

// request is an HTTP request that was read from arguments or from curl: its method, and its
// address without scheme, credentials and fragment.
func (d deed) request(in *call.Call) (method, address string, ok bool) {
	if !d.text || !d.specific || d.target.Kind != Host || len(d.effect.Evidence) == 0 {
		return "", "", false
	}
	e := d.effect.Evidence[0]
	if sent, is := strings.CutPrefix(e.Why, "curl sends "); is {
		method, address, ok = strings.Cut(sent, " to ")
	} else if method, ok = strings.CutPrefix(e.Why, "the method is "); ok {
		address = in.At(d.target.Place().Pointer)
	}
	if !ok || strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || !strings.Contains(address, d.target.Value) {
		return "", "", false
	}
	if scheme, rest, found := strings.Cut(address, "://"); found && consistsOf(scheme, "+.-") {
		address = rest
	}
	address, _, _ = strings.Cut(address, "#")
	authority := address
	if end := strings.IndexAny(address, "/?\\"); end >= 0 { // a browser ends the host at a backslash, too
		authority = address[:end]
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		address = address[at+1:]
	}
	return method, address, address != ""
}
