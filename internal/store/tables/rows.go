package tables

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gorm.io/gorm"
)

// Rows are the rows of a statement on one table. What an act goes by is in many tables, and a
// statement costs more than its few rows: so Fetch reads many Rows with one statement.
type Rows[R any] struct {
	name  string
	of    []string // the tables that the statement reads
	order func(a, b R) int
	from  string
	args  []any
	Found []R
}

// Want are rows of a table of tenant data, in an order (nil: any). Their name says which rows they
// are; what has none is read anew each time. The statement is written out:
// gorm takes longer to make one than the database to answer it.
func Want[R any](t *Tx, name string, order func(a, b R) int, table, where string, args ...any) *Rows[R] {
	return WantOf(name, []string{table}, order, "SELECT * FROM "+table+" WHERE "+table+".tenant_id = ?"+where, append([]any{t.Tenant}, args...)...)
}

// WantOf are rows that a whole statement chooses from these tables, which names the tenant.
func WantOf[R any](name string, of []string, order func(a, b R) int, from string, args ...any) *Rows[R] {
	return &Rows[R]{name: name, of: of, order: order, from: from, args: args}
}

// Chosen are the rows that a statement of gorm chooses from these tables.
func Chosen[R any](name string, of []string, order func(a, b R) int, q *gorm.DB) *Rows[R] {
	return WantOf(name, of, order, "?", q)
}

// Read is Fetch of these rows alone.
func (r *Rows[R]) Read(t *Tx) ([]R, error) {
	err := t.Fetch(r)
	return r.Found, err
}

// Wanted are Rows of any kind.
type Wanted interface {
	called() string
	known(t *Tx) bool
	statement(db *gorm.DB) (columns, from string, args []any)
	take(t *Tx, rows []string) error
}

func (r *Rows[R]) called() string { return r.name }

func (r *Rows[R]) known(t *Tx) bool {
	k, ok := t.Known[r.name]
	if ok = ok && t.keeps() && r.name != ""; ok {
		r.Found = k.value.([]R)
	}
	return ok
}

func (r *Rows[R]) statement(db *gorm.DB) (columns, from string, args []any) {
	return columnsOf(db, reflect.TypeFor[R]()), r.from, r.args
}

func (r *Rows[R]) take(t *Tx, rows []string) error {
	r.Found = make([]R, len(rows))
	for i, row := range rows {
		if err := json.Unmarshal([]byte(row), &r.Found[i]); err != nil {
			return err
		}
	}
	if r.order != nil {
		slices.SortFunc(r.Found, r.order)
	}
	if r.name != "" {
		t.keep(r.name, r.of, r.Found)
	}
	return nil
}

// columnsOf writes a row as JSON with the names of Go, and times and truths as Go reads them.
func columnsOf(db *gorm.DB, row reflect.Type) string {
	type of struct {
		row    reflect.Type
		sqlite bool
	}
	key := of{row, db.Name() == "sqlite"}
	if columns, ok := written.Load(key); ok {
		return columns.(string)
	}
	s := gorm.Statement{DB: db}
	if err := s.Parse(reflect.New(row).Interface()); err != nil {
		panic(err) // our own types
	}
	sqlite, instant := key.sqlite, reflect.TypeFor[time.Time]()
	parts := make([]string, 0, len(s.Schema.Fields))
	for _, f := range s.Schema.Fields {
		value, of := "s."+f.DBName, f.IndirectFieldType
		switch {
		case sqlite && of == instant:
			value = "replace(" + value + ", ' ', 'T')"
		case of == instant:
			value = "timezone('UTC', " + value + ")"
		case sqlite && of.Kind() == reflect.Bool:
			value = "json(iif(" + value + ", 'true', 'false'))"
		}
		parts = append(parts, "'"+f.Name+"', "+value)
	}
	columns := "CAST(json_build_object(" + strings.Join(parts, ", ") + ") AS TEXT)"
	if sqlite {
		columns = "json_object(" + strings.Join(parts, ", ") + ")"
	}
	written.Store(key, columns)
	return columns
}

// written are the columns of a type on a database, which never change.
var written sync.Map

// Fetch reads all of these that aren't known yet, with one statement.
func (t *Tx) Fetch(all ...Wanted) error {
	var sql strings.Builder
	var values []any
	part := map[Wanted]int{}
	named, parts := map[string]int{}, 0
	for _, w := range all {
		if w.known(t) {
			continue
		}
		n, ok := named[w.called()]
		if part[w] = n; ok {
			continue
		}
		n = parts
		if part[w] = n; w.called() != "" {
			named[w.called()] = n
		}
		if n > 0 {
			sql.WriteString(" UNION ALL ")
		}
		columns, from, args := w.statement(t.DB)
		sql.WriteString("SELECT " + strconv.Itoa(n) + " AS part, " + columns + " AS content FROM (" + from + ") AS s")
		values, parts = append(values, args...), parts+1
	}
	if parts == 0 {
		return nil
	}
	rows, err := t.DB.Raw(sql.String(), values...).Rows()
	if err != nil {
		return t.Dialect.Translate(err)
	}
	defer rows.Close()
	found := make([][]string, parts)
	for rows.Next() {
		var n int
		var content string
		if err := rows.Scan(&n, &content); err != nil {
			return err
		}
		found[n] = append(found[n], content)
	}
	if err := rows.Err(); err != nil {
		return t.Dialect.Translate(err)
	}
	for w, n := range part {
		if err := w.take(t, found[n]); err != nil {
			return err
		}
	}
	return nil
}
