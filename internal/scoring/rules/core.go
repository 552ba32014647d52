package rules

import (
	"slices"
	"sync"

	"github.com/countersign/countersign/internal/scoring/level"
)

// Core lists the published rules in their order. The caller may change the slice.
func Core() []Rule { return slices.Clone(core()) }

// core is verbatim from rlm_code's RiskAssessor, except that rm_recursive has a
// second alternative, which its published argv example requires.
var core = sync.OnceValue(func() []Rule {
	return compiled(GroupCore, []Rule{
		{
			Name: "rm_recursive", Pattern: `rm\s+-rf?\s+|['"](?:[\w./-]*/)?rm['"]\s*,\s*['"]-rf?['"]`,
			Level: level.Critical, Reason: "Recursive file deletion can cause irreversible data loss",
		},
		{
			Name: "drop_database", Pattern: `DROP\s+(DATABASE|TABLE|SCHEMA)`,
			Level: level.Critical, Reason: "Database deletion is typically irreversible",
		},
		{
			Name: "format_disk", Pattern: `(mkfs|format|fdisk)`,
			Level: level.Critical, Reason: "Disk formatting destroys all data",
		},
		{
			Name: "file_delete", Pattern: `(os\.remove|os\.unlink|shutil\.rmtree|Path.*\.unlink)`,
			Level: level.High, Reason: "File deletion may cause data loss",
		},
		{
			Name: "git_force_push", Pattern: `git\s+push\s+.*(-f|--force)`,
			Level: level.High, Reason: "Force push can overwrite remote history",
		},
		{
			Name: "git_reset_hard", Pattern: `git\s+reset\s+--hard`,
			Level: level.High, Reason: "Hard reset discards uncommitted changes",
		},
		{
			Name: "sudo_command", Pattern: `sudo\s+`,
			Level: level.High, Reason: "Elevated privileges can affect system stability", Reversible: true,
		},
		{
			Name: "network_request", Pattern: `(requests\.(post|put|delete|patch)|urllib|httpx\.(post|put|delete))`,
			Level: level.High, Reason: "Modifying external resources via network",
		},
		{
			Name: "file_write", Pattern: `(open\(.*['"]w|\.write\(|Path.*\.write_)`,
			Level: level.Medium, Reason: "File modification may overwrite existing content", Reversible: true,
		},
		{
			Name: "subprocess_exec", Pattern: `(subprocess\.(run|call|Popen)|os\.system)`,
			Level: level.Medium, Reason: "Executing system commands", Reversible: true,
		},
		{
			Name: "git_commit", Pattern: `git\s+commit`,
			Level: level.Medium, Reason: "Creating git commits", Reversible: true,
		},
		{
			Name: "pip_install", Pattern: `pip\s+install`,
			Level: level.Medium, Reason: "Installing packages may affect environment", Reversible: true,
		},
		{
			Name: "file_read", Pattern: `(open\(.*['"]r|\.read\(|Path.*\.read_)`,
			Level: level.Low, Reason: "Reading files", Reversible: true,
		},
		{
			Name: "print_output", Pattern: `print\(`,
			Level: level.Safe, Reason: "Output display only", Reversible: true,
		},
	})
})
