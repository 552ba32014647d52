package approvals

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

// scene is one action to guess about, and what stands around it: the other rows of its
// session, and what the organisation's other requests hold.
type scene struct {
	a       Approval
	session []Approval // the others of its session
	others  []Approval // of other agents
}

// beside are what else the queue shows of the session.
func (s scene) beside() (rows []string) {
	for _, o := range s.session {
		about := o.Subject()
		rows = append(rows, about.Row, about.Environment)
	}
	return rows
}

// act makes the body of a call from a source of chance.
type act func(r *rand.Rand) body

func pick(r *rand.Rand, words string) string {
	all := strings.Split(words, "|")
	return all[r.IntN(len(all))]
}

func numbered(r *rand.Rand, format string, from, to int) string {
	return fmt.Sprintf(format, from+r.IntN(to-from))
}

// price is a sum as people name them: some round, some with cents.
func price(r *rand.Rand) any {
	switch n := 10 + r.IntN(1+r.IntN(9000)); r.IntN(4) {
	case 0:
		return n / 10 * 10
	case 1:
		return n
	case 2:
		return float64(n) + 0.99
	default:
		return float64(n) + float64(r.IntN(100))/100
	}
}

func mailOf(r *rand.Rand) string {
	return pick(r, "dana|mei|oskar|priya|tomas|lena|farid|ruth|jonas|aiko|luis|nora") + "." +
		pick(r, "wheeler|tanaka|lind|shah|novak|braun|aziz|cole|ito|moreau|okafor") + "@" + pick(r, "example.com|northwind.example|globex.example|initech.example")
}

func ibanOf(r *rand.Rand) string {
	return fmt.Sprintf("DE%02d37040044%010d", 10+r.IntN(88), r.IntN(1<<30))
}

func envOf(r *rand.Rand) string {
	return pick(r, "production|production|production|production|production|production|production|production|production|staging")
}

// acts are calls as tools make them: of payments, shops, code hosting, chat, mail,
// databases, clouds, clusters, shells and people. Many hold little that the queue's row
// does not say.
var acts = map[string]act{
	"delete_user": func(r *rand.Rand) body {
		return body{"arguments": args{"user_id": numbered(r, "usr_%d", 100, 9999), "env": envOf(r)}}
	},
	"delete_account": func(r *rand.Rand) body {
		return body{"arguments": args{"account_id": numbered(r, "acc_%05d", 1, 99999), "email": mailOf(r), "documents": r.IntN(900)}}
	},
	"deactivate_user": func(r *rand.Rand) body {
		return body{"arguments": args{"user_id": numbered(r, "U%d", 10, 999), "reason": pick(r, "left the company|requested|abuse")}}
	},
	"suspend_account": func(r *rand.Rand) body {
		return body{"arguments": args{"account": numbered(r, "cust_%d", 10, 9999)}}
	},
	"transfer_funds": func(r *rand.Rand) body {
		return body{"arguments": args{"recipient": pick(r, "Northwind|Globex GmbH|Initech|Contoso Ltd|Vandelay"), "amount": price(r), "currency": pick(r, "EUR|USD"), "account": numbered(r, "acc_%04d", 1, 9999), "reference": numbered(r, "RE-2026-%05d", 1, 99999)}}
	},
	"send_payment": func(r *rand.Rand) body {
		return body{"arguments": args{"iban": ibanOf(r), "amount": price(r), "currency": "EUR", "subject": pick(r, "Rent|Invoice|Salary") + numbered(r, " %d", 1, 12)}}
	},
	"refund_payment": func(r *rand.Rand) body {
		return body{"arguments": args{"charge_id": numbered(r, "ch_%06d", 1, 999999), "amount": price(r), "currency": "EUR", "reason": pick(r, "duplicate|fraudulent|requested_by_customer")}}
	},
	"create_payout": func(r *rand.Rand) body {
		return body{"arguments": args{"amount": 100 * r.IntN(90000), "currency": "usd", "destination": numbered(r, "ba_%07d", 1, 9999999)}}
	},
	"pay_invoice": func(r *rand.Rand) body {
		return body{"arguments": args{"invoice_id": numbered(r, "inv_%d", 10, 9999)}}
	},
	"cancel_subscription": func(r *rand.Rand) body {
		return body{"arguments": args{"subscription_id": numbered(r, "sub_%05d", 1, 99999), "at_period_end": false, "customer_id": numbered(r, "cus_%04d", 1, 9999)}}
	},
	"cancel_order": func(r *rand.Rand) body {
		return body{"arguments": args{"order_id": numbered(r, "#W%07d", 1, 9999999), "reason": pick(r, "no longer needed|ordered by mistake")}}
	},
	"book_flight": func(r *rand.Rand) body {
		return body{"arguments": args{"flight_number": numbered(r, "HAT%03d", 100, 999), "passengers": 1 + r.IntN(4), "payment_id": numbered(r, "credit_card_%07d", 1, 9999999), "date": numbered(r, "2026-05-%02d", 10, 28), "cabin": pick(r, "economy|business")}}
	},
	"exchange_item": func(r *rand.Rand) body {
		return body{"arguments": args{"order_id": numbered(r, "#W%07d", 1, 9999999), "item_id": numbered(r, "%010d", 1, 1<<30), "new_item_id": numbered(r, "%010d", 1, 1<<30), "payment_method_id": numbered(r, "gift_card_%07d", 1, 9999999)}}
	},
	"add_collaborator": func(r *rand.Rand) body {
		return body{"arguments": args{"owner": "acme", "repo": pick(r, "payments|website|mobile-app|infra"), "username": pick(r, "mallory|octocat|jdoe77|kestrel|svc-build"), "permission": pick(r, "admin|push|maintain")}}
	},
	"delete_repository": func(r *rand.Rand) body {
		return body{"arguments": args{"owner": pick(r, "acme|acme-labs"), "repo": pick(r, "payments|website|mobile-app|legacy-api")}}
	},
	"merge_pull_request": func(r *rand.Rand) body {
		return body{"arguments": args{"repo": "acme/" + pick(r, "payments|website"), "pull_number": 100 + r.IntN(9000), "branch": pick(r, "main|release/4.17|release/4.18|hotfix/login"), "sha": fmt.Sprintf("%040x", r.Uint64())}}
	},
	"delete_branch": func(r *rand.Rand) body {
		return body{"arguments": args{"repository": "acme/" + pick(r, "payments|website"), "branch": numbered(r, "release/4.%d", 10, 99)}}
	},
	"kick_member": func(r *rand.Rand) body {
		return body{"arguments": args{"channel": numbered(r, "C%05dBE91", 1, 99999), "user": numbered(r, "U%04d", 1, 9999)}}
	},
	"post_message": func(r *rand.Rand) body {
		return body{"arguments": args{"channel": pick(r, "#general|#announcements|#customers"), "text": "The maintenance begins " + pick(r, "tonight|tomorrow|at noon") + ". <!channel>", "thread": numbered(r, "%d.0012", 1700000000, 1790000000)}}
	},
	"send_email": func(r *rand.Rand) body {
		return body{"arguments": args{"to": []any{mailOf(r)}, "cc": []any{mailOf(r)}, "subject": pick(r, "Your contract|Account closure|Goodbye"), "body": "Dear customer, see attached.", "template_id": numbered(r, "tpl-%04d", 1, 9999)}}
	},
	"send_campaign": func(r *rand.Rand) body {
		return body{"arguments": args{"campaign_id": numbered(r, "cmp_%d", 10, 9999), "list_id": numbered(r, "lst_%04d", 1, 9999), "recipients": 100 + r.IntN(90000)}}
	},
	"publish_post": func(r *rand.Rand) body {
		return body{"arguments": args{"site": "blog.example", "post_id": numbered(r, "%d", 1000, 99999), "visibility": "public"}}
	},
	"run_sql": func(r *rand.Rand) body {
		return body{"arguments": args{"database": pick(r, "billing|crm|hr|shop"), "statement": fmt.Sprintf("DELETE FROM %s WHERE id < %d LIMIT %d", pick(r, "orders|users|invoices|sessions"), r.IntN(50000), 1+r.IntN(900))}, "environment": envOf(r)}
	},
	"execute_query": func(r *rand.Rand) body {
		return body{"arguments": args{"sql": fmt.Sprintf("UPDATE %s SET status = 'void' WHERE customer_id = %d", pick(r, "orders|invoices|contracts"), r.IntN(99999)), "connection": pick(r, "primary|replica-2|warehouse")}}
	},
	"drop_table": func(r *rand.Rand) body {
		return body{"arguments": args{"table": pick(r, "crm.contacts|billing.invoices|hr.audit|tmp_import_2024"), "database": pick(r, "shop-eu|shop-us|ledger")}}
	},
	"update_rows": func(r *rand.Rand) body {
		return body{"arguments": args{"table": pick(r, "orders|users|invoices"), "rows": r.IntN(5000), "customer": numbered(r, "K-%05d", 1, 99999)}}
	},
	"drop_collection": func(r *rand.Rand) body {
		return body{"arguments": args{"database": pick(r, "shop|crm"), "collection": numbered(r, "events_%d", 10, 9999)}}
	},
	"terminate_instances": func(r *rand.Rand) body {
		return body{"arguments": args{"instance_ids": []any{fmt.Sprintf("i-%08x%09x", r.Uint32(), r.Uint64N(1<<36)), fmt.Sprintf("i-%08x%09x", r.Uint32(), r.Uint64N(1<<36))}, "region": pick(r, "eu-central-1|us-east-1"), "reservation": numbered(r, "r-%08d", 1, 99999999)}}
	},
	"delete_bucket": func(r *rand.Rand) body {
		return body{"arguments": args{"bucket": pick(r, "media-archive|prod-backups|customer-exports|raw-logs"), "objects": r.IntN(90000), "force": true}}
	},
	"schedule_key_deletion": func(r *rand.Rand) body {
		return body{"arguments": args{"key_id": fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), r.IntN(1<<12), r.Uint64N(1<<48)), "pending_window_in_days": 7 + r.IntN(23)}}
	},
	"authorize_ingress": func(r *rand.Rand) body {
		return body{"arguments": args{"group_id": numbered(r, "sg-%08d", 1, 99999999), "cidr": fmt.Sprintf("10.%d.%d.0/24", r.IntN(250), r.IntN(250)), "port": pick(r, "22|443|5432|8080")}}
	},
	"deploy_service": func(r *rand.Rand) body {
		return body{"arguments": args{"service": pick(r, "checkout-api|search-indexer|billing-worker|auth-gateway"), "version": fmt.Sprintf("4.%d.%d", r.IntN(30), r.IntN(200)), "env": envOf(r), "replicas": 1 + r.IntN(20)}}
	},
	"rollback_deployment": func(r *rand.Rand) body {
		return body{"arguments": args{"service": pick(r, "checkout-api|search-indexer|billing-worker"), "to": fmt.Sprintf("v1.%d.%d", r.IntN(30), r.IntN(200))}}
	},
	"scale_service": func(r *rand.Rand) body {
		return body{"arguments": args{"service": pick(r, "checkout-api|search-indexer|mailer"), "replicas": r.IntN(30), "cluster": numbered(r, "web-eu-%d", 1, 20)}}
	},
	"kubectl": func(r *rand.Rand) body {
		return body{"arguments": args{"command": fmt.Sprintf("kubectl delete pod %s-%05x -n %s", pick(r, "checkout|search|mailer"), r.IntN(1<<20), pick(r, "prod|web|batch"))}}
	},
	"bash": func(r *rand.Rand) body {
		return body{"arguments": args{"command": fmt.Sprintf("rm -rf /srv/exports/%d/%s", 2019+r.IntN(8), pick(r, "crm|billing|media")), "host": numbered(r, "db-prod-%d", 1, 40)}}
	},
	"shell": func(r *rand.Rand) body {
		return body{"arguments": args{"command": "git push --force origin " + pick(r, "main|develop|release/4.17|release/4.18")}}
	},
	"terminal": func(r *rand.Rand) body {
		return body{"arguments": args{"command": "systemctl stop " + pick(r, "postgresql|nginx|redis|auditd"), "host": numbered(r, "10.0.%d.7", 1, 250)}}
	},
	"grant_role": func(r *rand.Rand) body {
		return body{"arguments": args{"project": pick(r, "acme-prod|acme-data|acme-web"), "user": mailOf(r), "role": pick(r, "roles/owner|roles/editor|roles/viewer")}}
	},
	"reset_password": func(r *rand.Rand) body {
		return body{"arguments": args{"user": mailOf(r), "ticket": numbered(r, "SUP-%05d", 1, 99999)}}
	},
	"invite_guest": func(r *rand.Rand) body {
		return body{"arguments": args{"email": mailOf(r), "workspace_id": numbered(r, "T%06d", 1, 999999), "role": pick(r, "guest|member|admin")}}
	},
	"share_file": func(r *rand.Rand) body {
		return body{"arguments": args{"file_id": fmt.Sprintf("1%s%06d", pick(r, "xB|qT|mZ"), r.IntN(999999)), "with": pick(r, "anyone|"+mailOf(r)), "permission": pick(r, "reader|writer")}}
	},
	"set_dns_record": func(r *rand.Rand) body {
		return body{"arguments": args{"zone": pick(r, "acme.example|shop.example"), "record": pick(r, "www|mail|api"), "value": fmt.Sprintf("203.0.113.%d", 1+r.IntN(250)), "ttl": pick(r, "60|300|3600")}}
	},
	"restore_backup": func(r *rand.Rand) body {
		return body{"arguments": args{"snapshot": fmt.Sprintf("snap-%08x", r.Uint32()), "target": pick(r, "prod-db|billing-db|crm-db"), "overwrite": true}}
	},
	"purge_cache": func(r *rand.Rand) body {
		return body{"arguments": args{"cluster": pick(r, "cache-eu|cache-us|cache-ap"), "prefix": numbered(r, "cat:%d:*", 10, 9999)}}
	},
	"change_plan": func(r *rand.Rand) body {
		return body{"arguments": args{"customer_id": numbered(r, "cus_%06d", 1, 999999), "plan": pick(r, "pro|business|free"), "price": price(r), "currency": "EUR"}}
	},
	"open_gate": func(r *rand.Rand) body {
		return body{"arguments": args{"gate": pick(r, "north|south|server-room"), "badge": numbered(r, "B%06d", 1, 999999)}}
	},
	"http_request": func(r *rand.Rand) body {
		return body{"arguments": args{"method": "DELETE", "url": "https://api.stripe.example/v1/customers/" + numbered(r, "cus_%05d", 1, 99999)}}
	},
}

// madeScenes are those so far: many tests read the same ones, and none changes them.
var madeScenes struct {
	sync.Mutex
	scenes []scene
}

// scenes are varied actions of many organisations, each with what stands around it.
func scenes(t *testing.T, n int) []scene {
	t.Helper()
	madeScenes.Lock()
	defer madeScenes.Unlock()
	for i := len(madeScenes.scenes); i < n; i++ {
		madeScenes.scenes = append(madeScenes.scenes, newScene(t, i))
	}
	return madeScenes.scenes[:n:n]
}

func newScene(t *testing.T, i int) scene {
	t.Helper()
	names, r := sortedNames(acts), seeded(uint64(i)+4000)
	make1 := func(id, agent, name string) Approval {
		b := acts[name](r)
		b["function"], b["session_id"] = name, "ses_"+agent
		return proposed(t, id, agent, b)
	}
	name := names[i%len(names)]
	s := scene{a: make1("apr_asked", "worker", name)}
	for k := range i % 4 {
		s.session = append(s.session, make1(fmt.Sprintf("apr_s%d", k), "worker", names[r.IntN(len(names))]))
	}
	for k := range []int{0, 6, 30}[i%3] {
		other := name
		if k%2 == 1 {
			other = names[r.IntN(len(names))]
		}
		s.others = append(s.others, make1(fmt.Sprintf("apr_o%d", k), fmt.Sprintf("agent-%d", k%7), other))
	}
	s.session, s.others = slices.Clip(s.session), slices.Clip(s.others)
	return s
}

// around is what is known of a scene.
func (s scene) around() around { return newAround(s.a, s.others, s.session) }
