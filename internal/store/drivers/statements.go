package drivers

import (
	"context"
	"log/slog"
	"regexp"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// statements writes each statement into the log at the level debug, without the values in
// it: those are people's and agents' business.
type statements struct {
	log    *slog.Logger
	values *regexp.Regexp // in inner statements gorm writes them out
}

// What stands in quotes and is no name: SQLite's names stand in backticks.
var (
	quoted       = regexp.MustCompile(`'(?:[^']|'')*'`)
	doublyQuoted = regexp.MustCompile(`'(?:[^']|'')*'|"(?:[^"]|"")*"`)
)

// LogStatements is the logger of a database's statements.
func LogStatements(db *gorm.DB, log *slog.Logger) logger.Interface {
	if db.Name() == "sqlite" {
		return statements{log, doublyQuoted}
	}
	return statements{log, quoted}
}

func (s statements) LogMode(logger.LogLevel) logger.Interface { return s }
func (statements) Info(context.Context, string, ...any)       {}
func (statements) Warn(context.Context, string, ...any)       {}
func (statements) Error(context.Context, string, ...any)      {}

// Trace is called after each statement.
func (s statements) Trace(ctx context.Context, begin time.Time, statement func() (sql string, rows int64), err error) {
	if !s.log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	sql, rows := statement()
	s.log.DebugContext(ctx, "statement", "sql", s.values.ReplaceAllString(sql, "?"), "rows", rows, "took", time.Since(begin), "failed", err != nil)
}

// ParamsFilter leaves every value out.
func (statements) ParamsFilter(_ context.Context, sql string, _ ...any) (string, []any) {
	return sql, nil
}
