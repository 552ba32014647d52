package store

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

type fileRow struct {
	TenantID, AgentID, Path    string
	Held, Added, Was           string // JSON; "" for nothing
	AddedBy, WasBy             string
	Unreviewed, Manifest, Gone bool
}

func (fileRow) TableName() string { return "workspace_files" }

const (
	// manyPaths is from how many paths on all files of the agent are read at once.
	manyPaths = 100
	// fileBatch is how many are written with one statement.
	fileBatch = 100
	// longestPath is what an index takes on either database; of a file with a longer one
	// nothing is kept.
	longestPath = 2000
)

func toFile(text string) (*workspace.File, error) {
	if text == "" {
		return nil, nil
	}
	var f workspace.File
	err := json.Unmarshal([]byte(text), &f)
	return &f, err
}

func fromFile(f *workspace.File) (string, error) {
	if f == nil {
		return "", nil
	}
	b, err := json.Marshal(f)
	return string(b), err
}

func (r fileRow) memory() (m approvals.FileMemory, err error) {
	m = approvals.FileMemory{Path: r.Path, By: r.AddedBy, WasBy: r.WasBy}
	for _, part := range []struct {
		text string
		into **workspace.File
	}{{r.Held, &m.Held}, {r.Added, &m.Added}, {r.Was, &m.Was}} {
		if *part.into, err = toFile(part.text); err != nil {
			return m, fmt.Errorf("what is remembered of %s: %w", r.Path, err)
		}
	}
	return m, nil
}

func (t *tx) fileRow(agent string, m approvals.FileMemory) (r fileRow, err error) {
	r = fileRow{TenantID: t.tenant, AgentID: agent, Path: m.Path, AddedBy: m.By, WasBy: m.WasBy}
	for _, part := range []struct {
		of   *workspace.File
		into *string
	}{{m.Held, &r.Held}, {m.Added, &r.Added}, {m.Was, &r.Was}} {
		if *part.into, err = fromFile(part.of); err != nil {
			return r, err
		}
	}
	known := approvals.MemoryOf([]approvals.FileMemory{m}, false, "").Files
	r.Gone = !slices.ContainsFunc(known, func(f workspace.File) bool { return !f.Gone })
	for _, f := range known {
		r.Unreviewed = workspace.Asks{Unreviewed: true}.Wants(f)
		r.Manifest = workspace.Asks{Manifests: true}.Wants(f)
	}
	return r, nil
}

// asked are the rows that may be meant: the paths, what is below them, the folders that they
// are in, and what builds and installs count.
func (t *tx) asked(agent string, asks workspace.Asks) *gorm.DB {
	q := t.of("workspace_files").Where("agent_id = ?", agent)
	if len(asks.Paths) > manyPaths {
		return q
	}
	var exact []string
	either := t.db.Session(&gorm.Session{NewDB: true})
	for _, p := range asks.Paths {
		p = path.Clean(p)
		for at := p; ; at = path.Dir(at) {
			exact = append(exact, at)
			if at == "/" || at == "." {
				break
			}
		}
		below := strings.TrimSuffix(p, "/")
		either = either.Or("path > ? AND path < ?", below+"/", below+"0") // 0 follows / in ASCII
	}
	slices.Sort(exact)
	either = either.Or("path IN ?", slices.Compact(exact))
	if asks.Unreviewed {
		either = either.Or("unreviewed")
	}
	if asks.Manifests {
		either = either.Or("manifest")
	}
	if asks.Gone {
		either = either.Or("gone")
	}
	return q.Where(either)
}

// FileMemory is what is remembered of the files that are asked about. Who writes keeps it as
// it is until the commit.
func (t *tx) FileMemory(agent string, asks workspace.Asks) (all []approvals.FileMemory, full bool, err error) {
	var rows []fileRow
	if err := t.asked(agent, asks).Order("path").Find(&rows).Error; err != nil {
		return nil, false, err
	}
	for _, r := range rows {
		m, err := r.memory()
		if err != nil {
			return nil, false, err
		}
		all = append(all, m)
	}
	var fulls []bool
	err = t.of("agents").Where("agent_id = ?", agent).Pluck("memory_full", &fulls).Error
	return all, len(fulls) > 0 && fulls[0], err
}

// KeepFiles writes what is remembered of files. Where there are too many, those of which
// nothing is left make room, and beyond that the memory is full for good.
func (t *tx) KeepFiles(agent string, files []approvals.FileMemory) error {
	rows := make([]fileRow, 0, len(files))
	for _, m := range files {
		if len(m.Path) > longestPath {
			continue
		}
		r, err := t.fileRow(agent, m)
		if err != nil {
			return err
		}
		rows = append(rows, r)
	}
	kept, err := t.thatFit(agent, rows)
	if err != nil {
		return err
	}
	if len(kept) < len(files) {
		if err := t.of("agents").Where("agent_id = ?", agent).Update("memory_full", true).Error; err != nil {
			return err
		}
		t.beside.add(agent, filesTold, fullMemory)
	}
	if len(kept) == 0 {
		return nil
	}
	for _, r := range kept {
		t.beside.add(agent, filesTold, r.told())
	}
	return t.db.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "tenant_id"}, {Name: "agent_id"}, {Name: "path"}},
		DoUpdates: clause.AssignmentColumns([]string{"held", "added", "added_by", "was", "was_by", "unreviewed", "manifest", "gone"}),
	}).CreateInBatches(kept, fileBatch).Error
}

// thatFit are the rows that are there already, and as many new ones as there is room for.
func (t *tx) thatFit(agent string, rows []fileRow) ([]fileRow, error) {
	all := func() *gorm.DB { return t.of("workspace_files").Where("agent_id = ?", agent) }
	var count int64
	if err := all().Count(&count).Error; err != nil {
		return nil, err
	}
	if int(count)+len(rows) <= workspace.MaxFiles {
		return rows, nil
	}
	if err := all().Where("gone").Delete(&fileRow{}).Error; err != nil {
		return nil, err
	}
	t.beside.add(agent, filesTold, goneFile) // those of which nothing is left are forgotten
	var paths []string
	if err := all().Pluck("path", &paths).Error; err != nil {
		return nil, err
	}
	room, there := workspace.MaxFiles-len(paths), make(map[string]bool, len(paths))
	for _, p := range paths {
		there[p] = true
	}
	return slices.DeleteFunc(rows, func(r fileRow) bool {
		if there[r.Path] {
			return false
		}
		room--
		return room < 0
	}), nil
}
