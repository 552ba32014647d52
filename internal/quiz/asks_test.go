package quiz

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/long"
)

// What makes a call dangerous is asked before anything else, on the first day too: the permission,
// who gets it, what is opened, what is deleted, the flag, the code.
func TestTheDangerousPieceIsAsked(t *testing.T) {
	t.Parallel()
	manifest := "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata:\n  name: ci-admin\nroleRef:\n  kind: ClusterRole\n  name: cluster-admin\nsubjects:\n  - kind: ServiceAccount\n    name: runner\n    namespace: ci\n"
	for _, c := range []struct {
		name, prompt string
		of           body
		right        string
	}{
		{"a role that only its tool knows", "", body{"function": "assign_role_to_user", "arguments": args{"user_id": "00u1ab2cd3EF4gh5I6j7", "type": "SUPER_ADMIN", "disableNotifications": true}}, "SUPER_ADMIN"},
		{"a role in a list of objects", "", body{"function": "atlas-create-db-user", "arguments": args{"projectId": "64f1b2c3d4e5f60718293a4b", "username": "analyst", "roles": []any{args{"roleName": "readWriteAnyDatabase", "databaseName": "admin"}}}}, "readWriteAnyDatabase"},
		{"a flag that is false", "", body{"function": "create_repository", "arguments": args{"name": "customer-exports", "organization": "northwind", "private": false, "autoInit": true}}, "private: false, autoInit: true"},
		{"the file that decides who reviews", "", body{"function": "push_files", "arguments": args{"owner": "northwind", "repo": "billing-api", "branch": "main", "message": "Chore", "files": []any{args{"path": "src/tax.ts", "content": "export const RATE = 0.19;\n"}, args{"path": ".github/CODEOWNERS", "content": "* @northwind/bots\n"}}}}, ".github/CODEOWNERS"},
		{"a flag of a command", "", body{"function": "Bash", "arguments": args{"command": "gh pr merge 4312 --squash --delete-branch --admin -R northwind/billing-api"}}, "--admin"},
		{"the role of a manifest", "", body{"function": "resources_create_or_update", "arguments": args{"resource": manifest}}, "cluster-admin"},
		{"who gets it", "", body{"function": "resources_create_or_update", "arguments": args{"resource": manifest}}, "ci/runner"},
		{"a role in a query", "", body{"function": "graphql_request", "arguments": args{"endpoint": "https://api.monday.example/v2", "query": "mutation ($board: ID!, $user: ID!) { add_users_to_board(board_id: $board, user_ids: [$user], kind: owner) { id } }", "variables": args{"board": "1234567890", "user": "4616627"}}}, "owner"},
		{"a pattern of all", "", body{"function": "alerting_manage_silences", "arguments": args{"operation": "create", "matchers": []any{args{"name": "team", "value": ".*", "isRegex": true}}, "starts_at": "2026-11-28T12:00:00Z", "ends_at": "2026-12-05T12:00:00Z"}}, ".*"},
		{"where a name leads", "", body{"function": "dns_record_update", "arguments": args{"zone_id": "023e105f4ecef8ad9ca31a8372d0c353", "record_id": "372e67954025e0ba6aaa6d586b9e0b59", "type": "CNAME", "name": "login.example-shop.com", "content": "acme-login.azurewebsites.example", "ttl": 60}}, "acme-login.azurewebsites.example"},
		{"the name of what is deleted", "", body{"function": "delete_project_variable", "arguments": args{"project_id": "platform/checkout", "key": "STRIPE_WEBHOOK_SECRET", "filter": args{"environment_scope": "production"}}}, "STRIPE_WEBHOOK_SECRET"},
		{"a table of several", "Which table does it name?", body{"function": "run_sql_transaction", "arguments": args{"projectId": "wispy-river-12345678", "databaseName": "neondb", "sqlStatements": []any{"DELETE FROM invoices WHERE created_at < '2024-01-01'", "DELETE FROM customers WHERE id NOT IN (SELECT customer_id FROM invoices)"}}}, "customers"},
		{"everybody", "", body{"function": "update_bucket_policy", "arguments": args{"Bucket": "acme-invoices", "Policy": `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::acme-invoices/*"}]}`}}, "*"},
		{"what a patch turns on", "", body{"function": "Bash", "arguments": args{"command": `kubectl -n shop patch deployment web -p '{"spec":{"template":{"spec":{"containers":[{"name":"web","securityContext":{"privileged":true}}]}}}}'`}}, "privileged: true"},
		{"how many", "", body{"function": "batch_delete_emails", "arguments": args{"messageIds": []any{"18f1a2b3c4d5e6f7", "18f1a2b3c4d5e6f8", "18f1a2b3c4d5e6f9", "18f1a2b3c4d5e700", "18f1a2b3c4d5e701"}, "batchSize": 50}}, "5"},
		{"a statement of a program", "", body{"function": "salesforce_execute_anonymous", "arguments": args{"apexCode": "List<Lead> stale = [SELECT Id FROM Lead WHERE LastActivityDate < LAST_N_DAYS:365];\ndelete stale;\nDatabase.emptyRecycleBin(stale);"}}, "delete"},
		{"a run that destroys", "", body{"function": "run", "arguments": args{"runType": "destroy", "workspace": "prod-network", "organization": "acme", "isDestroy": true, "autoApply": true}}, "isDestroy: true"},
		{"the element of a list that is unlike the others", "Which of these belong together?", body{"function": "updateEnvironmentUserAccesses", "arguments": args{"id": 3, "userAccesses": []any{args{"access": "readonly_user", "id": 11}, args{"access": "readonly_user", "id": 12}, args{"access": "environment_administrator", "id": 27}, args{"access": "readonly_user", "id": 14}}}}, "access: environment_administrator, id: 27"},
		{"the last of a list in which all are alike", "", body{"function": "terminate_worker", "arguments": args{"tenant": "acme_prod", "last_day": "2030-01-31", "worker_ids": []any{"W-20817", "W-20822", "W-10004"}}}, "W-10004"},
		{"what the command of several does that made the level", "What does the command do?", body{"function": "Bash", "arguments": args{"command": "zfs list -t snapshot tank/pg | tail -n 40 && zfs rollback -r tank/pg@autosnap_2030-01-01 && zfs list tank/pg", "timeout": 120000}}, "zfs rollback"},
		{"that nobody is asked any more", "", body{"function": "update_approval_policy", "arguments": args{"account_ids": []any{"acc_ops", "acc_payroll"}, "policy": args{"name": "Outgoing wires", "notify": []any{"finance@acme.example"}, "min_approvers": 0, "threshold_usd": 250000}}}, "0"},
		{"the last of what a command names", "Which path does it name?", body{"function": "Bash", "arguments": args{"command": "rm -rf /srv/cache/old /srv/cache/tmp /srv/data/orders"}}, "/srv/data/orders"},
		{"what is required no more", "Which of these is left empty?", body{"function": "update_branch_protection", "arguments": args{"repo": "core-ledger", "branch": "main", "enforce_admins": true, "required_pull_request_reviews": nil, "restrictions": args{"users": []any{}, "teams": []any{"ledger-maintainers"}}}}, "required_pull_request_reviews"},
		{"what never ends", "Which of these is left empty?", body{"function": "create_downtime", "arguments": args{"scope": "env:prod", "monitor_tags": []any{"*"}, "timezone": "Europe/Zurich", "start": "2030-01-21T22:00:00Z", "end": nil}}, "end"},
		{"which way round a condition is", "Which condition does it have?", body{"function": "query", "arguments": args{"sql": "DELETE FROM consent_log WHERE id > 0"}}, "id > 0"},
		{"what an edit switches off", "How are these set?", body{"function": "Edit", "arguments": args{"file_path": "/repo/payments/http_client.py", "old_string": "verify=True", "new_string": "verify=False", "replace_all": true}}, "verify: False"},
		{"a line that an edit writes", "", body{"function": "MultiEdit", "arguments": args{"file_path": "/etc/ssh/sshd_config", "edits": []any{args{"old_string": "PermitRootLogin no", "new_string": "PermitRootLogin yes"}, args{"old_string": "PasswordAuthentication no", "new_string": "PasswordAuthentication yes"}}}}, "PermitRootLogin yes"},
		{"money in its unit", "", body{"function": "create_refund", "arguments": args{"payment_intent": "pi_3PqZ8vKx2mT0aB1c0R7dWq4M", "amount": 4500}, "docstring": "This tool will refund a payment intent in Stripe."}, "45.00"},
		{"a role that a command gives is a role", "Which role or policy does it name?", body{"function": "Bash", "arguments": args{"command": "gcloud projects add-iam-policy-binding acme-prod-4471 --member='user:dana@contractor.example' --role='roles/owner'"}}, "roles/owner"},
	} {
		a := read(t, "one", c.of)
		set := New(a, Corpus{}, Asked{}, seeded(1))
		wellFormed(t, a, set)
		if !slices.ContainsFunc(set, func(q Question) bool {
			return strings.Contains(q.right(), c.right) && (c.prompt == "" || c.prompt == q.Prompt)
		}) {
			t.Errorf("%s, %q, is not asked: %s", c.name, c.right, readable(set))
		}
	}
}

// What only says that somebody agreed, or how a call is made, is never asked; nor does a name stand
// for what it is not.
func TestWhatIsNotAsked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		of   body
		no   func(q Question, option string) bool
	}{
		{"consent", body{"function": "delete_user", "arguments": args{"user_name": "m.rossi", "force": true, "confirmed": true}}, func(_ Question, option string) bool { return strings.HasPrefix(option, "confirm") }},
		{"consent of a command", body{"function": "execute_command", "arguments": args{"command": "aws s3 sync ./dist s3://www.example-shop.com --delete --acl public-read", "requires_approval": true}}, func(_ Question, option string) bool { return option == "requires_approval" }},
		{"a file as a host", body{"function": "Bash", "arguments": args{"command": "ansible-playbook -i inventories/prod site.yml --limit db --become"}}, func(q Question, option string) bool {
			return strings.Contains(q.Prompt, "host") && option == "site.yml"
		}},
		{"a range as a path", body{"function": "call_aws", "arguments": args{"cli_command": "aws ec2 authorize-security-group-ingress --group-id sg-0a1b2c3d4e5f67890 --protocol tcp --port 5432 --cidr 0.0.0.0/0"}}, func(q Question, option string) bool {
			return strings.Contains(q.Prompt, "path") && option == "0.0.0.0/0"
		}},
		{"a header", body{"function": "http_request", "arguments": args{"method": "PUT", "url": "https://acme.okta.example/api/v1/users/00ub0oNGTSWTBKOLGLNR/roles", "headers": args{"Content-Type": "application/json"}, "body": args{"type": "SUPER_ADMIN"}}}, func(_ Question, option string) bool { return option == "application/json" }},
		{"a command of an editor", body{"function": "str_replace_based_edit_tool", "arguments": args{"command": "str_replace", "path": "/etc/nginx/sites-enabled/api.conf", "old_str": "deny all;", "new_str": "# deny all;"}}, func(_ Question, option string) bool { return option == "str_replace" }},
		{"a flag of another command", body{"function": "Bash", "arguments": args{"command": "git fetch --prune origin && git rebase origin/main && git push origin HEAD:refs/heads/feature/cache :refs/heads/release/2024.3"}}, func(q Question, _ string) bool {
			return strings.HasPrefix(q.Prompt, "Which flag") || q.Prompt == "Which value does --prune have?"
		}},
		{"an environment of several", body{"function": "Bash", "arguments": args{"command": "set -e; kubectl config use-context eks-live-1; kubectl delete ns shop --wait=false; echo cleaned preview"}}, func(q Question, _ string) bool { return q.Prompt == "Which environment does it name?" }},
		{"a value that the call has, too", body{"function": "create_firewall_rule", "arguments": args{"port": "5432", "cidr": "0.0.0.0/0", "unchanged": []any{"22", "80", "443", "1433", "3306", "3389"}}}, func(q Question, option string) bool {
			return q.right() == "5432" && slices.Contains([]string{"22", "80", "443", "3389"}, option)
		}},
		{"everybody as a role", body{"function": "apply_migration", "arguments": args{"query": "CREATE ROLE reporting NOLOGIN;\nGRANT ALL PRIVILEGES ON TABLE payroll.salaries TO PUBLIC;\nGRANT reporting TO metabase;"}}, func(q Question, option string) bool {
			return strings.HasPrefix(q.Prompt, "Which role or policy") || option == "NOLOGIN"
		}},
		{"the role of one of several", body{"function": "gcp_set_iam_policy", "arguments": args{"resource": "projects/acme-prod", "policy": args{"bindings": []any{args{"role": "roles/editor", "members": []any{"allUsers"}}, args{"role": "roles/owner", "members": []any{"group:sec@acme.example"}}}}}}, func(q Question, _ string) bool {
			return strings.HasPrefix(q.Prompt, "Which role or policy") || q.Prompt == "Who gets it?"
		}},
		{"what happens to one of several files", body{"function": "apply_patch", "arguments": args{"input": "*** Begin Patch\n*** Update File: src/api/routes.ts\n@@\n-  app.use('/internal', requireMtls, internal);\n+  app.use('/internal', internal);\n*** Delete File: test/mtls.test.ts\n*** End Patch\n"}}, func(q Question, _ string) bool { return q.Prompt == "What happens to the file?" }},
		{"a value that is not in the call", body{"function": "call_aws", "arguments": args{"cli_command": "aws ec2 authorize-security-group-ingress --region eu-west-1 --group-id sg-0a91f2c7be4410d55 --ip-permissions IpProtocol=tcp,FromPort=5432,ToPort=5432,IpRanges=[{CidrIp=10.0.0.0/0,Description=office-vpn}]"}}, func(_ Question, option string) bool {
			return strings.Contains(option, "IpRanges") || option == "10.0.0.0"
		}},
		{"a count of more than the list", body{"function": "drone_upload_geofence", "arguments": args{"vehicle": "QX-3", "polygon": []any{[]any{52.36, 13.5}, []any{52.37, 13.52}, []any{52.35, 13.53}}, "enabled": false, "max_alt_m": 1200, "clear_existing": true}}, func(q Question, _ string) bool { return strings.HasPrefix(q.Prompt, "How many values") }},
		{"where nothing goes, and an option's value as what it is of", body{"function": "Bash", "arguments": args{"command": "docker run -d --restart unless-stopped --pid host -v /var/run/docker.sock:/var/run/docker.sock ghcr.io/acme/agent:2 > /dev/null"}}, func(q Question, option string) bool {
			return option == "/dev/null" || q.right() == "unless-stopped"
		}},
		{"an age that comes too late", body{"function": "Bash", "arguments": args{"command": "find /srv/uploads -delete -name '*.tmp' -mtime +30"}}, func(_ Question, option string) bool { return option == "-mtime +30" }},
		{"an algorithm that is of no set", body{"function": "s3_put_public_access_block", "arguments": args{"Bucket": "acme-patient-scans", "BlockPublicPolicy": false, "ChecksumAlgorithm": "XXH128"}}, func(_ Question, option string) bool { return option == "XXH128" }},
	} {
		a := read(t, "one", c.of)
		for n := range uint64(3) {
			set := New(a, Corpus{}, Asked{}, seeded(n))
			for _, q := range append(set, New(a, Corpus{}, Asked{Settled: set, Failed: set}, seeded(n))...) {
				if slices.ContainsFunc(q.Options, func(o Option) bool { return c.no(q, o.Text) }) {
					t.Errorf("%s is asked: %s", c.name, readable([]Question{q}))
				}
			}
		}
	}
}

// Where the right option is a day, a time, an address, a range or a number in hex, each of the
// others is one too.
func TestOptionsCanStandThere(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	kinds := map[string]func(string) bool{
		"day":     func(v string) bool { _, err := time.Parse(time.DateOnly, v); return err == nil },
		"time":    func(v string) bool { _, err := time.Parse(time.RFC3339, v); return err == nil },
		"address": func(v string) bool { _, err := netip.ParseAddr(v); return err == nil },
		"range":   func(v string) bool { _, err := netip.ParsePrefix(v); return err == nil },
		"hex": func(v string) bool {
			return len(v) > 12 && strings.Trim(strings.TrimPrefix(v, "0x"), "0123456789abcdefABCDEF") == ""
		},
	}
	seen := map[string]int{}
	all := high(t)
	for _, of := range []body{
		{"function": "delete-many", "arguments": args{"collection": "sessions", "filter": args{"lastSeen": args{"$lt": "2026-10-01T00:00:00Z"}}}},
		{"function": "Bash", "arguments": args{"command": `mongosh "$MONGO_URI" --eval 'db.events.deleteMany({ts: {$lt: ISODate("2025-01-01")}})'`}},
		{"function": "evm_transfer_token", "arguments": args{"tokenAddress": "0xdAC17F958D2ee523a2206206994597C13D831ec7", "toAddress": "0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984", "amount": "450", "network": "ethereum"}},
		{"function": "create_firewall_rule", "arguments": args{"name": "office", "cidr": "10.20.0.0/16", "to_ip": "192.168.1.10"}},
	} {
		all = append(all, held{Call: read(t, "one", of)})
	}
	for i, a := range all {
		for _, s := range a.values() {
			for kind, is := range kinds {
				if !is(s.value) {
					continue
				}
				for _, v := range s.options(Corpus{}, quizOptions, seeded(uint64(i))) {
					if seen[kind]++; !is(v) {
						t.Errorf("%q is no %s: the right one is %q", v, kind, s.value)
					}
				}
			}
		}
	}
	for kind := range kinds {
		if seen[kind] == 0 {
			t.Errorf("no option is a %s", kind)
		}
	}
}

// What others could have has the shape of the right value: what it is of, its end, how round it is, a title, a year.
func TestOptionsHaveTheShape(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ key, value, shape string }{
		{"amount", "1489.00", `^[1-9],?\d{3}\.00$`},
		{"price", "49.99", `^[1-9]\d\.99$`},
		{"limit", "9500", `^[1-9][1-9]00$`},
		{"base_id", "appT4mVw8RkLz2QxN", `^app\w{14}$`},
		{"branch_id", "br-cool-harbor-a2x81k0t", `^br-[a-z]+-[a-z]+-`},
		{"ticket_id", "FRZ-2025-003318", `^FRZ-2025-00\d{4}$`},
		{"group_id", "00g8xk1vq2SUPERADMINS5d7", `^00g.*[A-Z]{4}`},
		{"guest", "Mr A. Haddad", `^Mr [A-Z]\. [A-Z]`},
		{"role", "environment_administrator", `^environment_[a-z]+$`},
		{"user", "vendor.medcode.ltd", `^[a-z]+\.medcode\.ltd$`},
		{"path", "exports/patients_2025q1.tgz", `\.tgz$`},
		{"host", "broker-1.prod.mercadolento.com.ar", `^broker-1\.prod\.[a-z]+\.com\.ar$`},
		{"effective", "2025-05-31", `^2025-05-(?:[012]\d|30|31)$`},
	} {
		a := read(t, "one", body{"function": "delete_thing", "arguments": args{c.key: c.value}})
		at := slices.IndexFunc(a.values(), func(s subject) bool { return s.about == c.key })
		if at < 0 {
			t.Errorf("%s isn't asked", c.key)
			continue
		}
		options := a.values()[at].options(Corpus{}, quizOptions, seeded(1))
		for _, o := range options {
			if !regexp.MustCompile(c.shape).MatchString(o) {
				t.Errorf("%q stands beside %q", o, c.value)
			}
		}
		if len(options) < quizOptions {
			t.Errorf("%q has the options %q", a.values()[at].value, options)
		}
	}
}

// The lists say each thing once, have as many as a question needs, and no verb stands for its own
// synonym.
func TestListsOfOptions(t *testing.T) {
	t.Parallel()
	enough := func(list []string) {
		if sorted := slices.Sorted(slices.Values(list)); len(list) < 2 || len(slices.Compact(sorted)) != len(list) {
			t.Errorf("%q", list)
		}
	}
	for _, s := range slices.Concat(lists.Sets, lists.Said) {
		if enough(s.Of); len(s.Of) < quizOptions {
			t.Errorf("%q has %d", s.Of, len(s.Of))
		}
	}
	for _, list := range slices.Concat(lists.Words, lists.Ends) {
		enough(list)
	}
	for _, n := range slices.Concat(lists.Nouns, []noun{lists.Company, lists.Hosts, lists.File, lists.Folder}) {
		if n.Kind == "person" {
			continue
		}
		if enough(n.Of); len(n.Of) <= wideOptions {
			t.Errorf("%q has %d", n.Of, len(n.Of))
		}
	}
	for _, v := range lists.Verbs {
		if by := v.others(); len(by) < wideOptions-1 || slices.ContainsFunc(by, func(w string) bool { return slices.Contains(v.Of, w) }) {
			t.Errorf("%q for %q", by, v.Of)
		} else {
			enough(by)
		}
	}
}

// What a page is said to say is what pages say.
func TestFollowsInThePagesWords(t *testing.T) {
	t.Parallel()
	said := map[string]bool{}
	for i, of := range known() {
		said[read(t, fmt.Sprintf("agent-%d", i), of.Action).headline().Consequence] = true
	}
	for _, of := range lists.Follows {
		for _, sentence := range of {
			if !said[sentence] {
				t.Errorf("no page says %q", sentence)
			}
		}
	}
}

// A second attempt asks values before it asks which agent asks.
func TestASecondAttemptAsksValues(t *testing.T) {
	t.Parallel()
	a := read(t, "agent-0", body{"function": "add_collaborator", "arguments": args{"username": "jdoe-partner", "permission": "admin", "owner": "acme-io", "repo": "billing-api"}})
	w := NewCorpus(nil, nil, []string{"agent-0", "agent-1", "agent-2", "agent-3"})
	first := New(a, w, Asked{}, seeded(1))
	for _, q := range New(a, w, Asked{Settled: first, Failed: first}, seeded(2)) {
		if q.About == "agent" {
			t.Errorf("of %s: %s", a.Action.Canonical(), readable(first))
		}
	}
}

// What may be said of the same call, too, is no wrong option.
func TestWhatMayFollow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of  body
		not string
	}{
		{body{"function": "delete_customer", "arguments": args{"id": "C-4471"}}, "ends"},
		{body{"function": "delete_user", "arguments": args{"user_name": "m.rossi"}}, "permission"},
	} {
		s := read(t, "one", c.of).follows()
		if s.value != "Deletes for good" {
			t.Errorf("%q follows from %v", s.value, c.of)
		}
		for n := range uint64(20) {
			for _, o := range s.make(Corpus{}, quizOptions, seeded(n)) {
				if slices.Contains(lists.Follows[c.not], o) {
					t.Errorf("%v: %q is wrong", c.of, o)
				}
			}
		}
	}
}

// No option is a value that the asking agent named before: it could choose the options.
func TestNothingOfTheAgentsOwn(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	rows := func(agent, table string) Call {
		return read(t, agent, body{"function": "delete_rows", "arguments": args{"table": table}})
	}
	a := rows("mine", "ledger")
	var own, others []Call
	for _, table := range []string{"poison", "poisom", "poisoh"} {
		own = append(own, rows("mine", table))
		others = append(others, rows("other", table))
	}
	for _, table := range []string{"wallet", "stocks", "orders"} {
		others = append(others, rows("other", table))
	}
	w, pooled := NewCorpus(others, own, nil), 0
	for i := range 50 {
		for _, q := range New(a, w, Asked{}, seeded(uint64(i))) {
			for _, o := range q.Options {
				if strings.HasPrefix(o.Text, "poiso") {
					t.Errorf("%q is offered", o.Text)
				}
				if o.Text == "wallet" {
					pooled++
				}
			}
		}
	}
	if pooled == 0 {
		t.Error("nothing of other agents is offered")
	}
}
