// Package audit is the trail: what an event is, which bytes it has, and how a
// stranger finds out that none was added, changed, moved or taken away. It is
// pure; package store keeps the bytes.
//
//	Event ──Bytes──▶ canonical JSON ──Leaf──▶ SHA-256(0x00 ‖ bytes)
//	                      │                          │
//	             stored, exported          Head.Append ▼
//	                      │                 root over leaves 0…size−1 (RFC 6962 §2.1)
//	                      └────────Verify────────▶ Report
//
// # Promises
//
//   - The bytes are the truth. They name tenant, index, time, kind and actor
//     themselves, so no event can be moved to another place or tenant. Whatever is
//     stored beside them is derived, and Verify compares it with them.
//   - One event has one form: Parse accepts exactly what Bytes writes, and Bytes
//     of what Parse returns are the same bytes again.
//   - Indexes of a tenant are 0, 1, 2, … without a gap. The head (size, root,
//     frontier) grows by one leaf at a time and is never computed from a part.
//   - An export can be verified without us: a line is the bytes of an event, the
//     last line is the head, and the arithmetic is RFC 6962's.
//   - No event is larger than MaxBytes: an act that would need a larger one fails.
//
// Nothing here has state: any number of goroutines may use it.
package audit
