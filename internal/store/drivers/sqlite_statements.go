package drivers

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"modernc.org/sqlite"
)

// SQLite parses each statement that it is given. These connections keep what was parsed, as
// pgx does for Postgres: of a write it is a fifth of the time.

// keptStatements is how many a connection keeps: more than acts and pages have, and few enough
// for the memory (some 10 KB each) where searches make new ones all the time.
const keptStatements = 256

// openSQLite is sql.Open with connections that keep their statements.
func openSQLite(dsn string) (*sql.DB, error) {
	c, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(keeping{c}), nil
}

type keeping struct{ driver.Connector }

func (k keeping) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &keptConn{sqliteConn: c.(sqliteConn), free: map[string]driver.Stmt{}}, nil
}

// sqliteConn is what a connection of the driver can do.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// keptConn is used by one goroutine at a time, as every driver.Conn is.
type keptConn struct {
	sqliteConn
	free map[string]driver.Stmt // those that nobody reads from at the moment
}

// prepared takes a statement, or parses it.
func (c *keptConn) prepared(ctx context.Context, query string) (driver.Stmt, error) {
	if s := c.free[query]; s != nil {
		delete(c.free, query)
		return s, nil
	}
	return c.PrepareContext(ctx, query)
}

// keep takes a statement back. One that failed is thrown away.
func (c *keptConn) keep(query string, s driver.Stmt, err error) {
	if err != nil || c.free[query] != nil {
		_ = s.Close()
		return
	}
	for q, old := range c.free {
		if len(c.free) < keptStatements {
			break
		}
		delete(c.free, q)
		_ = old.Close()
	}
	c.free[query] = s
}

func (c *keptConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	r, err := s.(driver.StmtExecContext).ExecContext(ctx, args)
	c.keep(query, s, err)
	return r, err
}

func (c *keptConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	r, err := s.(driver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		c.keep(query, s, err)
		return nil, err
	}
	return &keptRows{r.(sqliteRows), func(err error) { c.keep(query, s, err) }}, nil
}

func (c *keptConn) Close() error {
	for _, s := range c.free {
		_ = s.Close()
	}
	return c.sqliteConn.Close()
}

// sqliteRows is what rows of the driver can do.
type sqliteRows interface {
	driver.Rows
	driver.RowsColumnTypeDatabaseTypeName
	driver.RowsColumnTypeLength
	driver.RowsColumnTypeNullable
	driver.RowsColumnTypePrecisionScale
	driver.RowsColumnTypeScanType
}

// keptRows give their statement back when they are closed.
type keptRows struct {
	sqliteRows
	back func(err error)
}

func (r *keptRows) Close() error {
	err := r.sqliteRows.Close()
	if r.back != nil {
		r.back(err)
		r.back = nil
	}
	return err
}
