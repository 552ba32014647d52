// Package tables is one transaction on the tables of one organisation: the door through which
// every statement on them goes, what it has read already, and the events of the log as rows.
//
// Every statement begins with Tx.Of, which names the tenant. The rooms above it (requests,
// organisation, pages, reconcile) are methods on a Tx, and know neither each other's tables nor
// how a transaction begins and ends.
package tables
