package command

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/countersign/countersign/internal/fault"
)

// The commands about the keys that sign grants. They need the data directory
// only, and print no private part.

type keysListCmd struct{}

// Run prints one line a key: id, state, since when, until when.
func (keysListCmd) Run(set Settings, io streams) error {
	files := keyFiles{set.DataDir, time.Now}
	keys, err := files.load()
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return noKeys(set.DataDir)
	}
	ring, err := files.ring(keys)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(io.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "KID\tSTATE\tSINCE\tUNTIL")
	for _, k := range ring.Keys() {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", k.ID, k.State, stamp(k.Since), stamp(k.Until))
	}
	return w.Flush()
}

type keysRotateCmd struct {
	Compromised bool `help:"The new key signs right away and all others are deleted: existing grants no longer verify offline."`
}

// Run rotates, and prints what happens when.
func (c keysRotateCmd) Run(set Settings, io streams) error {
	files := keyFiles{set.DataDir, time.Now}
	if err := files.rotate(c.Compromised); err != nil {
		return err
	}
	if err := (keysListCmd{}).Run(set, io); err != nil {
		return err
	}
	fmt.Fprintf(io.err, "running servers read the keys within %v; no restart is needed\n", keysEvery)
	return nil
}

// noKeys is the answer where the server never ran.
func noKeys(dir string) error {
	return fault.Member(fault.Missing, "--data-dir", "there is no signing key in %s; the first start of the server makes one", dir)
}

// stamp is a time for people and scripts; "-" where there is none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.RFC3339)
}
