package drivers

import (
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/callbacks"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"
)

// sqliteDialector is how gorm speaks SQLite through the pure-Go driver. gorm's own one imports a
// driver in C, which every build with cgo would compile, and “go install” takes no module that
// replaces it.
type sqliteDialector struct{ dsn string }

func (sqliteDialector) Name() string { return "sqlite" }

func (d sqliteDialector) Initialize(db *gorm.DB) error {
	pool, err := openSQLite(d.dsn)
	if err != nil {
		return err
	}
	db.ConnPool = pool
	callbacks.RegisterDefaultCallbacks(db, &callbacks.Config{
		CreateClauses:        []string{"INSERT", "VALUES", "ON CONFLICT", "RETURNING"},
		UpdateClauses:        []string{"UPDATE", "SET", "FROM", "WHERE", "RETURNING"},
		DeleteClauses:        []string{"DELETE", "FROM", "WHERE", "RETURNING"},
		LastInsertIDReversed: true,
	})
	// There is one writer: rows needn't be locked, and SQLite has no words for it.
	db.ClauseBuilders["FOR"] = func(c clause.Clause, to clause.Builder) {
		if _, locks := c.Expression.(clause.Locking); !locks {
			c.Build(to)
		}
	}
	return pool.Ping()
}

// goose migrates, so these two are never asked.
func (sqliteDialector) Migrator(*gorm.DB) gorm.Migrator { return nil }
func (sqliteDialector) DataTypeOf(*schema.Field) string { return "" }

// DefaultValueOf is what SQLite refuses: rows that are inserted together have all their values.
func (sqliteDialector) DefaultValueOf(*schema.Field) clause.Expression {
	return clause.Expr{SQL: "DEFAULT"}
}

func (sqliteDialector) BindVarTo(to clause.Writer, _ *gorm.Statement, _ any) { _ = to.WriteByte('?') }

// QuoteTo uses backticks: a name in double quotes that no column has would be a text.
func (sqliteDialector) QuoteTo(to clause.Writer, name string) {
	_, _ = to.WriteString("`" + strings.ReplaceAll(strings.ReplaceAll(name, "`", ""), ".", "`.`") + "`")
}

func (sqliteDialector) Explain(sql string, vars ...any) string {
	return logger.ExplainSQL(sql, nil, "'", vars...)
}
