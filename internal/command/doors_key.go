package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/countersign/countersign/internal/auth"
)

// doorsKeyName is the file of the secret.
const doorsKeyName = "sign-in-key"

// openDoors reads the secret that proves sessions and sign-in links, makes browsers known and
// hides which accounts share a count of failures; replicas share it with the directory, or
// nobody whom one signed in is known to the other. The first start makes it: of two that start
// at once the one reads what the other wrote. Whoever deletes it signs everybody out, ends the
// links that wait, and makes every browser a stranger.
func openDoors(dir string) (*auth.Doors, error) {
	path := filepath.Join(dir, doorsKeyName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = writeOnce(path, auth.NewDoorsKey()+"\n"); err == nil || errors.Is(err, fs.ErrExist) {
			text, err = os.ReadFile(path)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("sign-in key: %w", err)
	}
	doors, err := auth.NewDoors(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return doors, nil
}
