package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/countersign/countersign/client"
)

// SaveSettings writes where the server is and the agent's key into the settings file, for its
// owner only. What else the file says stays.
func SaveSettings(path string, s client.Settings) error {
	if path == "" {
		return errors.New("there is no home for a settings file; name one with COUNTERSIGN_CONFIG")
	}
	was, _, err := read(path)
	if err != nil {
		return err
	}
	members := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(was)) > 0 && json.Unmarshal(was, &members) != nil {
		return fmt.Errorf("%s isn't JSON; move it away first", path) // the parser's error could quote a key
	}
	for name, value := range map[string]string{"url": s.URL, "key": string(s.Key), "ca": s.CA} {
		if name == "ca" && value == "" {
			continue
		}
		if members[name], err = json.Marshal(value); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(members, "", "  ")
	if err != nil {
		return err
	}
	return write(path, was, append(text, '\n'), 0o600)
}
