package organisation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/toollist"
	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

type toolRow struct {
	TenantID, AgentID, Name, Server, OwnName string
	SHA256                                   string `gorm:"column:sha256"`
	Description, Annotations, Raises, News   string
	ImportedAt                               time.Time
	ImportedBy                               string
}

func (toolRow) TableName() string { return "imported_tools" }

func (t Organisation) tools(agent string) *tables.Rows[toolRow] {
	return tables.Want(t.Tx, "imported_tools "+agent, func(a, b toolRow) int { return strings.Compare(a.Name, b.Name) }, "imported_tools", " AND agent_id = ?", agent)
}

// ImportedTools lists those of an agent, by name.
func (t Organisation) ImportedTools(agent string) ([]tenants.Tool, error) {
	rows, err := t.tools(agent).Read(t.Tx)
	all := make([]tenants.Tool, len(rows))
	for i, r := range rows {
		all[i] = tenants.Tool{
			Tool:   toollist.Tool{Name: r.Name, Own: r.OwnName, Description: r.Description, SHA256: r.SHA256, Raises: effects.Kind(r.Raises)},
			Server: r.Server, News: tenants.ToolNews(r.News), ImportedAt: tables.Stamp(r.ImportedAt), ImportedBy: r.ImportedBy,
		}
		if err := json.Unmarshal([]byte(r.Annotations), &all[i].Annotations); err != nil {
			return nil, fmt.Errorf("the annotations of %s: %w", r.Name, err)
		}
	}
	return all, err
}

// SetTools makes these the tools of an agent's server, in place of those that it had.
func (t Organisation) SetTools(agent, server string, tools []tenants.Tool) error {
	if err := t.Of("imported_tools").Where("agent_id = ? AND server = ?", agent, server).Delete(&toolRow{}).Error; err != nil || len(tools) == 0 {
		return err
	}
	rows := make([]toolRow, len(tools))
	for i, tool := range tools {
		annotations, err := json.Marshal(tool.Annotations)
		if err != nil {
			return err
		}
		rows[i] = toolRow{
			TenantID: t.Tenant, AgentID: agent, Name: tool.Name, Server: server, OwnName: tool.Own, SHA256: tool.SHA256,
			Description: tool.Description, Annotations: string(annotations), Raises: string(tool.Raises), News: string(tool.News),
			ImportedAt: tables.Stamp(tool.ImportedAt), ImportedBy: tool.ImportedBy,
		}
	}
	return tables.Classify(t.DB.CreateInBatches(rows, toolBatch).Error)
}

// toolBatch keeps the statement below the bound variables that SQLite accepts.
const toolBatch = 100

// ImportedTool is one by its exact name, as a call is judged with it; nil where there is
// none.
func (t Organisation) ImportedTool(agent, name string) (*effects.Tool, error) {
	if !t.Writes { // who writes holds all of them against the log
		row, err := tables.One[toolRow](t.Of("imported_tools").Where("agent_id = ? AND name = ?", agent, name), "no such tool")
		if fault.Is(err, fault.Missing) {
			return nil, nil
		}
		return &effects.Tool{Name: row.Name, SHA256: row.SHA256, Raises: effects.Kind(row.Raises)}, err
	}
	all, err := t.ImportedTools(agent)
	i := slices.IndexFunc(all, func(tool tenants.Tool) bool { return tool.Name == name })
	if err != nil || i < 0 {
		return nil, err
	}
	return &effects.Tool{Name: all[i].Name, SHA256: all[i].SHA256, Raises: all[i].Raises}, nil
}
