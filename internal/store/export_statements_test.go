package store

import (
	"slices"

	"gorm.io/gorm"
)

// Note tells fn of every statement that reads from now on, so that tests explain
// what really runs.
func (s *Store) Note(fn func(sql string, vars []any)) error {
	note := func(db *gorm.DB) {
		if !db.DryRun { // else it is a part of another one
			fn(db.Statement.SQL.String(), slices.Clone(db.Statement.Vars))
		}
	}
	for _, register := range []func() error{
		func() error { return s.reader.Callback().Query().After("gorm:query").Register("note", note) },
		func() error { return s.reader.Callback().Raw().After("gorm:raw").Register("note", note) },
		func() error { return s.reader.Callback().Row().After("gorm:row").Register("note", note) },
		func() error { return s.writer.Callback().Query().After("gorm:query").Register("note", note) },
		func() error { return s.writer.Callback().Raw().After("gorm:raw").Register("note", note) },
		func() error { return s.writer.Callback().Row().After("gorm:row").Register("note", note) },
	} {
		if err := register(); err != nil {
			return err
		}
	}
	return nil
}
