package command

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/countersign/countersign/internal/approvals"
)

// keysEvery is how often a server looks at the data directory. A key that was
// added is published by every replica after that, long before it signs.
const keysEvery = 15 * time.Second

// followedKeys are the keys of a running server, which follow the data directory.
type followedKeys struct {
	files keyFiles
	ring  *approvals.Keyring
	log   *slog.Logger

	mu   sync.Mutex                    // one reread at a time
	told map[string]approvals.KeyState // what the log was told last
}

// followKeys opens the keys of a data directory.
func followKeys(files keyFiles, log *slog.Logger) (*followedKeys, error) {
	ring, err := files.open()
	if err != nil {
		return nil, err
	}
	return &followedKeys{files: files, ring: ring, log: log, told: map[string]approvals.KeyState{}}, nil
}

// follow reads the keys again and again until ctx ends.
func (k *followedKeys) follow(ctx context.Context) {
	tick := time.NewTicker(keysEvery)
	defer tick.Stop()
	for {
		k.reread(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Sign signs with the current key.
func (k *followedKeys) Sign(c approvals.GrantClaims) (string, error) { return k.ring.Sign(c) }

// Verify returns what a token says that a published key signed. A key that is not known
// may be younger than the last look at the data directory: another server signs at once
// with one that replaced a leaked one.
func (k *followedKeys) Verify(token string) (approvals.GrantClaims, error) {
	c, err := k.ring.Verify(token)
	if errors.Is(err, approvals.ErrUnknownKey) {
		k.reread(context.Background())
		c, err = k.ring.Verify(token)
	}
	return c, err
}

// reread takes over what is in the data directory. Keys that cannot be read, or
// that are gone all at once, change nothing: the server goes on with those it has.
func (k *followedKeys) reread(ctx context.Context) {
	k.mu.Lock()
	defer k.mu.Unlock()
	keys, err := k.files.load()
	if err == nil {
		err = k.ring.Replace(signers(keys))
	}
	if err != nil {
		k.log.WarnContext(ctx, "signing keys cannot be read; going on with those there are", "error", err)
		return
	}
	for _, key := range k.ring.Keys() {
		if k.told[key.ID] != key.State {
			k.told[key.ID] = key.State
			k.log.InfoContext(ctx, "signing key", "kid", key.ID, "state", key.State, "until", stamp(key.Until))
		}
	}
}
