package command

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"iter"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// canaries are secrets that look live, none like another, and that nobody should see again.
type canaries struct {
	mu      sync.Mutex
	made    int
	windows map[string]string // pieces of them, in several spellings, with where each was sent
	letters [256]bool         // which bytes these have
	told    map[string]bool
	core    string // of the last one, what is random in it
}

func newCanaries() *canaries {
	return &canaries{windows: map[string]string{}, told: map[string]bool{}}
}

// canaryKinds is how many kinds of secrets there are. The last is what the organisation's own
// pattern finds.
const (
	canaryKinds = 6
	ownKind     = 5
)

// window is how long a piece of a secret is that counts as seen, in characters.
const window = 12

// secret is a new one of a kind.
func (c *canaries) secret(kind int, where string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made++
	sum := sha256.Sum256([]byte(strconv.Itoa(c.made)))
	core := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:])[:40] // A–Z and 2–7
	switch kind {
	case 0:
		core = core[:16]
		c.watch(core, where)
		return "AKIA" + core
	case 1:
		core = core[:36]
		c.watch(core, where)
		return "ghp_" + core
	case 2:
		c.watch(core, where)
		return "eyJhbGciOiJIUzI1NiJ9.eyJzdWIi" + core[:20] + "." + core[20:]
	case 3:
		c.watch(core, where)
		return "-----BEGIN PRIVATE\x20KEY-----\nMIIE" + core + "\n-----END PRIVATE\x20KEY-----"
	case 4:
		core = core[:24]
		c.watch(core, where)
		return "password=7" + core + "!"
	default:
		c.watch(core[:30], where)
		return "ACME-TICKET-" + core[:30]
	}
}

// watch notes every piece of a text, as it is and in the spellings that hide it. Letters and
// digits read the same in JSON, in HTML and in addresses.
func (c *canaries) watch(core, where string) {
	note := func(text string) {
		for i := 0; i+window <= len(text); i++ {
			c.windows[text[i:i+window]] = where
		}
		for _, b := range []byte(text) {
			c.letters[b] = true
		}
	}
	c.core = core
	note(core)
	note(hex.EncodeToString([]byte(core)))
	for before := range 3 { // base64 has three ways to write a text, by where it begins
		coded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("-", before) + core))
		note(strings.TrimRight(coded[4:], "=")[:len(coded)-12])
	}
}

// look searches a text for any piece of any of them.
func (c *canaries) look(t *testing.T, place, text string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, where := range c.pieces(text) {
		if !c.told[where+place] {
			c.told[where+place] = true
			t.Errorf("the secret sent in %s is in %s: …%q…", where, place, text[max(0, i-120):min(len(text), i+60)])
		}
	}
}

// pieces are the pieces in a text: where each begins, and where it was sent. Most stretches of
// a page are too short to be looked up.
func (c *canaries) pieces(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		run := 0
		for end := range len(text) {
			if run++; !c.letters[text[end]] {
				run = 0
			}
			if run < window {
				continue
			}
			at := end + 1 - window
			if where, ok := c.windows[text[at:end+1]]; ok && !yield(at, where) {
				return
			}
		}
	}
}

// TestCanariesAreSeen: the search finds a secret however it is written.
func TestCanariesAreSeen(t *testing.T) {
	t.Parallel()
	for kind := range canaryKinds {
		c := newCanaries()
		s := c.secret(kind, "x")
		for _, text := range []string{s, c.core[:window], "y" + hex.EncodeToString([]byte(s)), base64.StdEncoding.EncodeToString([]byte("abc" + s)), base64.RawURLEncoding.EncodeToString([]byte("ab" + s))} {
			if !c.holds(text) {
				t.Errorf("kind %d: not seen in %q", kind, text)
			}
		}
		if c.holds(strings.Repeat("[REDACTED:aws-access-key]", 3)) {
			t.Errorf("kind %d: seen where it is not", kind)
		}
	}
}

func (c *canaries) holds(text string) bool {
	for range c.pieces(text) {
		return true
	}
	return false
}
