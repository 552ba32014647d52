package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/countersign/countersign/internal/notices"
)

// openNoticeKey reads the key that encrypts the secrets of channels; replicas share it with
// the directory. The first start makes it. Whoever deletes it has to type those secrets
// again.
func openNoticeKey(dir string) (*notices.Sealer, error) {
	path := filepath.Join(dir, "notice-key")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = writeOnce(path, notices.NewSealKey()+"\n"); err == nil || errors.Is(err, fs.ErrExist) {
			text, err = os.ReadFile(path)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("notice key: %w", err)
	}
	sealer, err := notices.NewSealer(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return sealer, nil
}
