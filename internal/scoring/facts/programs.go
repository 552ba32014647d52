package facts

import (
	"path"
	"slices"
	"strings"
)

// class says how the operands of a program are read.
type class int

const (
	looks    class = iota // what looks like a path, a URL or a bucket
	paths                 // each is a path
	owned                 // the first is a mode or owner, the others are paths
	things                // each is a thing, of the program's label
	disk                  // dd: of= is written, if= is read
	printed               // text
	code                  // -c or -e is a program
	script                // a shell; its command line is read for itself
	finding               // find
	versions              // git
	cluster               // kubectl
	release               // helm
	images                // docker
	plans                 // terraform
	cloud                 // aws, gcloud, az, gh
	services              // systemctl verb name
	service               // service name verb
	packages              // npm, pip
	database              // psql, mysql
	login                 // ssh
	copying               // scp, rsync
	web                   // curl, wget
	hosts                 // the first operand is a host
	schedule              // crontab
)

// program is what is known about a program.
type program struct {
	name   string
	risk   int // how much it can destroy, on the scale of sqlVerbs
	class  class
	label  string // of things
	values list   // options that take a value
}

// programs are those that are known.
var programs = func() map[string]*program {
	all := map[string]*program{}
	for _, group := range []struct {
		names string
		program
	}{
		{"rm rmdir unlink shred wipefs truncate srm remove-item", program{risk: 6, class: paths, values: listOf("-s --size -n --iterations")}},
		{"dd", program{risk: 6, class: disk}},
		{"mkfs fdisk parted", program{risk: 6, class: looks, values: listOf("-t -L")}},
		{"kill killall pkill", program{risk: 4, class: things, label: "process", values: listOf("-s --signal -u")}},
		{"shutdown reboot halt poweroff iptables nft ufw", program{risk: 4}},
		{"crontab", program{risk: 4, class: schedule, values: listOf("-u")}},
		{"userdel deluser useradd adduser usermod passwd chage", program{
			risk: 4, class: things, label: "user",
			values: listOf("-G -aG --groups -g --gid -u --uid -s --shell -d --home -p --password -c --comment -e --expiredate -l -L"),
		}},
		{"groupdel groupadd groupmod", program{risk: 4, class: things, label: "group", values: listOf("-g --gid -n")}},
		{"dropdb createdb pg_dump pg_restore mysqldump", program{risk: 4, class: database, values: listOf("-h --host -p --port -U --username -u --user -d --dbname -f --file")}},
		{"mv cp ln", program{risk: 3, class: paths, values: listOf("-t --target-directory -S --suffix")}},
		{"chmod chown chgrp", program{risk: 3, class: owned, values: listOf("--reference")}},
		{"systemctl", program{risk: 3, class: services, values: listOf("-H --host -M --machine -t --type -p")}},
		{"service", program{risk: 3, class: service}},
		{"git", program{risk: 3, class: versions, values: listOf("-C -c -m --message --git-dir --work-tree --repo -b -B -o --push-option --author --depth")}},
		{"docker podman docker-compose", program{risk: 3, class: images}},
		{"kubectl oc", program{
			risk: 3, class: cluster,
			values: listOf("-n --namespace -f --filename -l --selector -o --output --context --cluster --kubeconfig -c --container -p --patch --image " +
				"--replicas --timeout --grace-period --field-selector --type -k --kustomize --token --user --server -s"),
		}},
		{"helm", program{risk: 3, class: release, values: listOf("-n --namespace -f --values --set --set-string --version --kube-context --timeout --repo")}},
		{"terraform tofu terragrunt pulumi", program{
			risk: 3, class: plans,
			values: listOf("-target --target -var -var-file -state -state-out -out -lock-timeout -parallelism -replace --stack -s"),
		}},
		{"aws gcloud az gh glab gsutil doctl heroku flyctl vercel netlify ibmcloud oci bq", program{risk: 3, class: cloud}},
		{"psql mysql mariadb sqlite3 mongosh mongo redis-cli sqlcmd clickhouse-client cqlsh duckdb mysqladmin", program{
			risk: 3, class: database,
			values: listOf("-c --command -e --execute --eval -Q -q --query -f --file -h --host -p --port -P -U --username -u --user -d --dbname -D " +
				"--database -S -i -o --output -v --set -n -a"),
		}},
		{"ansible ansible-playbook", program{risk: 3, class: hosts, values: listOf("-m -a -i -l --limit -u -e --extra-vars -t --tags -f")}},
		{"mount umount", program{risk: 3, values: listOf("-o -t")}},
		{"bash sh zsh dash ksh su runuser pwsh powershell cmd", program{risk: 2, class: script, values: listOf("-o -s -g -G")}},
		{"eval", program{risk: 2}},
		{"python python3 node perl ruby php deno bun", program{risk: 2, class: code, values: listOf("-m -W")}},
		{"ssh", program{risk: 2, class: login, values: listOf("-i -p -l -o -L -R -D -F -J -E -b -c -m -W")}},
		{"scp rsync sftp", program{risk: 2, class: copying, values: listOf("-i -P -o -F -J -e --rsh --exclude --include --exclude-from --bwlimit -c -l -S")}},
		{"curl", program{
			risk: 2, class: web,
			values: listOf("-X --request -d --data --data-raw --data-binary --data-urlencode --json -H --header -o --output -u --user -F --form -T --upload-file " +
				"-A --user-agent -e --referer -b --cookie -c --cookie-jar --url -x --proxy -K --config -m --max-time --retry -w --write-out --resolve " +
				"--cacert --cert -E --key --connect-timeout"),
		}},
		{"wget", program{risk: 2, class: web, values: listOf("-O --output-document -P --directory-prefix --post-data --post-file --body-data --header --method -o -i -U --user --password -e")}},
		{"nc ncat telnet ftp ping dig host nslookup nmap traceroute", program{risk: 2, class: hosts, values: listOf("-p -w -s -c -i -e -t")}},
		{"npm npx pnpm yarn pip pip3 apt apt-get yum dnf apk brew cargo gem twine poetry uv", program{
			risk: 2, class: packages,
			values: listOf("--tag --registry --access -r --requirement -i --index-url --extra-index-url --prefix -C --repository --otp -t --target"),
		}},
		{"find", program{risk: 2, class: finding}},
		{"tee touch mkdir stat install", program{risk: 2, class: paths, values: listOf("-m --mode -o -g -d --date")}},
		{"sed", program{risk: 2, class: owned, values: listOf("-e -f --expression --file")}},
		{"tar unzip zip go make source", program{risk: 2}},
		{"cat head tail less more", program{risk: 1, class: paths, values: listOf("-n -c --lines --bytes")}},
		{"echo printf", program{risk: 1, class: printed}},
		{"ls grep rg awk cut sort uniq wc cd pwd df du ps top date id whoami uname file test diff which set export unset", program{risk: 1}},
	} {
		for name := range strings.FieldsSeq(group.names) {
			p := group.program
			p.name = name
			all[name] = &p
		}
	}
	return all
}()

// destroying are the words of subcommands that destroy; harmless are those that
// change nothing.
var (
	destroying = listOf("rm rmi rb delete destroy prune purge uninstall remove drop clean terminate unpublish down kill del flushall flushdb " +
		"deregister wipe erase schedule-key-deletion delete-stack")
	harmless = listOf("get describe list ls show status log diff plan logs version help info inspect top history ps search images")
)

// destroys reports whether the word of a subcommand says that it destroys, and isHarmless
// whether it says that it changes nothing: it may stand before a hyphen.
func destroys(word string) bool {
	first, _, _ := strings.Cut(word, "-")
	return destroying.has(first) || len(first) < len(word) && destroying.has(word)
}

func isHarmless(word string) bool {
	first, _, _ := strings.Cut(word, "-")
	return harmless.has(first) || len(first) < len(word) && harmless.has(word)
}

// nothing is what is known about any other program.
var nothing = &program{}

// findProgram is the name of a program without its folder and in lower case, and what
// is known about it; mkfs.ext4 is mkfs.
func findProgram(text string) (name string, p *program, known bool) {
	name = path.Base(strings.ReplaceAll(text, `\`, "/"))
	if strings.HasPrefix(name, "mkfs.") {
		name = "mkfs"
	}
	lower := strings.ToLower(name)
	for _, name := range []string{lower, strings.TrimSuffix(lower, ".exe")} {
		if p := programs[name]; p != nil {
			return p.name, p, true
		}
	}
	return name, nothing, false
}

// knownProgram reports whether a word names a known program.
func knownProgram(text string) bool {
	if text == "" {
		return false
	}
	_, _, known := findProgram(text)
	return known || slices.Contains([]string{"sudo", "doas", "env", "nohup", "time", "timeout", "xargs", "chroot"}, text)
}

// list is a list of words.
type list map[string]bool

// listOf is the list of words between spaces.
func listOf(words string) list {
	all := list{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}

// has reports whether a word stands in the list.
func (l list) has(word string) bool { return l[word] }

// hasWord reports whether a word stands in a list between spaces.
func hasWord(list, word string) bool {
	if word == "" || strings.IndexByte(word, ' ') >= 0 {
		return false
	}
	for at := 0; ; at++ {
		n := strings.Index(list[at:], word)
		if n < 0 {
			return false
		}
		at += n
		end := at + len(word)
		if (at == 0 || list[at-1] == ' ') && (end == len(list) || list[end] == ' ') {
			return true
		}
	}
}
