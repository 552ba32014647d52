package command

import (
	"database/sql"
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// lookAround looks at everything that is kept and everything that can be read.
func (h *canaryHouse) lookAround(set Settings) {
	h.t.Helper()
	for _, path := range h.pages() {
		h.get(path)
	}
	for _, id := range h.ids {
		h.get("/t/acme/approvals/" + id)
		h.ask("asking", "GET", "/api/v1/approvals/"+id, "")
	}
	for _, export := range []string{"history.csv", "audit.csv", "audit.jsonl", "insights.csv", "insights/items.csv", "insights/operators.csv"} {
		h.post("/t/acme/"+export, url.Values{})
	}
	for next := "/api/v1/approvals?limit=200"; next != ""; {
		_, r := h.ask("asking", "GET", next, "")
		var page struct {
			Next *string `json:"next_cursor"`
		}
		if next = ""; json.Unmarshal(r.raw, &page) == nil && page.Next != nil {
			next = "/api/v1/approvals?limit=200&cursor=" + *page.Next
		}
	}
	h.ask("asking", "GET", "/metrics", "")
	for _, args := range [][]string{{"audit", "export", "--tenant", "acme"}, {"audit", "verify"}, {"policy", "export", "--tenant", "acme"}, {"agent", "list", "--tenant", "acme"}} {
		code, out, errs := command(h.t, "", append(args, "--data-dir", set.DataDir, "--database-url", set.DatabaseURL)...)
		if code != 0 {
			h.t.Errorf("%v: %d %s", args, code, errs)
		}
		h.look(h.t, "what "+strings.Join(args, " ")+" prints", out+errs)
	}
	if h.log.String() == "" {
		h.t.Error("nothing was logged, so nothing was looked at")
	}
	h.look(h.t, "the log", h.log.String())
	h.lookAtFiles(set.DataDir)
	if set.DatabaseURL != "" {
		h.lookAtTables(set.DatabaseURL)
	}
}

// lookAtFiles reads all that is in a folder, the database's own files too.
func (h *canaryHouse) lookAtFiles(dir string) {
	h.t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		h.look(h.t, "the file "+filepath.Base(path), string(b))
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// lookAtTables reads every row of every table.
func (h *canaryHouse) lookAtTables(dsn string) {
	h.t.Helper()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		h.t.Fatal(err)
	}
	defer db.Close()
	texts := func(query string) (all []string) {
		rows, err := db.QueryContext(h.t.Context(), query)
		if err != nil {
			h.t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var text string
			if err := rows.Scan(&text); err != nil {
				h.t.Fatal(err)
			}
			all = append(all, text)
		}
		if err := rows.Err(); err != nil {
			h.t.Fatal(err)
		}
		return all
	}
	tables := texts("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
	if len(tables) < 20 {
		h.t.Errorf("only %d tables were found", len(tables))
	}
	for _, table := range tables {
		for _, row := range texts(`SELECT t::text FROM "` + table + `" t`) {
			h.look(h.t, "the table "+table, row)
		}
	}
}
