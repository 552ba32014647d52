// Package tenants holds the organisations: their people, agents and policies,
// and how somebody becomes known (a key, a password, a one-time link).
//
// What a person may do is decided by auth.Member.May; this package only says who
// is a member of what. Every change is an audit event in the same transaction.
package tenants
