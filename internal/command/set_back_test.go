package command

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/client"
)

// A machine that is set back to a copy of itself, database and data directory, knows nothing of what
// came after. An agent whose client remembers does: then nothing that was spent is spent again.
func TestSetBackToACopyOfItself(t *testing.T) {
	t.Parallel()
	set := Settings{DataDir: dataDir(t)}
	key := crashTenant(t, set)
	server := start(t, set)
	where := server.url
	copied := filepath.Join(t.TempDir(), "copy")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	again := func() {
		t.Helper()
		server = serving(t, program(set, "serve", "--addr", strings.TrimPrefix(where, "http://"), "--log-level", "error"))
	}
	dir := t.TempDir()
	agent := func(dir string) *client.Client {
		t.Helper()
		c, err := client.New(client.Settings{URL: where, Key: client.Key(key), Dir: dir})
		must(err)
		return c
	}
	a, err := agent(dir).Submit(t.Context(), client.Submission{Act: []byte(`{"function": "get_user", "arguments": {"user_id": "usr_1"}}`)})
	must(err)
	server.kill()
	must(exec.Command("cp", "-a", set.DataDir, copied).Run())
	again()
	must(agent(dir).Consume(t.Context(), a.ID, a.Digest, "first"))
	server.kill()
	must(os.RemoveAll(set.DataDir))
	must(exec.Command("cp", "-a", copied, set.DataDir).Run())

	// A process of its own that remembers, and then one that doesn't.
	again()
	for _, c := range []struct{ name, dir string }{{"remembers", dir}, {"comes after", t.TempDir()}} {
		err := agent(c.dir).Consume(t.Context(), a.ID, a.Digest, strings.ReplaceAll(c.name, " ", "-"))
		if p := (*client.Problem)(nil); !errors.As(err, &p) || p.Code != "grant-unproven" {
			t.Errorf("an agent that %s: %v, want grant-unproven", c.name, err)
		}
	}
}
