package canon

import (
	"crypto/sha256"
	"encoding/hex"
)

// Canonical returns the RFC 8785 bytes of v; nothing for Absent.
func (v Value) Canonical() []byte { return v.AppendCanonical(nil) }

// AppendCanonical appends the RFC 8785 bytes of v to dst: members ordered by the
// UTF-16 code units of their names, no white space, numbers as ECMAScript prints
// them, and in strings only what JSON cannot hold raw is escaped.
func (v Value) AppendCanonical(dst []byte) []byte {
	switch v.kind {
	case KindString:
		return appendQuoted(dst, v.text)
	case KindArray:
		dst = append(dst, '[')
		if v.kids != nil {
			for i := range v.kids.elements {
				if i > 0 {
					dst = append(dst, ',')
				}
				dst = v.kids.elements[i].AppendCanonical(dst)
			}
		}
		return append(dst, ']')
	case KindObject:
		dst = append(dst, '{')
		if v.kids != nil {
			for i := range v.kids.members {
				if i > 0 {
					dst = append(dst, ',')
				}
				dst = append(appendQuoted(dst, v.kids.members[i].Name), ':')
				dst = v.kids.members[i].Value.AppendCanonical(dst)
			}
		}
		return append(dst, '}')
	default: // null, booleans and numbers keep their canonical form; Absent has none
		return append(dst, v.text...)
	}
}

// appendQuoted writes a string as RFC 8785 §3.2.2.2 does: the two-character
// escapes where JSON has one, \u00xx in lower case for the other controls, and
// everything else as it is (also "/", U+007F and U+2028).
func appendQuoted(dst []byte, s string) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	clean := 0 // s[clean:i] needs no escape and is not written yet
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[clean:i]...)
		clean = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xF])
		}
	}
	dst = append(dst, s[clean:]...)
	return append(dst, '"')
}

// MarshalJSON lets a struct that encoding/json writes hold a Value; Absent
// becomes null. encoding/json may escape "<" and the like again, so only
// Canonical gives the bytes that are hashed. There is no UnmarshalJSON: input
// comes in through Parse only.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.IsAbsent() {
		return []byte("null"), nil
	}
	return v.Canonical(), nil
}

// Digest is "sha256:" and 64 lower-case hex digits: SHA-256 (FIPS 180-4) over
// the canonical bytes. Test vectors are in testdata/digests.jsonl.
func Digest(v Value) string {
	sum := sha256.Sum256(v.Canonical())
	return "sha256:" + hex.EncodeToString(sum[:])
}
