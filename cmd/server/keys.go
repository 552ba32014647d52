package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/countersign/countersign/internal/approvals"
)

// grantKeyFile holds the private key that signs grants. Replicas share it.
const grantKeyFile = "grant-key.json"

// openSigner reads the signing key from the data directory, or makes one at the
// first start. Two processes that start at once agree on one key: the file is
// created exclusively, and whoever loses reads it.
func openSigner(dataDir string) (*approvals.Ed25519Signer, error) {
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	path := filepath.Join(dataDir, grantKeyFile)
	key, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := createKey(dataDir, path); err != nil {
			return nil, fmt.Errorf("signing key: %w", err)
		}
		key, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	s, err := approvals.NewEd25519Signer(key)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// createKey writes a new key whole or not at all: to a temporary file that is
// then linked to its name, which fails if the name exists by now.
func createKey(dir, path string) error {
	key, err := approvals.NewSigningKey()
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, grantKeyFile+".*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(key); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
