package rules

import "github.com/countersign/countersign/internal/scoring/level"

// secrets are files that hold keys or passwords.
const secrets = `(?:/etc/(?:g?shadow|sudoers)|[\w./~-]*\.ssh/id_(?:rsa|dsa|ecdsa|ed25519)|[\w./~-]*\.aws/credentials|[\w./~-]*\.(?:netrc|pgpass|git-credentials)|(?:[\w.~-]*/)*\.env(?:\.(?:local|production|prod))?|/proc/(?:self|\d+)/environ)`

// moreExtended are the rules about code, accounts, storage and what stays behind.
func moreExtended() []Rule {
	return []Rule{
		{
			Name: "code_file_delete", refines: "file_delete",
			Pattern: `\b(?:os\.(?:remove|unlink|rmdir|removedirs)\(\s*[\w'"(]|shutil\.rmtree\(\s*[\w'"(]|Path\([^)\n]{1,200}\)\.(?:unlink|rmdir)\(|fs\.(?:promises\.)?(?:unlink|rm|rmdir)(?:Sync)?\(\s*[\w'"` + "`" + `]|os\.RemoveAll\([\w"` + "`" + `]|FileUtils\.rm(?:_rf?)?[\s(])`,
			Level:   level.High, Reason: "A program deletes files",
		},
		{
			Name:    "windows_recursive_delete",
			Pattern: `\b(?:Remove-Item\s+[^\n;|]*-Recurse|(?:rd|rmdir|del|erase)\s+(?:/[a-z]\s+)*/s)` + done,
			Level:   level.Critical, Reason: "A command deletes a directory with everything in it",
		},
		{
			Name:    "code_eval",
			Pattern: `(?:\A|[^\w.'"-])(?:eval|exec|execfile|__import__)\(\s*[\w"'(f]`,
			Level:   level.Medium, Reason: "A program runs text as code",
		},
		{
			Name:    "code_deserialise",
			Pattern: `\b(?:c?pickle\.loads?|marshal\.loads?|dill\.loads?|joblib\.load|yaml\.unsafe_load|shelve\.open|unserialize)\(\s*[\w"'$(]`,
			Level:   level.High, Reason: "Data is read in a form that can run code",
		},
		{
			Name:    "variable_inspection",
			Pattern: `(?:\A|[^\w.])(?:globals|locals|vars|dir)\(\s*[\w.]*\s*\)`,
			Level:   level.Low, Reason: "The variables of a program are inspected", Reversible: true,
		},
		{
			Name: "remote_shell",
			Pattern: `\b(?:ssh\s+` + options + `(?:-[a-z]\s+\S+\s+)*[\w.-]+@[\w.-]+|sftp\s+` + options + `[\w.-]+@[\w.-]+|` +
				`scp\s+` + options + `(?:-[a-z]\s+\S+\s+)*` + operands + `(?:[\w.-]+@)?[\w.-]+:[\w./~])`,
			Level: level.Medium, Reason: "Another machine is signed in to, or files are copied to or from it", Reversible: true,
		},
		{
			Name: "package_install", refines: "pip_install",
			Pattern: `\b(?:pip3?\s+install\s+(?:-\S+\s+)*[\w@./-]|(?:npm|pnpm)\s+(?:install|i|add)\s+(?:-\S+\s+)*[@\w./][\w./@-]+|yarn\s+(?:global\s+)?add\s+[@\w]|` +
				`(?:apt|apt-get|dnf|yum|zypper)\s+(?:-\S+\s+)*install\s+(?:-\S+\s+)*\w|apk\s+add\s+(?:-\S+\s+)*\w|pacman\s+-S\w*\s+\w|brew\s+(?:install|cask\s+install)\s+\w|` +
				`gem\s+install\s+\w|cargo\s+install\s+[\w-]|go\s+install\s+[\w./@-]+@|conda\s+install\s+(?:-\S+\s+)*\w|composer\s+(?:global\s+)?require\s+\w+/)`,
			Level: level.Medium, Reason: "Packages are installed", Reversible: true,
		},
		{
			Name:    "service_persistence",
			Pattern: `\b(?:systemctl\s+` + options + `(?:enable|link)\s+(?:-\S+\s+)*[\w@./-]|launchctl\s+(?:load|bootstrap)\s+\S|update-rc\.d\s+\S+\s+(?:defaults|enable)|schtasks(?:\.exe)?\s+/create\s)`,
			Level:   level.Medium, Reason: "A program is set to start automatically", Reversible: true,
		},
		{
			Name:    "startup_file_write",
			Pattern: `(?:>{1,2}|\|\s*(?:sudo\s+)?tee\s+(?:-a\s+)?)\s*["']?(?:/etc/(?:cron|profile|rc\.local|systemd/system/|ld\.so\.preload|sudoers)|/var/spool/cron|(?:~|\$HOME|/root|/home/[\w.-]+)/\.(?:bashrc|bash_profile|profile|zshrc|ssh/authorized_keys))`,
			Level:   level.High, Reason: "A file that later runs commands or lets people in is written", Reversible: true,
		},
		{
			Name:    "store_flush",
			Pattern: `\b(?:redis-cli\s+` + operands + `flush(?:all|db)|\w+\.dropDatabase\(\s*\)|dropdb\s+(?:-\S+\s+)*[\w"'-]|mysqladmin\s+` + operands + `drop\s+\w)`,
			Level:   level.Critical, Reason: "A database or a whole store is emptied or dropped",
		},
		{
			Name:    "sql_drop_column",
			Pattern: `\bALTER\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?` + table + `\s+DROP\s+(?:COLUMN|PARTITION)\s+["'\[` + "`" + `]?\w`,
			Level:   level.High, Reason: "A column or a partition is dropped with its data",
		},
		{
			Name:    "sql_grant_all",
			Pattern: `\bGRANT\s+(?:ALL(?:\s+PRIVILEGES)?|SUPER)\s+ON\s+[\w*."'` + "`" + `]+(?:\s+[\w*."'` + "`" + `]+){0,4}?\s+TO\s+["'` + "`" + `]?\w`,
			Level:   level.High, Reason: "Someone is given every right on data", Reversible: true,
		},
		{
			Name:    "secret_file_read",
			Pattern: `\b(?:cat|less|more|head|tail|strings|base64|xxd|od|cp|scp|tar)\s+(?:` + operand + `\s+){0,6}?["']?` + secrets + done,
			Level:   level.High, Reason: "A file of keys or passwords is read", Reversible: true,
		},
		{
			Name:    "git_history_rewrite",
			Pattern: git + `(?:(?:filter-branch|filter-repo)\s+-|reflog\s+(?:expire|delete)\s+-|update-ref\s+-d\s+\S)`,
			Level:   level.High, Reason: "The history of a repository is rewritten",
		},
		{
			Name:    "git_discard",
			Pattern: git + `(?:checkout\s+(?:-f\s+)?--\s+[\w.*/]|restore\s+` + options + `[.*]|stash\s+(?:clear|drop))` + done,
			Level:   level.Medium, Reason: "Uncommitted or stashed changes are discarded",
		},
		{
			Name: "recovery_delete",
			Pattern: `\b(?:vssadmin(?:\.exe)?\s+delete\s+shadows|wbadmin(?:\.exe)?\s+delete\s|wmic(?:\.exe)?\s+shadowcopy\s+delete|tmutil\s+delete(?:localsnapshots)?\s+\S|` +
				`borg\s+delete\s+\S|restic\s+` + operands + `forget\s+\S+\s+` + operands + `--prune)`,
			Level: level.Critical, Reason: "The backups a machine is restored from are deleted",
		},
		{
			Name: "storage_destroy",
			Pattern: `\b(?:zpool\s+(?:destroy|labelclear)\s+\S|zfs\s+destroy\s+\S|(?:lv|vg|pv)remove\s+\S|mdadm\s+` + operands + `--zero-superblock` +
				`|cryptsetup\s+` + options + `(?:luksFormat|luksErase|erase)\s+\S)`,
			Level: level.Critical, Reason: "A storage pool, volume or its encryption header is destroyed",
		},
		{
			Name:    "account_remove",
			Pattern: `\b(?:(?:userdel|deluser)\s+` + options + `[a-z_][\w-]*|net\s+user\s+\S+\s+/delete|Remove-(?:LocalUser|ADUser)\s+[\w-]+)` + done,
			Level:   level.High, Reason: "An account of a machine is removed",
		},
		{
			Name: "reverse_shell",
			Pattern: `\b(?:(?:ba|z)?sh\s+-i\s*[0-9]?>&?\s*/dev/(?:tcp|udp)/|(?:nc|ncat|netcat)\s+` + operands + `-[a-z]*[ec]\s*(?:/(?:usr/)?bin/)?(?:ba|z)?sh` +
				`|socat\s+` + operands + `exec:["']?(?:/bin/)?(?:ba)?sh)`,
			Level: level.Critical, Reason: "A shell is opened for another machine",
		},
		{
			Name: "encoded_shell",
			Pattern: `\b(?:base64\s+` + options + `(?:-d|--decode)[^\n;&]{0,120}?\|\s*(?:sudo\s+)?(?:[\w./-]*/)?(?:(?:ba|z|da)?sh|python[\d.]*|perl|ruby|node)` +
				`|(?:powershell|pwsh)(?:\.exe)?\s+` + operands + `-e(?:nc|ncodedcommand)?\s+[a-z0-9+/=]{24,})` + done,
			Level: level.Critical, Reason: "An encoded program is run, so no one can read it",
		},
	}
}
