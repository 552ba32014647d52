// Package drivers is the two databases: how each is opened, migrated, checked and copied, and
// what its driver's errors mean. It knows nothing of what the tables hold; the one thing that
// it knows of tenants is how row-level security keeps them apart.
package drivers
