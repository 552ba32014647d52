// Package patterns is the second of the three models (docs/models.md): a library
// of known dangers and secrets, the score over what was found, and the masking
// of what nobody may store.
//
//	library/*.yaml ──Load──▶ Library ──With(Overrides)──▶ a tenant's Library
//	                            │
//	[]scan.Segment ──Scan──▶ []Match ──Score──▶ Record      what the model says
//	                            ├──AnyBlock, AnyConfirm     what the response must not soften
//	                            └──Redactions──▶ Spans ──Mask──▶ the tree that is stored
//
// Promises: everything is a pure function of its input and safe for concurrent
// use; a Library never changes; no text makes anything panic; the time is linear
// in the text; the order of segments, of matches and of patterns changes neither
// score nor mask.
package patterns
