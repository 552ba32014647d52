package notices

import "crypto/ecdh"

// EncryptPush is what a push is made of, with a key and a salt that a test gives.
func EncryptPush(text []byte, p256dh, auth string, once *ecdh.PrivateKey, salt []byte) ([]byte, error) {
	to, err := readSubscriber(p256dh, auth)
	if err != nil {
		return nil, err
	}
	return to.encrypt(text, once, salt)
}
