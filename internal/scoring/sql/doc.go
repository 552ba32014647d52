// Package sql takes a text apart as databases do: tokens outside comments and literals,
// statements, and whether a DELETE or UPDATE touches every row. Nobody knows which
// database will get a text, so where they differ it is read in each way.
//
// It is linear and total: on text that is no SQL it finds no statements.
package sql
