package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Five wrong attempts in a quarter of an hour pause an account for strangers, fifty an
// address (an office may share one). OWASP ASVS 4.0 2.2.1 asks for at most 100 an hour on
// one account.
const (
	accountTries = 5
	addressTries = 50
	deviceTries  = 10
	failuresLast = 15 * time.Minute
	// DeviceLife is for how long a browser is known after a sign-in.
	DeviceLife = 90 * 24 * time.Hour
	// failureNames is how many names accounts share, and addresses. It bounds what a flood
	// of invented ones can fill, without anything that would have to be thrown out.
	failureNames = 1 << 16
	doorsKey     = 32 // bytes
)

// Limit is how many failures count under a name, and for how long.
type Limit struct {
	Name  string
	Tries int
	Last  time.Duration
	// Forgiving says that a success ends all that failed before: nobody else counts there.
	Forgiving bool
}

// Doors says under which names failures to sign in count, and which browsers are known. It
// knows nothing of whether an account exists, so what it says tells nothing. Servers of one
// database share its key. It never changes.
type Doors struct{ key []byte }

// NewDoorsKey returns a new secret for NewDoors.
func NewDoorsKey() string { return base64.RawStdEncoding.EncodeToString(random(doorsKey)) }

// NewDoors reads what NewDoorsKey returned. The error says nothing of the content.
func NewDoors(secret string) (*Doors, error) {
	key, err := base64.RawStdEncoding.DecodeString(strings.TrimSpace(secret))
	if err != nil || len(key) != doorsKey {
		return nil, errors.New("it is no key for counting sign-ins")
	}
	return &Doors{key}, nil
}

// mac is over parts of which none can pass for two.
func (d *Doors) mac(parts ...string) []byte {
	h := hmac.New(sha256.New, d.key)
	for _, p := range parts {
		_ = binary.Write(h, binary.BigEndian, uint64(len(p))) // a hash takes everything
		h.Write([]byte(p))
	}
	return h.Sum(nil)
}

// slot is the name that a text shares with others. Which ones, nobody knows without the key.
func (d *Doors) slot(kind, text string) string {
	return kind + " " + strconv.Itoa(int(binary.BigEndian.Uint64(d.mac(kind, text))%failureNames))
}

// Account is the limit of what strangers try on an account, whether there is one or not.
func (d *Doors) Account(email string) Limit {
	return Limit{Name: d.slot("account", email), Tries: accountTries, Last: failuresLast}
}

// Address is the limit of an address; of IPv6 it is that of its network (/64), in which one
// customer has as many addresses as they like.
func (d *Doors) Address(ip string) Limit {
	if a, err := netip.ParseAddr(ip); err == nil {
		a = a.Unmap().WithZone("")
		if ip = a.String(); a.Is6() {
			if network, err := a.Prefix(64); err == nil {
				ip = network.String()
			}
		}
	}
	return Limit{Name: d.slot("address", ip), Tries: addressTries, Last: failuresLast}
}

// Own is the limit of a person who is signed in and proves a password once more.
func (d *Doors) Own(person string) Limit {
	return Limit{Name: "own " + person, Tries: accountTries, Last: failuresLast, Forgiving: true}
}

// A device cookie (OWASP, “Slow Down Online Guessing Attacks with Device Cookies”) says
// that somebody signed in with this browser before:
//
//	nonce.end.signature      over person, password, nonce and end
//
// It opens nothing. It only has failures counted by themselves, so that strangers cannot
// shut out who has one.

// Device returns the cookie for a browser that a person signed in with. passwordHash is the
// stored one: with another password it is void.
func (d *Doors) Device(person, passwordHash string, now time.Time) (cookie string) {
	nonce := base64.RawURLEncoding.EncodeToString(random(16))
	end := strconv.FormatInt(now.Add(DeviceLife).Unix(), 10)
	return nonce + "." + end + "." + d.deviceSignature(person, passwordHash, nonce, end)
}

func (d *Doors) deviceSignature(person, passwordHash, nonce, end string) string {
	return base64.RawURLEncoding.EncodeToString(d.mac("device", person, passwordHash, nonce, end))
}

// Known returns the limit of the browser that sent a cookie; ok is false where the cookie
// is not one of this person and password, or is over.
func (d *Doors) Known(cookie, person, passwordHash string, now time.Time) (l Limit, ok bool) {
	parts := strings.Split(cookie, ".")
	if len(parts) != 3 || person == "" {
		return l, false
	}
	nonce, end, signature := parts[0], parts[1], parts[2]
	if !hmac.Equal([]byte(signature), []byte(d.deviceSignature(person, passwordHash, nonce, end))) {
		return l, false
	}
	seconds, err := strconv.ParseInt(end, 10, 64)
	left := time.Unix(seconds, 0).Sub(now)
	return Limit{Name: fmt.Sprintf("device %x", sha256.Sum256([]byte(nonce))), Tries: deviceTries, Last: left}, err == nil && left > 0
}
