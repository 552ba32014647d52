package approvals

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A town is what one tenant's actions are made of: its own services, people and
// customs, so that no two tenants look alike.
type town struct {
	r                                     *rand.Rand
	services, hosts, buckets, tables      []string
	people, companies, branches, channels []string
	agents, environments, currencies      []string
	userID, invoiceID, accountID          string // formats
}

// words of several trades and scripts; few of them stand in the console's own lists.
const (
	serviceWords = "checkout search billing auth ledger kestrel payments inventory-sync webhook-relay mailer geo-lookup recommender pricing-engine fraudwatch thumbnailer orders catalogue identity session-store notifier etl-loader scheduler reporting tax-calc edge-proxy"
	givenNames   = "dana mei oskar priya tomas lena farid ruth jürgen siobhan kwame ximena bartholomew li ngozi anastasia jo hiroshi pádraig wei"
	surnames     = "wheeler tanaka lind shah novak braun aziz cole papadopoulos ng o-brien castellanos vanderberg ito singh krzyzewski"
	domains      = "example.com example.org corp.example mail.example.net northwind.example acme.test globex.example"
	companyWords = "Northwind|Globex GmbH|Initech|Umbrella AG|Contoso Ltd|Ørsted Varme|Müller & Söhne|Łódź Tekstyl|Société Générale d'Eau|株式会社東都|ООО Ромашка|شركة النور|Vandelay Industries|Wayne Ent.|Hooli|Pied Piper|Stark Logistics|Soylent|Tyrell|Cyberdyne Sys"
	tableWords   = "orders users invoices contacts sessions crm.contacts billing.invoices hr.audit shipments line_items public.accounts audit_log payment_methods tmp_import_2024 stock_levels app.events refunds"
	hostWords    = "db-prod-1 db-prod-2 web-eu-1 web-us-2 cache-03 kafka-broker-7 bastion api.internal.example queue01.example k8s-node-14 build-runner mx1.example.org"
)

func newTown(seed uint64) *town {
	r := seeded(seed)
	some := func(words string, n int) []string {
		all := strings.Fields(words)
		if strings.Contains(words, "|") {
			all = strings.Split(words, "|")
		}
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		return all[:min(n, len(all))]
	}
	w := &town{
		r: r, services: some(serviceWords, 4+r.IntN(12)), hosts: some(hostWords, 3+r.IntN(8)), tables: some(tableWords, 4+r.IntN(10)),
		companies: some(companyWords, 5+r.IntN(14)), branches: some("main develop release/4.17 release/4.18 hotfix/login feature/new-checkout trunk staging", 3+r.IntN(5)),
		channels: some("#releases #ops #sales #incident-room #general #finance-eu", 2+r.IntN(4)), buckets: some("media-archive prod-backups customer-exports raw-logs ml-training static-assets", 2+r.IntN(4)),
		agents:       some("support-triage db-janitor release-pilot finance-bot crm_sync Outreach-7 ops.helper", 1+r.IntN(6)),
		environments: some("production staging development", 3), currencies: some("EUR USD GBP JPY CHF PLN", 1+r.IntN(3)),
		userID: some("usr_%03d|user-%05d|U%06d|cus_%d", 1)[0], invoiceID: some("INV-2026-%04d|inv_%05d|R%07d", 1)[0], accountID: some("acc_%04d|DE%08d|%06d", 1)[0],
	}
	for range 6 + r.IntN(30) {
		w.people = append(w.people, strings.Join(some(givenNames, 1), "")+"."+some(surnames, 1)[0]+"@"+some(domains, 1)[0])
	}
	return w
}

// often picks as things come in life: some again and again, most seldom.
func (w *town) often(all []string) string {
	weight := 0.0
	for i := range all {
		weight += 1 / float64(i+2)
	}
	at := w.r.Float64() * weight
	for i, v := range all {
		if at -= 1 / float64(i+2); at <= 0 {
			return v
		}
	}
	return all[len(all)-1]
}

func (w *town) id(format string) string { return fmt.Sprintf(format, 1+w.r.IntN(99999)%999) }

// sum is an amount as people name them: many small ones, a third of them round.
func (w *town) sum() any {
	n := int(float64(10) * pow10(w.r.Float64()*4))
	switch w.r.IntN(6) {
	case 0, 1:
		return max(10, n/100*100)
	case 2:
		return float64(n) + float64(w.r.IntN(100))/100
	case 3:
		return float64(n) - 0.01
	}
	return n
}

// pow10 is 10 to the x, for x of 0 to 4.
func pow10(x float64) float64 {
	v := 1.0
	for ; x >= 1; x-- {
		v *= 10
	}
	return v * (1 + x*(1.4+x*(0.6+6*x))) // 1 to 10, near enough
}

// small is a count: mostly a few.
func (w *town) small() int { return 1 + int(20*w.r.Float64()*w.r.Float64()*w.r.Float64()) }

// act proposes one action of this tenant.
func (w *town) act(t *testing.T, id string) Approval {
	t.Helper()
	return proposed(t, id, w.often(w.agents), w.body())
}

func (w *town) body() body {
	r := w.r
	env, service, table := w.often(w.environments), w.often(w.services), w.often(w.tables)
	user, mail, host := w.id(w.userID), w.often(w.people), w.often(w.hosts)
	path := func() string {
		return []string{
			fmt.Sprintf("/backups/crm-%d.dump", r.IntN(3000)), fmt.Sprintf("/srv/exports/%d/%02d", 2020+r.IntN(7), 1+r.IntN(12)),
			"/etc/" + service + "/config.yaml", "/home/" + strings.Split(mail, ".")[0] + "/report.pdf", "/var/log/" + service + ".log", "/data/" + table + ".csv",
		}[r.IntN(6)]
	}
	day := fmt.Sprintf("2026-%02d-%02dT%02d:%02d:00Z", 1+r.IntN(12), 1+r.IntN(28), r.IntN(24), 15*r.IntN(4))
	switch r.IntN(26) {
	case 0:
		return body{"function": "delete_user", "arguments": args{"user_id": user, "env": env, "documents": r.IntN(900), "account": mail}}
	case 1:
		return body{"function": "send_email", "arguments": args{"to": mail, "subject": "Hello", "template": w.often([]string{"goodbye", "welcome", "reminder", "invoice", "survey"}), "channel": w.often(w.channels)}}
	case 2, 3:
		return body{"function": "transfer_funds", "arguments": args{"recipient": w.often(w.companies), "amount": w.sum(), "currency": w.often(w.currencies), "account": w.id(w.accountID)}}
	case 4:
		return body{"function": "run_sql", "arguments": args{"database": w.often(w.buckets), "statement": fmt.Sprintf("DELETE FROM %s WHERE id < %d LIMIT %d", table, r.IntN(5000), 1+r.IntN(500)), "env": env}}
	case 5:
		return body{"function": "run_sql", "arguments": args{"statement": fmt.Sprintf("UPDATE %s SET status = 'void' WHERE customer = '%s'", table, user), "database": service}, "environment": env}
	case 6:
		return body{"function": "deploy_service", "arguments": args{"service": service, "version": fmt.Sprintf("%d.%d.%d", 1+r.IntN(5), r.IntN(30), r.IntN(200)), "env": env, "replicas": w.small(), "branch": w.often(w.branches)}}
	case 7:
		return body{"function": "scale_service", "arguments": args{"service": service, "replicas": w.small(), "cluster": host}}
	case 8:
		return body{"function": "copy_backup", "arguments": args{"source": path(), "destination": path(), "host": fmt.Sprintf("10.%d.%d.%d", r.IntN(4), r.IntN(256), r.IntN(256))}}
	case 9:
		return body{"function": "bash", "arguments": args{"command": "rm -rf " + path(), "host": host}, "environment": env}
	case 10:
		return body{"function": "bash", "arguments": args{"command": "git push --force origin " + w.often(w.branches)}}
	case 11:
		return body{"function": "update_rows", "arguments": args{"table": table, "rows": r.IntN(5000), "region": w.often([]string{"emea", "apac", "amer"}), "customer": w.often(w.companies)}}
	case 12:
		return body{"function": "export_mailbox", "arguments": args{"account": mail, "destination": path()}, "environment": env}
	case 13:
		return body{"function": "schedule_job", "arguments": args{"job": service, "queue": w.often([]string{"fast", "slow", "bulk", "critical"}), "start_time": day, "cluster": host}}
	case 14:
		return body{"function": "disable_user", "arguments": args{"user_id": user}}
	case 15:
		return body{"function": "restart_service", "arguments": args{"service": service, "env": env}}
	case 16:
		return body{"function": "refund_invoice", "arguments": args{"invoice_id": w.id(w.invoiceID), "amount": w.sum(), "currency": w.often(w.currencies), "customer": w.often(w.companies)}}
	case 17:
		return body{"function": "حذف_حساب", "arguments": args{"account": w.often([]string{"مخزن-الكتب", "متجر-القهوة", "دار-النشر", "مطعم-البحر"}), "email": mail, "count": r.IntN(900)}}
	case 18:
		return body{"function": "grant_role", "arguments": args{"user_id": user, "project": service, "repo": w.often(w.tables), "email": mail}}
	case 19:
		return body{"function": "kubectl", "arguments": args{"command": fmt.Sprintf("kubectl delete pod %s-%05x -n %s", service, r.IntN(1<<20), env)}}
	case 20:
		return body{"function": "call_webhook", "arguments": args{"url": "https://" + host + "/hooks/" + fmt.Sprint(r.IntN(9999)), "customer_id": user, "limit": 10 * (1 + r.IntN(50))}}
	case 21:
		return body{"function": "delete_bucket", "arguments": args{"bucket": w.often(w.buckets), "objects": r.IntN(90000), "path": path(), "env": env}}
	case 22:
		return body{"function": "pay_salary", "arguments": args{"recipient": mail, "iban": fmt.Sprintf("DE%02d37040044%010d", r.IntN(90), r.IntN(1<<30)), "amount": w.sum(), "currency": w.often(w.currencies)}}
	case 23:
		return body{"function": "rename_topic", "arguments": args{"topic": table, "project": service, "count": w.small(), "endpoint": host}}
	case 24:
		return body{"function": "invite_guest", "arguments": args{"email": mail, "workspace_id": w.often(w.companies), "channel": w.often(w.channels), "date": day[:10]}}
	default:
		return body{"function": "delete_file", "arguments": args{"path": "/srv/" + strings.Repeat(service+"/", 1+r.IntN(6)) + fmt.Sprintf("%08x", r.Uint32()) + ".parquet", "repository": service, "rows": r.IntN(1000000)}}
	}
}
