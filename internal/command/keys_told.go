package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/countersign/countersign/internal/audit"
)

// toldKeys tells every trail which keys of this server sign, so that a rotation, or a
// key that somebody put into the data directory, stands where it cannot be taken away.
// It is for one goroutine.
type toldKeys struct {
	grants  func() []audit.SigningKey
	signed  *heads
	tenants func(ctx context.Context) ([]string, error)
	tell    func(ctx context.Context, tenant string, keys []audit.SigningKey) error
	mode    func(ctx context.Context, tenant string) error // tells in which mode a tenant is
	told    map[string]string                              // what each tenant's trail was told last
}

func newToldKeys(a *App) *toldKeys {
	return &toldKeys{
		grants: a.keys.ring.Published, signed: a.signed, tenants: a.Store.Tenants().Tenants,
		tell: a.Tenants.TellKeys, mode: a.Tenants.TellMode, told: map[string]string{},
	}
}

// round tells the trails that were told something else, or nothing yet.
func (k *toldKeys) round(ctx context.Context) error {
	keys := k.grants()
	for _, line := range k.signed.Keys() {
		keys = append(keys, audit.SigningKey{Use: audit.UseCheckpoints, ID: checkpointKeyID(line), Public: line})
	}
	all, err := k.tenants(ctx)
	if err != nil {
		return err
	}
	now := fmt.Sprint(keys)
	for _, t := range all {
		if k.told[t] == now {
			continue
		}
		if one := k.tell(ctx, t, keys); one != nil {
			err = errors.Join(err, fmt.Errorf("tell %s of the keys: %w", t, one))
			continue
		}
		if one := k.mode(ctx, t); one != nil {
			err = errors.Join(err, fmt.Errorf("tell %s of its mode: %w", t, one))
			continue
		}
		k.told[t] = now
	}
	return err
}

// checkpointKeyID is a public key's name: countersign+hash.
func checkpointKeyID(line string) string {
	parts := strings.SplitN(line, "+", 3)
	return strings.Join(parts[:min(2, len(parts))], "+")
}
