package tenants

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/trust"
)

// The keys of an agent: new ones, their time, their end.

// maxLife bounds how long a key may live when it has an end, and maxOverlap how
// long an old one works beside the new one.
const (
	maxLife    = 10 * 366 * 24 * time.Hour
	maxOverlap = 7 * 24 * time.Hour
)

// NewKey is what an admin decides about a new key of an agent that exists.
type NewKey struct {
	// ID is chosen before, so that what is sent twice makes one key.
	ID     string
	Scopes []auth.Scope
	Life   time.Duration // 0: it does not expire
}

// freshKey is a key on its way to whoever asked for it.
type freshKey struct {
	Key
	life         time.Duration
	secret, hash string // the secret only until the answer is written
}

// newKey checks what was asked for.
func newKey(id string, scopes []auth.Scope, life time.Duration) (*freshKey, error) {
	if !auth.IsID("key", id) {
		return nil, fault.Member(fault.InvalidForm, "key", "the form isn't complete; open the page again")
	}
	if life < 0 || life > maxLife {
		return nil, fault.Member(fault.InvalidForm, "expires", "a key expires after at most ten years, or never")
	}
	scopes, err := auth.CheckScopes(scopes)
	if err != nil {
		return nil, err
	}
	return &freshKey{Key: Key{ID: id, Scopes: scopes}, life: life}, nil
}

// add stores the key with a new secret.
func (k *freshKey) add(w Writer) error {
	// Within one transaction: fn may run again after a serialization failure.
	k.ExpiresAt = nil
	if k.life > 0 {
		end := w.Now().Add(k.life)
		k.ExpiresAt = &end
	}
	a, err := w.Agent(k.Agent)
	if err != nil {
		return err
	}
	k.secret, k.hash = auth.NewAgentKey(a.Tenant)
	k.Hint = auth.KeyHint(k.secret)
	err = w.AddKey(k.Key, k.hash)
	if fault.Is(err, fault.AlreadyExists) {
		return fault.Member(fault.AlreadyExists, "key", "this is already done, and the key was shown only once; if you didn't store it, create another")
	}
	return err
}

func (k *freshKey) data() []canon.Member {
	return []canon.Member{
		member("key", canon.String(k.ID)), member("scopes", canon.String(auth.JoinScopes(k.Scopes))), member("expires_at", instant(k.ExpiresAt)),
		member("key_sum", canon.String(KeySum(k.hash))),
	}
}

// KeySum is what the trail says of the stored hash of a key, so that nobody puts the hash
// of another one in its place. From it nobody finds the hash: the key is 256 random bits.
func KeySum(hash string) string { return sum(hash) }

// TicketSum is that of a link; it covers the address that it is for, too.
func TicketSum(hash, email string) string { return sum(hash + "\n" + email) }

func sum(text string) string {
	digest := sha256.Sum256([]byte(text))
	return hex.EncodeToString(digest[:])
}

// RotateKey makes a new key; those that worked until now go on for overlap (at
// most seven days, 0: they end at once). It returns the new key, which is shown
// once. Without scopes it has those of the newest key that works.
func (s *Service) RotateKey(ctx context.Context, m auth.Member, agent string, in NewKey, overlap time.Duration) (secret string, err error) {
	if err := allow(m, auth.ManageAgents); err != nil {
		return "", err
	}
	if overlap < 0 || overlap > maxOverlap {
		return "", fault.Member(fault.InvalidForm, "overlap", "old keys can keep working for at most seven days")
	}
	k, err := newKey(in.ID, in.Scopes, in.Life)
	if err != nil {
		return "", err
	}
	k.Agent, k.By = agent, m.Person.ID
	err = s.giveAgent(ctx, m, agent, func(w Writer, a Agent) error {
		return a.rotate(w, k, len(in.Scopes) == 0, overlap, personActor(m))
	})
	if err != nil {
		return "", err
	}
	return k.secret, nil
}

// RotateKeyFromOutside gives an agent a new key on the command line; the old ones end at once.
func (s *Service) RotateKeyFromOutside(ctx context.Context, tenant, name string) (secret string, err error) {
	k, err := newKey(auth.NewID("key"), nil, 0)
	if err != nil {
		return "", err
	}
	err = s.store.Write(ctx, tenant, func(w Writer) error {
		a, err := agentNamed(w, tenant, name)
		if err != nil {
			return err
		}
		k.Agent = a.ID
		return a.rotate(w, k, true, 0, system)
	})
	return k.secret, err
}

// rotate adds a key in place of those that work; as says that it has the scopes of the newest.
func (a Agent) rotate(w Writer, k *freshKey, as bool, overlap time.Duration, by audit.Actor) error {
	if a.StoppedAt != nil {
		return fault.New(fault.Changed, "%s is stopped; starting it again gives it a new key", a.Name)
	}
	old, err := working(w, a.ID)
	if err != nil {
		return err
	}
	if as && len(old) > 0 {
		k.Scopes = old[0].Scopes
	}
	if err := k.add(w); err != nil {
		return err
	}
	end := w.Now().Add(overlap)
	for _, o := range old {
		if err := o.endBy(w, end, overlap == 0); err != nil {
			return err
		}
	}
	data := append(k.data(), member("replaced", keyIDs(old)), member("replaced_until", instant(&end)))
	if overlap == 0 && len(old) > 0 { // as after a leak: who knows what the old ones did
		lost, err := w.LoseTrust(a.ID, trust.Loss{Cause: trust.KeyRevoked, Person: by.ID})
		if err != nil {
			return err
		}
		data = append(data, audit.TrustLost(lost))
	}
	return w.Append(a.event(audit.AgentKeyRotated, by, data...))
}

// endBy makes a key end then, unless it ends before; at once revokes it.
func (k Key) endBy(w Writer, end time.Time, atOnce bool) error {
	now := w.Now()
	switch {
	case atOnce:
		k.RevokedAt = &now
	case k.ExpiresAt == nil || end.Before(*k.ExpiresAt):
		k.ExpiresAt = &end
	default:
		return nil
	}
	return w.SetKey(k)
}

// SetExpiry makes a key that works end after life; 0: it does not expire.
func (s *Service) SetExpiry(ctx context.Context, m auth.Member, agent, key string, life time.Duration) error {
	if err := allow(m, auth.ManageAgents); err != nil {
		return err
	}
	if life < 0 || life > maxLife {
		return fault.Member(fault.InvalidForm, "expires", "a key expires after at most ten years, or never")
	}
	return s.changeKey(ctx, m, agent, key, func(w Writer, k *Key) audit.Kind {
		k.ExpiresAt = nil
		if life > 0 {
			end := w.Now().Add(life)
			k.ExpiresAt = &end
		}
		return audit.AgentKeyExpiry
	})
}

// RevokeKey makes a key worthless, at once and for good.
func (s *Service) RevokeKey(ctx context.Context, m auth.Member, agent, key string) error {
	return s.changeKey(ctx, m, agent, key, func(w Writer, k *Key) audit.Kind {
		now := w.Now()
		k.RevokedAt = &now
		return audit.AgentKeyRevoked
	})
}

// changeKey runs change on a key that works: one that has ended is never brought
// back.
func (s *Service) changeKey(ctx context.Context, m auth.Member, agent, key string, change func(w Writer, k *Key) audit.Kind) error {
	return s.changeAgent(ctx, m, agent, func(w Writer, a Agent) error {
		keys, err := w.Keys(agent)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if k.ID != key {
				continue
			}
			if !k.Works(w.Now()) {
				return fault.New(fault.Changed, "this key was revoked or has expired, which is final; rotate to create another")
			}
			kind := change(w, &k)
			if kind != audit.AgentKeyRevoked {
				if err := s.held(w, m.Tenant); err != nil {
					return err
				}
			}
			if err := w.SetKey(k); err != nil {
				return err
			}
			data := []canon.Member{member("key", canon.String(k.ID)), member("expires_at", instant(k.ExpiresAt))}
			if kind == audit.AgentKeyRevoked {
				lost, err := w.LoseTrust(agent, trust.Loss{Cause: trust.KeyRevoked, Person: m.Person.ID})
				if err != nil {
					return err
				}
				data = append(data, audit.TrustLost(lost))
			}
			return w.Append(a.event(kind, personActor(m), data...))
		}
		return fault.New(fault.Missing, "%s has no such key", a.Name)
	})
}
