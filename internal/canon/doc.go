// Package canon is the gate through which every JSON body comes in: bytes in,
// one immutable tree out, and from that tree one canonical form and one digest.
//
//	body ──Parse──▶ Value ──┬─▶ scoring, rendering   (reads the tree)
//	                        ├─▶ Canonical            (RFC 8785 bytes: stored, shown)
//	                        └─▶ Digest               (what a grant binds)
//
// There is no second parser: what is scored, what an operator reads and what is
// hashed are the same tree. That only holds if no two readers can understand
// the same bytes differently, so the gate refuses everything on which JSON
// readers are known to differ. What it accepts is I-JSON (RFC 7493), narrowed:
//
//	refused                                    why
//	a member name twice in one object          RFC 7493 §2.3: readers keep the first, the last or both;
//	  (compared after unescaping)                it would be scored as one thing and run as another
//	an integer of more than 40 digits,         the work stays bounded, and nobody reads more
//	  however it is written (also 1e300)
//	a fraction, or a number with an exponent,  RFC 8785 §3.2.2.3 serialises the double, so the approver would
//	  that is not the decimal value of its       see another number than the agent sent: 0.10000000000000001
//	  shortest double: 0.1, 20.0, 1e3 and        would become 0.1 and 1e-400 would become 0
//	  1e20 are fine, 1e-400 is not
//	-0, -0.0, -0e5                             RFC 8785 writes 0, some readers keep the sign
//	NaN, Infinity, +1, 01, .5, 1., 0x1         RFC 8259 §6
//	bytes that are not UTF-8, a BOM            RFC 7493 §2.1, RFC 8259 §8.1
//	a surrogate that is half a pair            RFC 7493 §2.1, RFC 8785 §3.2.2.2: it has no UTF-8 form
//	non-characters: U+FDD0 to U+FDEF and       RFC 7493 §2.1
//	  the last two of every plane
//	U+0000, also as \u0000                     C readers, Postgres text and shells end the string there
//	data after the value, comments, trailing   RFC 8259 §2
//	  commas, single quotes
//	more than 256 KiB, 10,000 values, 64       the work for one body stays bounded
//	  open arrays and objects, or 4 MiB of
//	  JSON pointers (MaxPointers)
//
// In one thing it accepts more than RFC 7493 §2.2 advises: an integer that is written
// with its digits alone is taken as it is, since ids and sums are sent so. Where the
// shortest double denotes another value, the canonical form is all its digits, without
// an exponent: one form for each value still, since no shortest double denotes it.
//
// Parse needs time linear in the input (sorting member names aside, which is
// n·log n in their number) and a few allocations per array or object.
//
// A Value never changes and shares nothing that a caller could change, so any
// number of goroutines may read it at once.
package canon
