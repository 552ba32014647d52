// Package store is where gorm ends. Everything above it speaks of approvals,
// tenants and events; everything below is rows.
//
//	approvals.Store ─┐
//	tenants.Store   ─┼─▶ read  ─▶ one transaction on one consistent state, rolled back
//	Sessions, Audit ─┘   write ─▶ one transaction: rows on their condition, then the
//	                              events; the log's row last; commit, fsync
//
// # Rooms
//
//	reconcile ─▶ organisation, pages ─▶ requests ─▶ tables ─▶ logstate, drivers
//
// This package makes transactions and holds the log: it begins and groups them (group.go),
// appends and signs (audit.go, heads.go), and puts the rooms together to what the services ask
// for (store.go: tx). What a statement is, the rooms know.
//
// # Promises
//
//   - Two doors. Whatever touches a tenant's data goes through read or write and
//     names the tenant in every statement.
//   - write returns nil only after the commit is on disk. What it runs may run
//     again from the start, so it acts on nothing but its transaction.
//   - A lost race is a fault, decided by the number of rows a conditional statement
//     changed or by a unique key; never by an isolation level.
//   - Times go in and come out as UTC with microseconds. Now is the database's
//     clock, the same all through one transaction.
//   - What differs between databases is in store/drivers: dialect.go and one short file each.
//
// # SQLite
//
// WAL, synchronous=FULL, foreign keys on. One connection writes, in immediate
// transactions; four others read and cannot write (query_only).
//
// # Postgres
//
// Row-level security stands under the tenant that every statement names: each
// transaction begins by telling the database its tenant, and the role that serves
// sees the rows of no other. Migrate works as the owner of the tables, and brings
// every table, whoever's migration made it, to the same rules and privileges.
//
// Writers run side by side (READ COMMITTED), so conditions decide, and who writes
// about an approval holds its row. The policy and the roles of people nobody holds:
// behind the log's lock they are compared with what was read, and the transaction
// runs again where they differ. Rows are held in one order, so that no two
// transactions wait for each other: the count of calls or approvals, the oldest first;
// the agent; its keys; standing grants, the oldest first; the log. A failed statement ends its transaction:
// where a conflict is no failure, the statement says ON CONFLICT. The times of two
// neighbouring events may be out of order by as long as one waited for the other.
package store
