package store

import (
	"database/sql"
	"io/fs"

	"github.com/pressly/goose/v3"
	"gorm.io/gorm"
)

// dialect is all that differs between databases.
type dialect interface {
	openWriter() (*gorm.DB, error)
	// openReader opens connections that cannot write. alone says that nobody writes
	// in this process, so that a file that does not exist must not be created.
	openReader(alone bool) (*gorm.DB, error)
	migrator(db *sql.DB, files fs.FS) (*goose.Provider, error)
	// triggers lists the triggers of a database: name → definition.
	triggers(db *gorm.DB) (map[string]string, error)
}
