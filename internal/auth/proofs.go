package auth

import (
	"crypto/hmac"
	"encoding/base64"
	"strings"
)

// What opens the console is proven with the key of Doors, and not by a row alone: whoever can
// write to the database, and has no key, signs in as nobody.

// proofBytes is the length of a mac.
const proofBytes = 32

// Session is the data of a session as it is stored under a name.
func (d *Doors) Session(name string, data []byte) []byte {
	return append(d.mac("session", name, string(data)), data...)
}

// OpenSession is the data that was stored under this name; ok is false where this key did
// not store it there.
func (d *Doors) OpenSession(name string, stored []byte) (data []byte, ok bool) {
	if len(stored) < proofBytes {
		return nil, false
	}
	data = stored[proofBytes:]
	return data, hmac.Equal(stored[:proofBytes], d.mac("session", name, string(data)))
}

// Link returns the secret of a link of a kind for a person, and its hash. The secret says
// itself for whom it is.
func (d *Doors) Link(kind, person string) (token, hash string) {
	secret, _ := NewToken()
	token = secret + "." + d.linkProof(secret, kind, person)
	return token, HashToken(token)
}

// Made reports whether Link made this secret for the kind and the person.
func (d *Doors) Made(token, kind, person string) bool {
	secret, proof, _ := strings.Cut(token, ".")
	return hmac.Equal([]byte(proof), []byte(d.linkProof(secret, kind, person)))
}

func (d *Doors) linkProof(secret, kind, person string) string {
	return base64.RawURLEncoding.EncodeToString(d.mac("link", secret, kind, person))
}
