package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// backupOf is where the file as it was before us is kept.
func backupOf(path string) string { return path + ".countersign-bak" }

// read is a file's text and mode; nil and 0 if there is none.
func read(path string) ([]byte, fs.FileMode, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if link, err := os.Lstat(path); err == nil && link.Mode()&fs.ModeSymlink != 0 {
			return nil, 0, fmt.Errorf("%s is a link to a file that is not there", path)
		}
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s is not a file", path)
	}
	if info.Size() > 16<<20 {
		return nil, 0, fmt.Errorf("%s is larger than 16 MiB", path)
	}
	b, err := os.ReadFile(path)
	if b == nil {
		b = []byte{}
	}
	return b, info.Mode().Perm(), err
}

// write replaces a file by rename, so that nobody ever reads half of it. A link stays a link;
// the mode and the owner stay, and a new file is for its owner only. The file has to be still
// as it was read.
func write(path string, was, text []byte, mode fs.FileMode) error {
	if now, _, err := read(path); err != nil || !bytes.Equal(now, was) || (now == nil) != (was == nil) {
		return errors.Join(fmt.Errorf("%s was changed by somebody else in the meantime", path), err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	target := path
	if was != nil {
		var err error
		if target, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	} else {
		mode = 0o600
	}
	f, err := os.CreateTemp(filepath.Dir(target), ".countersign-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // it is gone after the rename
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(mode), keepOwner(f, target), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), target)
	}
	if err != nil {
		return err
	}
	if dir, err := os.Open(filepath.Dir(target)); err == nil { // where folders can be synced
		_ = dir.Sync()
		_ = dir.Close()
	}
	return nil
}
