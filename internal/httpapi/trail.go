package httpapi

import (
	"encoding/base64"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
)

// Trail is how agents remember the audit trail: each answer has the newest signed head, and an agent
// sends the newest that it saw. So a server whose database and data directory were both put back
// finds that out from those whom it once answered.
type Trail interface {
	// Newest is the signed head that covers everything that was answered; nil before the first.
	Newest(tenant string) []byte
	// Hear is told of a head. Whatever no key of this server signed is ignored.
	Hear(tenant string, note []byte)
}

// checkpointHeader has a signed head in base64, in both directions.
const checkpointHeader = "Countersign-Checkpoint"

const checkpointText = "The newest signed head of the audit trail (a C2SP tlog-checkpoint, in base64). Each answer has it. " +
	"Keep the one of the highest epoch and size, and send it back: a server that was set back to an earlier state then accepts and spends nothing."

// remember exchanges heads with an agent. It comes behind authenticate.
func (s *server) remember(ctx huma.Context, next func(huma.Context)) {
	tenant := principal(ctx.Context()).Tenant
	if given := ctx.Header(checkpointHeader); given != "" {
		note, err := base64.StdEncoding.DecodeString(given)
		if err != nil || audit.NoteSize(note) < 0 {
			s.refuse(ctx, fault.Member(fault.InvalidParameter, checkpointHeader, "the header %s has no signed head in base64; send it as an answer had it, or leave it out", checkpointHeader))
			return
		}
		s.Trail.Hear(tenant, note)
	}
	response := humaecho.Unwrap(ctx).Response()
	response.Before(func() {
		if note := s.Trail.Newest(tenant); note != nil {
			response.Header().Set(checkpointHeader, base64.StdEncoding.EncodeToString(note))
		}
	})
	next(ctx)
}

// describeCheckpoint says of an operation what remember does.
func describeCheckpoint(op *huma.Operation) {
	if len(op.Security) == 0 {
		return
	}
	op.Parameters = append(op.Parameters, &huma.Param{Name: checkpointHeader, In: "header", Description: checkpointText, Schema: &huma.Schema{Type: huma.TypeString}})
	for status, r := range op.Responses {
		if status >= "300" {
			continue
		}
		if r.Headers == nil {
			r.Headers = map[string]*huma.Param{}
		}
		r.Headers[checkpointHeader] = &huma.Param{Description: checkpointText, Schema: &huma.Schema{Type: huma.TypeString}}
	}
}
