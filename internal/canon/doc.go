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
//	an integer outside ±(2^53−1), however      RFC 7493 §2.2: 2^53 and 2^53+1 are one double; 1e16 is an
//	  it is written (also 1e16, 1e300)           integer too, and RFC 8785 §3.2.2.3 would write its digits out
//	a number that is not the decimal value     RFC 8785 §3.2.2.3 serialises the double, so the approver would
//	  of its shortest double: 0.1 and 20.0       see another number than the agent sent: 0.10000000000000001
//	  and 1e3 are fine, 1e-400 is not            would become 0.1 and 1e-400 would become 0
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
// Parse needs time linear in the input (sorting member names aside, which is
// n·log n in their number) and a few allocations per array or object.
//
// A Value never changes and shares nothing that a caller could change, so any
// number of goroutines may read it at once.
package canon
