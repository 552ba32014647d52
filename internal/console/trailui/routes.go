package trailui

import (
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
)

// Pages are the pages of the record: the audit trail, the history, sessions, and figures
// about them.
type Pages struct{ *edge.Console }

// Routes are their addresses.
func (s *Pages) Routes() []edge.Route {
	return []edge.Route{
		edge.Post("/t/:tenant/queue/filters", auth.ReadQueue, s.saveFilter(SavedQueue())),
		edge.Post("/t/:tenant/queue/filters/forget", auth.ReadQueue, s.forgetFilter(SavedQueue())),
		edge.Post("/t/:tenant/history/filters", auth.ReadQueue, s.saveFilter(savedHistory())),
		edge.Post("/t/:tenant/history/filters/forget", auth.ReadQueue, s.forgetFilter(savedHistory())),
		edge.Post("/t/:tenant/audit/filters", auth.ReadAudit, s.saveFilter(savedTrail())),
		edge.Post("/t/:tenant/audit/filters/forget", auth.ReadAudit, s.forgetFilter(savedTrail())),
		edge.Get("/t/:tenant/history", auth.ReadQueue, s.historyPage),
		edge.Get(overviewPath, auth.ReadQueue, s.overviewPage),
		edge.Post("/t/:tenant/history.csv", auth.ExportAudit, s.exportHistory),
		edge.Get(sessionPath, auth.ReadQueue, s.sessionPage),
		edge.Post(sessionPath+"/acknowledge", auth.Refuse, s.acknowledgeSession),
		edge.Get(insightsPath, auth.ReadQueue, s.insightsPage),
		edge.Post(insightsPath+".csv", auth.ExportAudit, s.exportFigure),
		edge.Post(evaluationsPath, auth.ExportAudit, s.exportEvaluations),
		edge.Get(itemsPath, auth.ReadPeople, s.itemsPage),
		edge.Post(itemsPath+".csv", auth.ExportAudit, s.exportQuestions),
		edge.Post("/t/:tenant/insights/operators.csv", auth.ExportAudit, s.exportOperators),
		edge.Get("/t/:tenant/audit", auth.ReadAudit, s.auditPage),
		edge.Post("/t/:tenant/audit.csv", auth.ExportAudit, s.exportCSV),
		edge.Post("/t/:tenant/audit.jsonl", auth.ExportAudit, s.exportLines),
		edge.Get(checkpointPath, auth.ReadAudit, s.checkpoint),
		edge.Get("/t/:tenant/audit/:index", auth.ReadAudit, s.auditEntryPage),
	}
}
