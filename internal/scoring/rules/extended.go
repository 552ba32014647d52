package rules

import (
	"slices"
	"sync"

	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// Extended lists our own rules in their order. The caller may change the slice.
func Extended() []Rule { return slices.Clone(extended()) }

// Building blocks. An operand ends where a shell would end the command, so that
// a rule never joins two commands.
const (
	operand  = `[^\s;&|]+`
	operands = `(?:` + operand + `\s+)*?`
	options  = `(?:-` + operand + `\s+)*`
	// settings are options of which some take a value: -n prod --context=x.
	settings = `(?:--?[\w-]+(?:[=\s][^\s-]\S*)?\s+)*`
	done     = `(?:[\s;&|)"'` + "`" + `]|\z)` // the end of a word

	start  = `(?:\A|[;(\n"'` + "`" + `])\s*`   // where an SQL statement may begin
	strong = `\s*(?:[;)"'` + "`" + `]|--|/\*)` // where one certainly ends
	weak   = `\s*(?:\n|\z)`                    // where one may end, if it began well
	ident  = `["'\[` + "`" + `]?[\w$-]+["'\]` + "`" + `]?`
	table  = ident + `(?:\s*\.\s*` + ident + `)*`
	tables = table + `(?:\s*,\s*` + table + `)*`
	kinds  = `(?:TABLE|DATABASE|SCHEMA)\s+`

	git = `\bgit\s+(?:-c\s+` + operand + `\s+)*`
	// device is a disk; /dev/null, /dev/stdout and the like are none.
	device = `["']?/dev/(?:[shvx]v?d[a-z]|nvme|mmcblk|r?disk|mapper/|md\d|dm-|loop\d)`
)

// extended are our own work. Each is precise: it wants a command or a statement,
// not a word of it, because the arguments of most tools are prose.
var extended = sync.OnceValue(func() []Rule {
	return compiled(GroupExtended, append([]Rule{
		{
			Name: "shell_recursive_delete", refines: "rm_recursive",
			Pattern: `\brm(?:\s+-[\w=-]+)*\s+(?:-[a-z]*r[a-z]*|--recursive)(?:\s+-[\w=-]*)*\s+[^\s;&|-]`,
			Level:   level.Critical, Reason: "A shell command deletes a directory with everything in it",
		},
		{
			Name:    "shell_find_delete",
			Pattern: `\bfind\s+(?:[./~$"'-][^;&|\n]*\s)?-(?:delete|exec(?:dir)?\s+(?:sudo\s+)?(?:[\w./-]*/)?(?:rm|shred|unlink))` + done,
			Level:   level.High, Reason: "A shell command deletes every file that a search finds",
		},
		{
			Name: "sql_drop", refines: "drop_database",
			Pattern: scan.Before + `DROP\s+` + kinds + `(?:IF\s+EXISTS\s+[\w"'\[` + "`" + `]|` + tables + `(?:` + strong + `|\s+(?:CASCADE|RESTRICT)` + done + `))|` +
				start + `DROP\s+` + kinds + tables + weak,
			Level: level.Critical, Reason: "An SQL statement drops a table, schema or database",
		},
		{
			Name: "sql_truncate",
			Pattern: scan.Before + `TRUNCATE\s+(?:TABLE\s+)?(?:ONLY\s+)?` + tables + `(?:\s*;|\s+(?:CASCADE|(?:RESTART|CONTINUE)\s+IDENTITY)` + done + `)|` +
				start + `TRUNCATE\s+TABLE\s+(?:ONLY\s+)?` + tables + `(?:` + strong + `|` + weak + `)`,
			Level: level.Critical, Reason: "An SQL statement removes every row of a table",
		},
		{
			// Without WHERE, or with one that is always true. A label like "Delete from
			// cart" is not SQL: where nothing else says that it is, the keywords have one case.
			Name: "sql_delete_all",
			Pattern: scan.Before + `DELETE\s+FROM\s+(?:ONLY\s+)?` + table + `(?:\s*;|\s+WHERE\s+(?:1\s*=\s*1|'1'\s*=\s*'1'|TRUE)(?:` + done + `))|` +
				start + `(?-i:DELETE\s+FROM|delete\s+from)\s+(?:ONLY\s+)?` + table + `(?:` + strong + `|` + weak + `)`,
			Level: level.Critical, Reason: "An SQL statement deletes every row of a table",
		},
		{
			Name: "disk_format", refines: "format_disk",
			Pattern: `\b(?:(?:mkfs(?:\.\w+)?|mke2fs|mkswap|blkdiscard|shred)\s+` + operands + device + `|` +
				`(?:wipefs|sgdisk)\s+` + operands + `(?:-[a-z]*[aoz][a-z]*|--all|--zap-all|--clear)\s+` + operands + device + `|` +
				`s?fdisk\s+` + device + `|parted\s+` + options + device + `\S*\s+(?:mklabel|mktable|mkpart|rm)` + done + `|` +
				`format(?:\.com)?\s+[a-z]:\s+/[a-z])`,
			Level: level.Critical, Reason: "A command formats or erases a disk",
		},
		{
			Name:    "disk_overwrite",
			Pattern: `\bdd\s+` + operands + `of=` + device,
			Level:   level.Critical, Reason: "A command writes over a disk",
		},
		{
			Name:    "disk_redirect",
			Pattern: `[^\s>]\s*>{1,2}\s*` + device,
			Level:   level.Critical, Reason: "The output of a command is written over a disk",
		},
		{
			Name: "pipe_to_shell",
			Pattern: `\b(?:(?:curl|wget)\s[^;\n]*\|\s*(?:sudo\s+` + options + `)?(?:[\w./-]*/)?(?:(?:ba|z|da|k|fi)?sh|python[\d.]*|perl|ruby|node|php)` + done + `|` +
				`(?:(?:ba|z|da|k)?sh|source|eval)\s+(?:-\w+\s+)*["']?(?:<\(|\$\(|` + "`" + `)\s*(?:curl|wget)\s)`,
			Level: level.Critical, Reason: "A program from the network is run unseen",
		},
		{
			Name: "git_force_push_command", refines: "git_force_push",
			Pattern: git + `push\s+` + operands + `(?:--force(?:-with-lease|-if-includes)?(?:=\S+)?|-[a-z]*f[a-z]*|--mirror|--delete|--prune|\+[\w/]\S*)` + done,
			Level:   level.High, Reason: "A push overwrites or deletes history on the remote",
		},
		{
			Name: "git_hard_reset", refines: "git_reset_hard",
			Pattern: git + `reset\s+` + operands + `--hard` + done,
			Level:   level.High, Reason: "A reset discards uncommitted changes",
		},
		{
			Name:    "git_clean",
			Pattern: git + `clean\s+` + options + `(?:-[a-z]*f[a-z]*|--force)` + done,
			Level:   level.High, Reason: "Untracked files are deleted for good",
		},
		{
			Name:    "git_branch_delete",
			Pattern: git + `branch\s+` + options + `(?-i:-[a-z]*D[a-z]*|--delete\s+--force)\s+[\w/]`,
			Level:   level.Medium, Reason: "A branch is deleted whether it is merged or not", Reversible: true,
		},
		{
			// A command after it, because "the sudo password" and "sudo access" are prose.
			Name: "sudo_shell", refines: "sudo_command",
			Pattern: `\bsudo\s+(?:` + settings + `(?:\w+=` + operand + `\s+)*(?:[\w.~-]*/[\w./-]+|` +
				`rm|apt|apt-get|yum|dnf|apk|pacman|systemctl|chmod|chown|chgrp|kill|pkill|killall|su|bash|sh|zsh|tee|umount|docker|podman|mkfs[\w.]*|dd|fdisk|parted|wipefs|shred|` +
				`reboot|shutdown|poweroff|halt|iptables|nft|ufw|sed|vim?|nano|pip3?|npm|python[\d.]*|useradd|usermod|userdel|groupadd|passwd|visudo|crontab|insmod|modprobe|sysctl|` +
				`service\s+[\w.-]+\s+(?:start|stop|restart|reload|status)|make\s+` + options + `(?:un)?install|(?:cp|mv|ln|cat|mount|ls|mkdir)\s+[-./~$"'])` + done + `|` +
				`(?:-[a-z]+\s+)*-(?:i|s)` + done + `)`,
			Level: level.High, Reason: "A command runs with elevated privileges", Reversible: true,
		},
		{
			Name:    "permissions_recursive",
			Pattern: `\bch(?:mod|own|grp)\s+` + options + `(?-i:-[a-zA-Z]*R[a-zA-Z]*|--recursive)\s+\S`,
			Level:   level.High, Reason: "Ownership or permissions of a whole directory are changed and the old ones aren't kept",
		},
		{
			Name:    "permissions_everybody",
			Pattern: `\bchmod\s+` + options + `(?:[0-7]?[0-7][0-7][2367]|[augo]*[ao][augo]*[+=][rxst]*w[rwxst]*)\s+[\w./~$"'*]`,
			Level:   level.Medium, Reason: "A file is made writable by everyone", Reversible: true,
		},
		{
			Name:    "kubernetes_delete",
			Pattern: `\b(?:(?:kubectl|oc)\s+` + settings + `(?:delete|drain)|helm\s+` + settings + `(?:delete|uninstall))\s+[\w./-]`,
			Level:   level.High, Reason: "Kubernetes resources are deleted or moved away",
		},
		{
			Name:    "infrastructure_destroy",
			Pattern: `\b(?:terraform|tofu|terragrunt|pulumi|cdk)\s+` + settings + `(?:(?:run-all\s+)?destroy|apply\s+` + operands + `-destroy)` + done,
			Level:   level.Critical, Reason: "Managed infrastructure is destroyed",
		},
		{
			Name: "cloud_delete",
			Pattern: `\b(?:aws\s+` + settings + `(?:s3\s+(?:rb\s+s3:|rm\s+` + operands + `--recursive)|[a-z0-9-]+\s+(?:delete|terminate|deregister|purge)-[a-z-]+` + done + `)|` +
				`gcloud\s+` + settings + `(?:(?:alpha|beta)\s+)?(?:compute|container|sql|storage|projects|run|functions|iam|pubsub|dns|kms|secrets|app|redis|spanner|bigtable|artifacts|dataproc|filestore|firestore)(?:\s+[a-z][a-z0-9-]*){0,2}\s+(?:delete|rm)\s+\S|` +
				`az\s+(?:vm|vmss|group|aks|storage|sql|keyvault|disk|network|webapp|functionapp|cosmosdb|acr|ad|role|snapshot|postgres|mysql|redis|resource)(?:\s+[a-z][a-z0-9-]*){0,2}\s+(?:delete|purge)\s+-|` +
				`gsutil\s+` + options + `(?:rm|rb)\s)`,
			Level: level.High, Reason: "Cloud resources are deleted",
		},
		{
			Name: "container_prune",
			Pattern: `\b(?:docker|podman)\s+(?:(?:system|volume|image|container|network|builder)\s+prune|volume\s+rm\s+\w+|` +
				`compose\s+` + operands + `down\s+` + operands + `(?:-v|--volumes))` + done,
			Level: level.High, Reason: "Containers, images or volumes are removed with their data",
		},
		{
			Name:    "container_privileged",
			Pattern: `\b(?:docker|podman)\s+(?:run|create|exec)\s+` + operands + `(?:--privileged` + done + `|--pid[=\s]host|-v\s+/:|--volume[=\s]/:)`,
			Level:   level.High, Reason: "A container gets the rights of the machine", Reversible: true,
		},
		{
			Name:    "service_stop",
			Pattern: `\bsystemctl\s+` + options + `(?:(?:stop|disable|mask|kill|isolate)\s+[\w@.-]|(?:poweroff|reboot|halt)` + done + `)`,
			Level:   level.Medium, Reason: "A service or the machine is stopped", Reversible: true,
		},
		{
			Name:    "machine_shutdown",
			Pattern: `\b(?:shutdown\s+(?:-[hrPf]|/[srfp])|(?:reboot|poweroff|halt)\s+-[a-z]*f[a-z]*)` + done,
			Level:   level.High, Reason: "The machine is shut down or restarted", Reversible: true,
		},
		{
			Name:    "process_kill",
			Pattern: `\b(?:kill|pkill|killall)\s+(?:-s\s+|-)(?:9|(?:SIG)?KILL)\s+\S`,
			Level:   level.Medium, Reason: "A process is killed without a chance to finish",
		},
		{
			Name:    "firewall_open",
			Pattern: `\b(?:ip6?tables\s+(?:-t\s+\w+\s+)?(?:-F|--flush|-X|-P\s+INPUT\s+ACCEPT)|ufw\s+(?:--force\s+)?(?:disable|reset)|nft\s+flush\s+ruleset)` + done,
			Level:   level.High, Reason: "The firewall is opened or its rules are removed", Reversible: true,
		},
		{
			Name:    "cron_replace",
			Pattern: `(?:\A|[^\w.-])crontab\s+(?:-u\s+\w+\s+)?-r` + done + `|\|\s*crontab\s+-` + done,
			Level:   level.High, Reason: "The list of scheduled jobs is replaced or removed",
		},
	}, moreExtended()...))
})
