package storetest

import (
	"reflect"
	"testing"

	"github.com/countersign/countersign/internal/tenants"
)

// testReasons: what forms offer keeps its order, is written as a whole, and is of one
// organisation.
func testReasons(t *testing.T, w world) {
	for _, want := range []tenants.Reasons{
		{Deny: []string{"b", "a", "Löschen? 你好"}, Extend: []string{"z"}},
		{Deny: []string{"a"}, RequestChanges: []string{"y", "x"}},
		{},
	} {
		w.acme.house(t, func(tx tenants.Writer) error { return tx.SetReasons(want) })
		for _, p := range []place{w.acme, w.beta} {
			p.house(t, func(tx tenants.Writer) error {
				got, err := tx.Reasons()
				if p.tenant == "beta" && !reflect.DeepEqual(got, tenants.Reasons{}) || p.tenant == "acme" && !reflect.DeepEqual(got, want) {
					t.Errorf("%s has %+v after %+v", p.tenant, got, want)
				}
				return err
			})
		}
	}
}
