package effects

import (
	"strings"

	"github.com/countersign/countersign/internal/canon"
)

// somewhere is the kind of place that a value names.
type somewhere int

const (
	noPlace   somewhere = iota
	anAddress           // of a person or a room: mail, phone, #channel, @handle
	aURL                // of another host
	aPlace              // storage elsewhere: a bucket, a share, a host to copy to
	aPath               // of a file
)

// maxAddresses bounds how many elements of a list are looked at.
const maxAddresses = 64

// whereTo is the kind of place that a value names; of a list, the first that names one.
func whereTo(v canon.Value) somewhere {
	switch v.Kind() {
	case canon.KindString:
		return placeOf(v.Text())
	case canon.KindArray:
		for i, e := range v.Elements() {
			if i == maxAddresses {
				break
			}
			if to := whereTo(e); to != noPlace {
				return to
			}
		}
	case canon.KindObject: // {"email": "a@b.example"}
		for _, member := range v.Members() {
			if member.Kind() == canon.KindString {
				if to := placeOf(member.Text()); to == anAddress || to == aURL || to == aPlace {
					return to
				}
			}
		}
	default:
	}
	return noPlace
}

func placeOf(s string) somewhere {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 4096 || strings.Contains(s, "\n") {
		return noPlace
	}
	if scheme, rest, ok := strings.Cut(s, "://"); ok {
		switch strings.ToLower(scheme) {
		case "http", "https", "ws", "wss":
			return aURL
		case "file":
			return aPath
		}
		if rest != "" && !strings.ContainsAny(scheme, " ,") {
			return aPlace
		}
		return noPlace
	}
	at := strings.LastIndexByte(s, '@')
	switch {
	case strings.HasPrefix(s, `\\`), at > 0 && strings.Contains(s[at:], ":"):
		return aPlace // \\host\share, user@host:/folder
	case at > 0 && strings.Contains(s[at:], "."), len(s) > 1 && (s[0] == '#' || s[0] == '@') && !strings.Contains(s, " "):
		return anAddress
	case s[0] == '+' && len(s) > 7 && strings.Trim(s, "+0123456789 ()-") == "":
		return anAddress
	case s[0] == '/', s[0] == '~', s[0] == '.', len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/'), strings.Contains(s, "/") && !strings.Contains(s, " "):
		return aPath
	}
	return noPlace
}

// isOwnPlace reports whether a file is of the working folder, a temporary one, or somebody's
// own: no hidden one, and none above.
func isOwnPlace(clean string) bool {
	if strings.HasPrefix(clean, "..") || strings.HasPrefix(clean, ".") || strings.Contains(clean, "/.") {
		return false
	}
	if !strings.HasPrefix(clean, "/") {
		return len(clean) < 2 || clean[1] != ':' || strings.HasPrefix(clean[2:], "/users/") || strings.HasPrefix(clean[2:], "/temp/")
	}
	for _, folder := range []string{"/tmp/", "/var/tmp/", "/private/tmp/", "/home/", "/users/", "/workspace/", "/workspaces/"} {
		if strings.HasPrefix(clean, folder) {
			return true
		}
	}
	return false
}

// reach counts those to whom a result goes. What is called as recipients are is counted where
// every value is read.
func (r *reader) reach(v canon.Value, key string) {
	switch v.Kind() {
	case canon.KindString:
		s := v.Text()
		if !says("recipient_keys", key) {
			r.recipient(s, []string{"to"})
		}
		switch to := placeOf(s); {
		case to == aURL || to == aPlace:
			r.reached.others = true
		case strings.HasPrefix(strings.TrimSpace(s), "#"):
			r.reached.rooms = true
		}
	case canon.KindArray:
		for i, e := range v.Elements() {
			if i == maxAddresses {
				r.reached.others = true
				break
			}
			r.reach(e, key)
		}
	default:
	}
}
