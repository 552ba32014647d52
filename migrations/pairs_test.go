package migrations

import (
	"io/fs"
	"strings"
	"testing"
)

// A file for one database has its pair for the other: what one refuses, the
// other refuses too.
func TestPairsAreWhole(t *testing.T) {
	t.Parallel()
	for suffix, other := range map[string]string{".sqlite.sql": ".postgres.sql", ".postgres.sql": ".sqlite.sql"} {
		names, err := fs.Glob(Files, "*"+suffix)
		if err != nil || len(names) == 0 {
			t.Fatalf("%q, %v", names, err)
		}
		for _, name := range names {
			pair := strings.TrimSuffix(name, suffix) + other
			if _, err := fs.Stat(Files, pair); err != nil {
				t.Errorf("%s stands alone; write %s", name, pair)
			}
		}
	}
}
