package tables

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
)

// JSON writes our own values as JSON; they always can be.
func JSON(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("encode %T: %w", v, err)
	}
	return string(b), nil
}

// SHA256 is the sum of a text in hex.
func SHA256(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// StampPointer is Stamp; nil for none.
func StampPointer(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := Stamp(*t)
	return &u
}

// Instant is a time as events write it; "" for none.
func Instant(t *time.Time) string {
	if t == nil {
		return ""
	}
	return audit.FormatTime(*t)
}

// Text is a column as an event would carry it.
func Text(s *string) string {
	if s == nil {
		return ""
	}
	return canon.String(*s).Text()
}
