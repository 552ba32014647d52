// Package store is where gorm ends. Everything above it speaks of approvals,
// tenants and events; everything below is rows.
//
//	approvals.Store ─┐
//	tenants.Store   ─┼─▶ read  ─▶ one transaction on one consistent state, rolled back
//	Sessions, Audit ─┘   write ─▶ one transaction: rows on their condition, then the
//	                              events; the log's row last; commit, fsync
//
// # Promises
//
//   - Two doors. Whatever touches a tenant's data goes through read or write and
//     names the tenant in every statement.
//   - write returns nil only after the commit is on disk.
//   - A lost race is a fault, decided by the number of rows a conditional statement
//     changed or by a unique key; never by an isolation level.
//   - Times go in and come out as UTC with microseconds. Now is the database's
//     clock, the same all through one transaction.
//   - What differs between databases is in dialect.go and one short file each.
//
// # SQLite
//
// WAL, synchronous=FULL, foreign keys on. One connection writes, in immediate
// transactions; four others read and cannot write (query_only).
package store
