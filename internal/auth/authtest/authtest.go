// Package authtest gives tests passwords that cost next to nothing to hash.
package authtest

import "github.com/countersign/countersign/internal/auth"

// Cost is the least that argon2id takes.
func Cost() auth.Cost { return auth.Cost{Passes: 1, Memory: 8} }

// Passwords is auth.NewPasswords at that cost.
func Passwords(atOnce int) *auth.Passwords { return auth.NewPasswords(atOnce, Cost()) }
