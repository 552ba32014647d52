package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"github.com/countersign/countersign/internal/fault"
)

// argon2id has one lane here, because at most two hashes run at once.
const (
	argonThreads = 1
	argonKey     = 32 // bytes
	argonSalt    = 16 // bytes
)

// Cost is what one hash takes: passes over so much memory, in KiB.
type Cost struct{ Passes, Memory uint32 }

// RFC9106 is the second recommendation of its §4, and what the product takes.
func RFC9106() Cost { return Cost{Passes: 3, Memory: 64 << 10} }

// A password has at least 12 characters (NIST SP 800-63B-4 asks for 15 where it
// is the only factor, 8 otherwise) and at most 256, so that hashing stays bounded.
const (
	MinPassword = 12
	MaxPassword = 256
)

// Passwords hashes and checks passwords. A hash of RFC9106 takes 64 MiB and about 50 ms, so
// only a few run at once and few wait in line: strangers in one, whoever proved something (a
// sign-in, a link, a known browser) in another, so that a flood of the first never keeps the
// second waiting. It is safe for concurrent use.
type Passwords struct {
	cost             Cost
	strangers, known lane
	// decoy is checked for people who do not exist, so that they take as long. It is the
	// hash of nothing: hashing for it would cost every command that starts.
	decoy string
	// hashed counts the hashes that were computed.
	hashed atomic.Int64
}

// Hashed is how many hashes were computed so far: what an answer costs, whoever it is for.
func (p *Passwords) Hashed() int64 { return p.hashed.Load() }

// lane is a line in front of the hashing.
type lane struct {
	running chan struct{} // a place for each hash that runs
	inside  chan struct{} // a place for each that runs or waits
}

// waitingEach is how many wait for each hash that runs: a second or two.
const waitingEach = 20

func newLane(atOnce int) lane {
	return lane{make(chan struct{}, atOnce), make(chan struct{}, atOnce*(1+waitingEach))}
}

// enter takes a place in the line, or refuses at once where it is full.
func (l lane) enter() (leave func(), err error) {
	select {
	case l.inside <- struct{}{}:
		return func() { <-l.inside }, nil
	default:
		f := fault.New(fault.RateLimited, "too many people are signing in right now; try again in a few seconds")
		f.RetryAfter = 2 * time.Second
		return nil, f
	}
}

// NewPasswords allows atOnce hashes of this cost at the same time, at least one for each line.
func NewPasswords(atOnce int, cost Cost) *Passwords {
	each := max(1, atOnce/2)
	return &Passwords{cost: cost, strangers: newLane(each), known: newLane(each), decoy: cost.phc(random(argonSalt), random(argonKey))}
}

// Guess is a place in the line of those who check a password.
type Guess struct {
	p     *Passwords
	lane  lane
	leave func()
}

// Enter takes a place in line for one check: fault.RateLimited where that is full, before
// anything was counted or computed. Leave it in any case.
func (p *Passwords) Enter(known bool) (*Guess, error) {
	l := p.strangers
	if known {
		l = p.known
	}
	leave, err := l.enter()
	if err != nil {
		return nil, err
	}
	return &Guess{p, l, leave}, nil
}

// Leave gives the place to somebody else.
func (g *Guess) Leave() { g.leave() }

// random never fails (crypto/rand).
func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b)
	return b
}

// CheckPassword says whether a new password is acceptable.
func CheckPassword(password string) error {
	if n := utf8.RuneCountInString(password); !utf8.ValidString(password) || n < MinPassword || n > MaxPassword {
		return fault.Member(fault.InvalidForm, "password", "a password has %d to %d characters; any characters will do", MinPassword, MaxPassword)
	}
	return nil
}

// Hash returns the PHC string of a password.
func (p *Passwords) Hash(ctx context.Context, password string) (string, error) {
	leave, err := p.known.enter()
	if err != nil {
		return "", err
	}
	defer leave()
	salt := random(argonSalt)
	key, err := p.derive(ctx, p.known, password, salt)
	if err != nil {
		return "", err
	}
	return p.cost.phc(salt, key), nil
}

// Verify reports whether the password belongs to the hash. An empty hash (nobody
// of that address, or a person without a password) takes as long and is false.
func (g *Guess) Verify(ctx context.Context, hash, password string) (bool, error) {
	known := hash != ""
	if !known {
		hash = g.p.decoy
	}
	salt, want, err := g.p.cost.parse(hash)
	if err != nil {
		return false, err
	}
	got, err := g.p.derive(ctx, g.lane, password, salt)
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1 && known, nil
}

func (p *Passwords) derive(ctx context.Context, l lane, password string, salt []byte) ([]byte, error) {
	select {
	case l.running <- struct{}{}:
		defer func() { <-l.running }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.hashed.Add(1)
	if len(password) > 4*MaxPassword {
		password = password[:4*MaxPassword] // longer than any accepted one, so it cannot match
	}
	return argon2.IDKey([]byte(password), salt, p.cost.Passes, p.cost.Memory, argonThreads, argonKey), nil
}

// prefix is the algorithm and its parameters as a PHC string has them.
func (c Cost) prefix() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, c.Memory, c.Passes, argonThreads)
}

func (c Cost) phc(salt, key []byte) string {
	b64 := base64.RawStdEncoding
	return c.prefix() + b64.EncodeToString(salt) + "$" + b64.EncodeToString(key)
}

// parse reads what phc writes. A hash of another cost is refused: another cost would
// mean another version of this file.
func (c Cost) parse(hash string) (salt, key []byte, err error) {
	rest, ok := strings.CutPrefix(hash, c.prefix())
	s, k, two := strings.Cut(rest, "$")
	if !ok || !two {
		return nil, nil, fmt.Errorf("password hash is not in the form %s…", c.prefix())
	}
	if salt, err = base64.RawStdEncoding.DecodeString(s); err != nil {
		return nil, nil, fmt.Errorf("password salt: %w", err)
	}
	if key, err = base64.RawStdEncoding.DecodeString(k); err != nil {
		return nil, nil, fmt.Errorf("password key: %w", err)
	}
	return salt, key, nil
}
