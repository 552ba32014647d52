package command

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
	path, text, err := readOrMake(dir, "notice-key", notices.NewSealKey)
	if err != nil {
		return nil, fmt.Errorf("notice key: %w", err)
	}
	sealer, err := notices.NewSealer(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return sealer, nil
}

// openPushKey reads the key with which push notifications are signed, as above. Whoever
// deletes it has to turn them on again in each browser.
func openPushKey(dir string) (*notices.PushKey, error) {
	path, text, err := readOrMake(dir, "push-key", notices.NewPushKey)
	if err != nil {
		return nil, fmt.Errorf("push key: %w", err)
	}
	key, err := notices.ReadPushKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

// readOrMake reads a file of the data directory; the first start makes it.
func readOrMake(dir, name string, fresh func() string) (path, text string, err error) {
	path = filepath.Join(dir, name)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = writeOnce(path, fresh()+"\n"); err == nil || errors.Is(err, fs.ErrExist) {
			raw, err = os.ReadFile(path)
		}
	}
	return path, string(raw), err
}
