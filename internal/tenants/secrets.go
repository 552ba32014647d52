package tenants

import (
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// unnamed refuses a name that holds a secret, or the mask that was put in place of one:
// names stand in the trail, and cannot be masked there.
func unnamed(field, name string) error {
	if scoring.HoldsSecret(name) {
		return fault.Member(fault.InvalidForm, field, "this contains a secret, and it would be stored and shown as it is; enter something else, and replace the secret: it was sent over the network")
	}
	return nil
}
