// Package migrations holds the schema, as goose files in order. A pair of files
// NNNN_subject.sqlite.sql and NNNN_subject.postgres.sql shares a number where the
// databases differ: in triggers, and in how a table lies on disk. On Postgres, row-level security and
// privileges are no migration's business: package store gives them to every table.
//
// Every table of tenant data has tenant_id first in each of its keys. The global
// tables are tenants, people, sessions and sign_in_links. Tables named audit_* hold
// only what `audit verify` checks. Times are UTC.
package migrations

import "embed"

// Files are the migrations.
//
//go:embed *.sql
var Files embed.FS
