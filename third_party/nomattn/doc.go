// Package sqlite3 is empty on purpose. gorm.io/driver/sqlite imports mattn's C
// driver only for its side effect of registering a driver that we never open;
// compiling it costs every cold cgo build (the race tests) 45 s.
package sqlite3
