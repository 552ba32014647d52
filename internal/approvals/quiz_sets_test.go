package approvals

import (
	"encoding/json"
	"flag"
	"regexp"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/long"
)

var printed = flag.Int("print", 20, "how many quizzes TestPrintedSets prints")

// TestPrintedSets prints quizzes, to be read and judged (-print 100): about the calls below, and
// about varied actions for the rest. docs/quiz.md says how many of a hundred a reader found
// strange.
func TestPrintedSets(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	all := scenes(t, varied)
	made := make([]scene, 0, len(publicCalls)+len(all))
	for i, raw := range publicCalls {
		var b body
		if err := json.Unmarshal([]byte(raw), &b); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		b["session_id"] = "ses_worker"
		made = append(made, scene{a: proposed(t, "apr_asked", "worker", b), others: all[i].others})
	}
	functions := len(acts)
	for i := range functions { // 19 is prime to their number: another one each time
		made = append(made, all[i%9*functions+i*19%functions])
	}
	sets := 0
	for i, s := range made {
		set := quiz(s.a, s.around(), asked{}, seeded(uint64(i)))
		if (set == nil) == s.a.asksQuiz() {
			t.Errorf("%d questions about %s", len(set), s.a.Action)
		}
		if set == nil || sets == *printed {
			continue
		}
		sets++
		t.Logf("%d. %s\n%s\n%s", sets, s.a.Subject().Sentence, s.a.Action, readable(set))
	}
	if sets < *printed {
		t.Errorf("only %d quizzes", sets)
	}
}

// TestNothingStrange: what a reader found strange in earlier sets is asked no more, in first sets
// and in second ones.
func TestNothingStrange(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	for call, strange := range map[string]string{
		`{"function":"rollback_deployment","arguments":{"service":"search","to":"v1.25.49"}}`:                                                       `recipient`,
		`{"function":"send_email","arguments":{"to":["a.b@x.example"],"cc":["legal@acme.example"],"template_id":"tpl-9348"}}`:                       `e-mail address`,
		`{"function":"update_rows","arguments":{"table":"orders","rows":1888,"customer":"K-67107"}}`:                                                `One customer|Only customer|\* (One|All|No) row`,
		`{"function":"s3_delete_objects","arguments":{"bucket":"acme-exports","prefix":"customers/2025/","max_keys":5000}}`:                         `\* (One|All|No) object|max keys are`,
		`{"function":"send_campaign","arguments":{"campaign_id":"cmp_7530","list_id":"lst_5213","recipients":78984}}`:                               `\* (One|No) `,
		`{"function":"run_sql","arguments":{"database":"shop","statement":"DELETE FROM orders WHERE id < 37809 LIMIT 364"}}`:                        `The limit is`,
		`{"function":"pods_exec","arguments":{"name":"ledger-h5m9x","namespace":"payments","container":"relay-74","command":["psql","-c"]}}`:        `database|script`,
		`{"function":"update_code","arguments":{"function_name":"renderer-7","s3_bucket":"artifacts-88","s3_key":"renderer/build-20418.zip"}}`:      `Which s\?|the s( |\.)`,
		`{"function":"run_workflow","arguments":{"workflow_id":"deploy.yml","ref":"v4.18.2","inputs":{"approve":"true","protocol":"tcp"}}}`:         `approve|protocol`,
		`{"function":"terminate_clusters","arguments":{"cluster_ids":["j-HZ2NXHOJ2M0MT","j-56XST2HT5NZGI"],"log_uri":"s3://acme-logs/emr/2079"}}`:   `\[acme-logs\]`,
		`{"function":"purge_cache","arguments":{"zone_id":"9a7806061c88ada191ed06f989cc3dac","files":["https://www.acme.example/app.js"]}}`:         `host`,
		`{"function":"pods_delete","arguments":{"name":"relay-b66t4xbxq-q9zzm","context":"staging-us-5","namespace":"web"}}`:                        `name “`,
		`{"function":"exchange_item","arguments":{"item_id":"0583441196","new_item_id":"1000702837","payment_method_id":"gift_card_9969745"}}`:      `Only payment|Only new item`,
		`{"function":"helm_upgrade","arguments":{"chart":"ingress/nginx","namespace":"edge-31","release":"nginx-48","version":"4.11.3"}}`:           `namespaces? (is|are) affected`,
		`{"function":"reset_password","arguments":{"user":"j.wheeler@globex.example","ticket":"SUP-83146"}}`:                                        `permission`,
		`{"function":"slack_post_message","arguments":{"channel_id":"C08F4TQ1R2L","text":"Deploy of checkout 4.18.2 starts in 10 minutes."}}`:       `characters of the text`,
		`{"function":"create_transfer","arguments":{"amount":4416.59,"currency":"EUR","recipientId":"98879090","reference":"RE-2026-59083"}}`:       `The amount is`,
		`{"function":"authorize_ingress","arguments":{"group_id":"sg-95041721","cidr":"10.17.102.0/24"}}`:                                           `of the address`,
		`{"function":"scale_service","arguments":{"service":"checkout","replicas":17,"cluster":"web-eu-12","grace_period_seconds":342}}`:            `grace period seconds|replicas are affected`,
		`{"function":"update_event","arguments":{"eventId":"5kq09mb3r1s7tgh2vcd8uj4ena","calendarId":"primary","colorId":"11","room":"Room 4.12"}}`: `Which color|\[primary\]`,
	} {
		var b body
		if err := json.Unmarshal([]byte(call), &b); err != nil {
			t.Fatalf("%s: %v", call, err)
		}
		a, is := proposed(t, "apr_a", "worker", b), regexp.MustCompile(strange)
		for seed := range uint64(20) {
			first := quiz(a, newAround(a, nil), asked{}, seeded(seed))
			second := quiz(a, newAround(a, nil), asked{settled: first, failed: first}, seeded(seed))
			for _, set := range [][]Question{first, second} {
				if found := is.FindString(readable(set)); found != "" {
					t.Fatalf("%q is asked about %s\n%s", found, call, readable(set))
				}
			}
		}
	}
}

// readable is a set as lines, the right answers marked.
func readable(set []Question) string {
	var lines []string
	for _, q := range set {
		line := q.Prompt
		if q.Typed {
			line += " [" + q.Right + "]"
		}
		for _, o := range q.Options {
			mark := "   - "
			if o.ID == q.Right {
				mark = "   * "
			}
			line += "\n" + mark + o.Text
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// publicCalls are calls as public tool servers take them: of code hosting, payments, chat, mail,
// calendars, notes, clusters, clouds, databases and files.
var publicCalls = []string{
	// Code hosting.
	`{"function":"merge_pull_request","arguments":{"owner":"acme","repo":"storefront","pullNumber":1284,"commit_title":"Raise checkout timeout (#1284)","merge_method":"squash"}}`,
	`{"function":"delete_file","arguments":{"owner":"acme","repo":"infra","path":"terraform/prod/rds.tf","message":"Remove unused module","branch":"main","sha":"7c3f0be5a4c1d1be2a9df8a6e0b6f4cf35c8d102"}}`,
	`{"function":"push_files","arguments":{"owner":"acme","repo":"storefront","branch":"release/2026.11","files":[{"path":"package.json","content":"{}"},{"path":"src/checkout.ts","content":"export {}"}],"message":"Pin dependencies"}}`,
	`{"function":"create_or_update_file","arguments":{"owner":"acme","repo":"website","path":".github/workflows/deploy.yml","content":"on: push","message":"ci: deploy on push","branch":"main","sha":"3d21ec53a331a6f037a91c368710b99387d012c1"}}`,
	`{"function":"update_repository_visibility","arguments":{"owner":"acme","repo":"risk-models","visibility":"public","confirm":true}}`,
	`{"function":"add_issue_comment","arguments":{"owner":"kubernetes","repo":"ingress-nginx","issue_number":9731,"body":"We hit this too, see the log attached."}}`,
	`{"function":"run_workflow","arguments":{"owner":"acme","repo":"infra","workflow_id":"deploy-prod.yml","ref":"v4.18.2","inputs":{"region":"eu-central-1","approve":"true"}}}`,
	// Payments.
	`{"function":"create_refund","arguments":{"payment_intent":"pi_3Q8tZkLkdIwHu7ix0vG4m2Wd","amount":12900,"reason":"requested_by_customer"}}`,
	`{"function":"cancel_subscription","arguments":{"subscription":"sub_1QeTpDLkdIwHu7ixXc81bRm4","prorate":true,"invoice_now":false,"cancellation_details":{"comment":"Switched to competitor"}}}`,
	`{"function":"create_coupon","arguments":{"name":"Winter 25","percent_off":25,"currency":"eur","duration":"repeating","duration_in_months":3}}`,
	`{"function":"finalize_invoice","arguments":{"invoice":"in_1QfKd2LkdIwHu7ixN0aYt5Zs","auto_advance":true}}`,
	`{"function":"create_payout","arguments":{"amount":"8412.50","currency":"GBP","source_account":"GB29NWBK60161331926819","beneficiary":"Harper Logistics Ltd","reference":"INV-20418"}}`,
	`{"function":"update_price","arguments":{"price_id":"price_1PzrT7LkdIwHu7ixB3q9Lw0e","unit_amount":4900,"product":"prod_RB81kQmZ2n7xWf","effective":"next_cycle"}}`,
	// Chat, mail and calendars.
	`{"function":"slack_post_message","arguments":{"channel_id":"C08F4TQ1R2L","text":"Deploy of checkout 4.18.2 starts in 10 minutes.","thread_ts":"1764164211.482919"}}`,
	`{"function":"conversations_archive","arguments":{"channel_id":"C05RK2PTZ7M"}}`,
	`{"function":"send_email","arguments":{"to":["renee.fournier@harperlogistics.example"],"cc":["legal@acme.example"],"subject":"Revised terms for 2027","body":"Please find the revised terms attached.","attachments":["/shared/contracts/harper-2027-v3.pdf"]}}`,
	`{"function":"batch_modify_emails","arguments":{"messageIds":["193c5a7e0b1f22d4","193c5a7f9e6612aa","193c5a81cc70415b"],"addLabelIds":["TRASH"],"removeLabelIds":["INBOX"]}}`,
	`{"function":"create_filter","arguments":{"criteria":{"from":"billing@vendor.example","hasAttachment":true},"action":{"forward":"invoices@external.example","removeLabelIds":["INBOX"]}}}`,
	`{"function":"delete_event","arguments":{"calendar_id":"team-platform@acme.example","event_id":"7gq2m0e1lr5v9c3hbs48kdt6uo_20261201T090000Z","send_updates":"all"}}`,
	`{"function":"update_event","arguments":{"calendarId":"primary","eventId":"5kq09mb3r1s7tgh2vcd8uj4ena","summary":"Board review","attendees":[{"email":"t.brandt@acme.example"},{"email":"o.ferri@acme.example"}],"location":"Room 4.12","colorId":"11"}}`,
	// Notes and tickets.
	`{"function":"API-patch-page","arguments":{"page_id":"1f0e7a2c-93d4-8041-b7c5-d2a96ee0473b","archived":true}}`,
	`{"function":"notion-update-database","arguments":{"database_id":"2b97f3d1-5a60-80e2-9c4b-fc01d83be617","title":"Vendor register","in_trash":true}}`,
	`{"function":"jira_transition_issue","arguments":{"issue_key":"PAY-4471","transition_id":"31","comment":"Released with 4.18","fields":{"resolution":{"name":"Won't Do"}}}}`,
	`{"function":"linear_update_issue","arguments":{"id":"OPS-912","stateId":"b41e0a77-5f2c-4e19-9d3a-60cc8e72f1a4","assigneeId":"e09f1d2b-77aa-4c05-8b1e-3f5d90a6c218","priority":1}}`,
	`{"function":"confluence_delete_page","arguments":{"page_id":"884736118"}}`,
	// Clusters and clouds.
	`{"function":"resources_delete","arguments":{"apiVersion":"apps/v1","kind":"StatefulSet","name":"orders-postgres","namespace":"checkout"}}`,
	`{"function":"pods_exec","arguments":{"name":"orders-postgres-0","namespace":"checkout","container":"postgres","command":["psql","-c","VACUUM FULL orders"]}}`,
	`{"function":"kubectl_scale","arguments":{"name":"payments-api","namespace":"payments","replicas":0,"resourceType":"deployment"}}`,
	`{"function":"helm_upgrade","arguments":{"release":"ingress-nginx","chart":"ingress-nginx/ingress-nginx","version":"4.11.3","namespace":"edge","values":{"controller":{"replicaCount":3}}}}`,
	`{"function":"ec2_modify_security_group","arguments":{"group_id":"sg-0c81f7d2ae4b3590e","ip_permissions":[{"protocol":"tcp","from_port":5432,"to_port":5432,"cidr":"0.0.0.0/0"}]}}`,
	`{"function":"s3_delete_objects","arguments":{"bucket":"acme-prod-exports","prefix":"customers/2025/","max_keys":5000}}`,
	`{"function":"lambda_update_function_code","arguments":{"function_name":"invoice-renderer","s3_bucket":"acme-artifacts","s3_key":"invoice-renderer/build-20418.zip","publish":true}}`,
	`{"function":"rds_delete_db_instance","arguments":{"db_instance_identifier":"orders-prod-replica-2","skip_final_snapshot":true,"delete_automated_backups":false}}`,
	`{"function":"iam_attach_role_policy","arguments":{"role_name":"ci-deployer","policy_arn":"arn:aws:iam::aws:policy/AdministratorAccess"}}`,
	`{"function":"cloudflare_purge_cache","arguments":{"zone_id":"9a7806061c88ada191ed06f989cc3dac","files":["https://www.acme.example/app.js","https://www.acme.example/app.css"]}}`,
	// Databases and files.
	`{"function":"query","arguments":{"sql":"UPDATE subscriptions SET plan = 'free', renews_at = NULL WHERE account_id = 48213"}}`,
	`{"function":"execute_sql","arguments":{"project_id":"kqzvtnwmxhrcybdjeapf","query":"DELETE FROM audit_events WHERE created_at < '2025-06-01'"}}`,
	`{"function":"delete-many","arguments":{"database":"shop","collection":"carts","filter":{"status":"abandoned","storeId":"st_4417"}}}`,
	`{"function":"move_file","arguments":{"source":"/srv/data/ledger/2026-10.parquet","destination":"/srv/archive/ledger/2026-10.parquet"}}`,
	`{"function":"write_file","arguments":{"path":"/etc/nginx/conf.d/checkout.conf","content":"server { listen 443 ssl; }"}}`,
	`{"function":"edit_file","arguments":{"path":"/home/deploy/.ssh/authorized_keys","edits":[{"oldText":"ssh-ed25519 AAAA deploy@ci","newText":"ssh-ed25519 BBBB deploy@ci2"}],"dryRun":false}}`,
}
