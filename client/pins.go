package client

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/countersign/countersign/grant"
)

// pinned is what is believed of a server since the first grant that held.
type pinned struct {
	URL    string          `json:"url"`
	Keys   json.RawMessage `json:"keys"` // the JWK set as the server published it
	Issuer string          `json:"issuer"`
	Tenant string          `json:"tenant"`
	Agent  string          `json:"agent"`
}

// pins verifies grants against keys that are fetched once and then kept in a file of
// mode 0600, one for each address and key of an agent.
type pins struct {
	client *Client
	file   string // "": in memory only

	mu   sync.Mutex
	read bool
	have pinned
	set  *grant.KeySet
}

func newPins(c *Client, s Settings) *pins {
	return &pins{client: c, file: c.kept(s, "pinned-", ".json")}
}

// kept is the name of a file of this address and key; "" where nothing is kept.
func (c *Client) kept(s Settings, before, after string) string {
	if s.Dir == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(c.base + "\n" + string(s.Key)))
	return filepath.Join(s.Dir, before+hex.EncodeToString(sum[:8])+after)
}

// verify checks a grant for an act of the approval with this id. The first good one
// also says whose grants these are; from then on they may be nobody else's.
func (p *pins) verify(ctx context.Context, token, approval string, act []byte) (grant.Claims, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.load(); err != nil {
		return grant.Claims{}, err
	}
	config := grant.Config{Keys: p, Issuer: p.have.Issuer, Tenant: p.have.Tenant, Agent: p.have.Agent}
	first := config.Agent == ""
	if first {
		config.Issuer, config.Tenant, config.Agent = named(token)
	}
	verifier, err := grant.NewVerifier(config)
	if err != nil {
		return grant.Claims{}, fmt.Errorf("%w: it does not name its server, organisation and agent", grant.ErrToken)
	}
	claims, err := verifier.VerifyContext(ctx, token, act)
	if err != nil {
		return grant.Claims{}, err
	}
	if claims.Approval != approval {
		return grant.Claims{}, errors.New("the grant is for another approval")
	}
	if first {
		p.have.Issuer, p.have.Tenant, p.have.Agent = claims.Issuer, claims.Tenant, claims.Agent
		return claims, p.save()
	}
	return claims, nil
}

// named is what a token says of itself before anything of it is proven.
func named(token string) (issuer, tenant, agent string) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return "", "", ""
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	var c struct{ Iss, Tenant, Agent string }
	if err != nil || json.Unmarshal(payload, &c) != nil {
		return "", "", ""
	}
	return c.Iss, c.Tenant, c.Agent
}

// load reads what was pinned, once. A file that can't be read is no first use.
func (p *pins) load() error {
	if p.read || p.file == "" {
		return nil
	}
	content, err := os.ReadFile(p.file)
	if errors.Is(err, fs.ErrNotExist) {
		p.read = true
		return nil
	}
	if err == nil {
		err = json.Unmarshal(content, &p.have)
	}
	if err == nil && p.have.URL != p.client.base {
		err = errors.New("it is of another server")
	}
	if err == nil {
		p.set, err = grant.ParseKeys(p.have.Keys)
	}
	if err != nil {
		return fmt.Errorf("the pinned keys in %s can't be used: %w; if you know why, remove the file", p.file, err)
	}
	p.read = true
	return nil
}

// Key is the public key of this id; it is asked for while verify holds the lock. An
// unknown one may be new: then the keys are fetched again, once for each grant.
func (p *pins) Key(ctx context.Context, kid string) (ed25519.PublicKey, error) {
	if p.set != nil {
		if key, err := p.set.Key(ctx, kid); err == nil {
			return key, nil
		}
	}
	var document jwks
	if _, _, err := p.client.try(ctx, request{method: http.MethodGet, path: "/.well-known/jwks.json", public: true}, &document); err != nil {
		return nil, fmt.Errorf("%w: %w", grant.ErrKeys, err)
	}
	set, err := grant.ParseKeys(document.raw)
	if err != nil {
		return nil, err
	}
	if p.set != nil && !shared(ctx, p.have.Keys, p.set, set) {
		return nil, fmt.Errorf("%w: all keys of %s changed since they were pinned; if you know why, remove %s", grant.ErrKeys, p.client.base, orWord(p.file, "nothing: start this program again"))
	}
	p.have.URL, p.have.Keys, p.set = p.client.base, document.raw, set
	if p.have.Agent != "" {
		if err := p.save(); err != nil {
			return nil, err
		}
	}
	return set.Key(ctx, kid)
}

// shared reports whether one key is in both sets, under the same id.
func shared(ctx context.Context, document []byte, old, now *grant.KeySet) bool {
	var ids struct{ Keys []struct{ Kid string } }
	if json.Unmarshal(document, &ids) != nil {
		return false
	}
	for _, k := range ids.Keys {
		a, errA := old.Key(ctx, k.Kid)
		b, errB := now.Key(ctx, k.Kid)
		if errA == nil && errB == nil && a.Equal(b) {
			return true
		}
	}
	return false
}

// save replaces the file at once, so that no reader sees half of it.
func (p *pins) save() error {
	if p.file == "" {
		return nil
	}
	err := func() error {
		content, err := json.Marshal(p.have)
		if err != nil {
			return err
		}
		return replace(p.file, content)
	}()
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return nil // a machine whose settings are read-only pins for each process
	}
	if err != nil {
		return fmt.Errorf("the server's keys can't be pinned beside the settings: %w", err)
	}
	return nil
}

// jwks is a JWK set as it came.
type jwks struct{ raw json.RawMessage }

func (j *jwks) UnmarshalJSON(b []byte) error { j.raw = bytes.Clone(b); return nil }
func (j *jwks) check() error                 { return nil }
