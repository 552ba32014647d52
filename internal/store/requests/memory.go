package requests

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/internal/store/tables"
)

// FileRow is a row of workspace_files.
type FileRow struct {
	TenantID, AgentID, Path    string
	Held, Added, Was           string // JSON; "" for nothing
	AddedBy, WasBy             string
	Unreviewed, Manifest, Gone bool
}

func (FileRow) TableName() string { return "workspace_files" }

// FilesLogged is the member of events with what became of the files of their agent, one after
// the other: a sum of the path and one of the row, with "gone" where nothing is left of the
// file; "gone" alone where such rows were forgotten; and "full" when there was no room. The
// sums are short, so that an act on as many files as are remembered fits into an event.
const (
	FilesLogged = "files"
	GoneFile    = "gone"
	FullMemory  = "full"
)

// Logged is the row as events have it.
func (r FileRow) Logged() string {
	row := tables.SumOf(r.Held, r.Added, r.AddedBy, r.Was, r.WasBy, strconv.FormatBool(r.Unreviewed), strconv.FormatBool(r.Manifest))
	s := tables.SumOf(r.Path)[:20] + " " + row[:32]
	if r.Gone {
		s += " " + GoneFile
	}
	return s
}

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

func (r FileRow) memory() (m approvals.FileMemory, err error) {
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

func (t Requests) fileRow(agent string, m approvals.FileMemory) (r FileRow, err error) {
	r = FileRow{TenantID: t.Tenant, AgentID: agent, Path: m.Path, AddedBy: m.By, WasBy: m.WasBy}
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
func (t Requests) asked(agent string, asks workspace.Asks) *gorm.DB {
	q := t.Of("workspace_files").Where("agent_id = ?", agent)
	if len(asks.Paths) > manyPaths {
		return q
	}
	var exact []string
	either := t.DB.Session(&gorm.Session{NewDB: true})
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
func (t Requests) FileMemory(agent string, asks workspace.Asks) (all []approvals.FileMemory, full bool, err error) {
	var rows []FileRow
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
	err = t.Of("agents").Where("agent_id = ?", agent).Pluck("memory_full", &fulls).Error
	return all, len(fulls) > 0 && fulls[0], err
}

// KeepFiles writes what is remembered of files. Where there are too many, those of which
// nothing is left make room, and beyond that the memory is full for good.
func (t Requests) KeepFiles(agent string, files []approvals.FileMemory) error {
	rows := make([]FileRow, 0, len(files))
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
		if err := t.Of("agents").Where("agent_id = ?", agent).Update("memory_full", true).Error; err != nil {
			return err
		}
		t.Sums.Add(agent, FilesLogged, FullMemory)
	}
	if len(kept) == 0 {
		return nil
	}
	for _, r := range kept {
		t.Sums.Add(agent, FilesLogged, r.Logged())
	}
	return t.DB.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "tenant_id"}, {Name: "agent_id"}, {Name: "path"}},
		DoUpdates: clause.AssignmentColumns([]string{"held", "added", "added_by", "was", "was_by", "unreviewed", "manifest", "gone"}),
	}).CreateInBatches(kept, fileBatch).Error
}

// thatFit are the rows that are there already, and as many new ones as there is room for.
func (t Requests) thatFit(agent string, rows []FileRow) ([]FileRow, error) {
	all := func() *gorm.DB { return t.Of("workspace_files").Where("agent_id = ?", agent) }
	var count int64
	if err := all().Count(&count).Error; err != nil {
		return nil, err
	}
	if int(count)+len(rows) <= workspace.MaxFiles {
		return rows, nil
	}
	if err := all().Where("gone").Delete(&FileRow{}).Error; err != nil {
		return nil, err
	}
	t.Sums.Add(agent, FilesLogged, GoneFile) // those of which nothing is left are forgotten
	var paths []string
	if err := all().Pluck("path", &paths).Error; err != nil {
		return nil, err
	}
	room, there := workspace.MaxFiles-len(paths), make(map[string]bool, len(paths))
	for _, p := range paths {
		there[p] = true
	}
	return slices.DeleteFunc(rows, func(r FileRow) bool {
		if there[r.Path] {
			return false
		}
		room--
		return room < 0
	}), nil
}
