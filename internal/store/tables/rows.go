package tables

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"
)

// Rows are the rows of a statement on one table. What an act goes by is in many tables, and a
// statement costs more than its few rows: so Fetch reads many Rows with one statement.
type Rows[R any] struct {
	name  string
	from  func() *gorm.DB
	order func(a, b R) int
	Found []R
}

// Want is what a statement chooses, in an order (nil: any). Its name begins with its table, and
// says which rows of it; what has none is read anew each time.
func Want[R any](name string, order func(a, b R) int, from func() *gorm.DB) *Rows[R] {
	return &Rows[R]{name: name, from: from, order: order}
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
	statement(db *gorm.DB) (columns string, from *gorm.DB)
	take(t *Tx, rows []string) error
}

func (r *Rows[R]) called() string { return r.name }

func (r *Rows[R]) known(t *Tx) bool {
	v, ok := t.Known[r.name]
	if ok = ok && t.keeps() && r.name != ""; ok {
		r.Found = v.([]R)
	}
	return ok
}

func (r *Rows[R]) statement(db *gorm.DB) (columns string, from *gorm.DB) {
	return columnsOf(db, new(R)), r.from()
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
		t.keep(r.name, r.Found)
	}
	return nil
}

// columnsOf writes a row as JSON with the names of Go, and times and truths as Go reads them.
func columnsOf(db *gorm.DB, row any) string {
	s := gorm.Statement{DB: db}
	if err := s.Parse(row); err != nil {
		panic(err) // our own types
	}
	sqlite, instant := db.Name() == "sqlite", reflect.TypeFor[time.Time]()
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
	if sqlite {
		return "json_object(" + strings.Join(parts, ", ") + ")"
	}
	return "CAST(json_build_object(" + strings.Join(parts, ", ") + ") AS TEXT)"
}

// Fetch reads all of these that aren't known yet, with one statement.
func (t *Tx) Fetch(all ...Wanted) error {
	var sql strings.Builder
	var from []any
	part := map[Wanted]int{}
	named := map[string]int{}
	for _, w := range all {
		if w.known(t) {
			continue
		}
		n, ok := named[w.called()]
		if part[w] = n; ok {
			continue
		}
		n = len(from)
		if part[w] = n; w.called() != "" {
			named[w.called()] = n
		}
		if n > 0 {
			sql.WriteString(" UNION ALL ")
		}
		columns, of := w.statement(t.DB)
		sql.WriteString("SELECT " + strconv.Itoa(n) + " AS part, " + columns + " AS content FROM (?) AS s")
		from = append(from, of)
	}
	if len(from) == 0 {
		return nil
	}
	rows, err := t.DB.Raw(sql.String(), from...).Rows()
	if err != nil {
		return t.Dialect.Translate(err)
	}
	defer rows.Close()
	found := make([][]string, len(from))
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
