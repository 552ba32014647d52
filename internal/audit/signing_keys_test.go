package audit_test

import (
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
)

// A trail is told of every key once, and of its end by a server that has a later one.
func TestKeyChanges(t *testing.T) {
	t.Parallel()
	key := func(use, id string, from int) audit.SigningKey {
		k := audit.SigningKey{Use: use, ID: id, Public: "public of " + id}
		if from > 0 {
			k.From = noon.Add(time.Duration(from) * time.Hour)
		}
		return k
	}
	old, first, second, third := key("grants", "gk_0", 0), key("grants", "gk_1", 1), key("grants", "gk_2", 2), key("grants", "gk_3", 3)
	note := key("checkpoints", "countersign+1", 0)
	var told []audit.Event
	for _, c := range []struct {
		name string
		have []audit.SigningKey
		want []string
	}{
		{"the first start", []audit.SigningKey{old, note}, []string{"signing_key.published gk_0", "signing_key.published countersign+1"}},
		{"again", []audit.SigningKey{old, note}, nil},
		{"a rotation", []audit.SigningKey{old, first, note}, []string{"signing_key.published gk_1"}},
		{"a replica with the older keys", []audit.SigningKey{old, note}, nil},
		{"the old one is over", []audit.SigningKey{first, note}, []string{"signing_key.withdrawn gk_0"}},
		{"once", []audit.SigningKey{first, note}, nil},
		{"two at once", []audit.SigningKey{first, second, third, note}, []string{"signing_key.published gk_2", "signing_key.published gk_3"}},
		{"compromised", []audit.SigningKey{third}, []string{"signing_key.withdrawn gk_1", "signing_key.withdrawn gk_2"}},
		{"a replica that is behind", []audit.SigningKey{first, second, note}, nil},
	} {
		var got []string
		for _, e := range audit.KeyChanges(told, c.have) {
			got = append(got, string(e.Kind)+" "+e.Data.Get("key").Text())
			if e.Kind == audit.SigningKeyPublished && e.Data.Get("public").Text() == "" || e.Actor.Kind != "system" {
				t.Errorf("%s: %+v", c.name, e)
			}
			told = append(told, e)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
