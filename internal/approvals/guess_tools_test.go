package approvals

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Calls of tools as public servers list them, with the arguments that they take and values in
// the format of the service: most have three to eight, ids that the service drew, names that
// people gave, texts, numbers and switches.

const (
	base62    = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	crockford = "0123456789abcdefghjkmnpqrstvwxyz"
	hexadec   = "0123456789abcdef"
)

func drawn(r *rand.Rand, from string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = from[r.IntN(len(from))]
	}
	return string(b)
}

func uuidOf(r *rand.Rand) string {
	return strings.Join([]string{drawn(r, hexadec, 8), drawn(r, hexadec, 4), "4" + drawn(r, hexadec, 3), "a" + drawn(r, hexadec, 3), drawn(r, hexadec, 12)}, "-")
}

// podOf is a pod as a cluster names it.
func podOf(r *rand.Rand) string {
	const of = "bcdfghjklmnpqrstvwxz2456789"
	return service(r) + "-" + drawn(r, of, 9) + "-" + drawn(r, of, 5)
}

func service(r *rand.Rand) string { return pick(r, strings.ReplaceAll(serviceWords, " ", "|")) }
func namespace(r *rand.Rand) string {
	return pick(r, "web|batch|payments|default|argocd|platform|search|growth|data-eng|monitoring|ingress|risk")
}

func cluster(r *rand.Rand) string {
	return pick(r, "prod|staging|qa") + pick(r, "-eu|-us|-ap") + numbered(r, "-%d", 1, 6)
}

func table(r *rand.Rand) string { return pick(r, strings.ReplaceAll(tableWords, " ", "|")) }
func host(r *rand.Rand) string  { return pick(r, strings.ReplaceAll(hostWords, " ", "|")) }

// userName is a user's name.
func userName(r *rand.Rand) string {
	return pick(r, "d|m|o|p|t|l|f|r|j") + "." + pick(r, "wheeler|tanaka|lind|shah|novak|braun|aziz|cole|moreau|okafor")
}

func dayOf(r *rand.Rand) string {
	return time.Date(2026, time.Month(5+r.IntN(7)), 1+r.IntN(28), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

func minuteOf(r *rand.Rand) string {
	return dayOf(r) + pick(r, "T08:00:00Z|T09:30:00Z|T14:00:00Z|T22:15:00Z")
}

// note is what people and agents write.
func note(r *rand.Rand) string {
	return pick(r, "Requested by the customer.|Updated after the review of this quarter.|See the ticket for details.|Please confirm until Friday.|No longer in use.|Approved by the owner in the stand-up.")
}

func cloudAccount(r *rand.Rand) string { return pick(r, "481730925566|730019284415") }

// tools are calls of public servers' tools.
var tools = map[string]act{
	"delete-event": func(r *rand.Rand) body {
		return body{"arguments": args{"account": pick(r, "work|personal"), "calendarId": mailOf(r), "eventId": drawn(r, crockford, 26), "sendUpdates": pick(r, "all|externalOnly|none")}}
	},
	"respond-to-event": func(r *rand.Rand) body {
		return body{"arguments": args{"calendarId": "primary", "eventId": drawn(r, crockford, 26), "response": pick(r, "accepted|declined|tentative"), "comment": note(r), "modificationScope": pick(r, "all|thisEventOnly"), "originalStartTime": minuteOf(r)}}
	},
	"send_channel_message": func(r *rand.Rand) body {
		return body{"arguments": args{"teamId": uuidOf(r), "channelId": "19:" + drawn(r, hexadec, 32) + "@thread.tacv2", "message": note(r), "importance": pick(r, "normal|high|urgent"), "format": "text"}}
	},
	"send_chat_message": func(r *rand.Rand) body {
		return body{"arguments": args{"chatId": "19:" + uuidOf(r) + "@unq.gbl.spaces", "message": note(r), "mentions": []any{mailOf(r)}}}
	},
	"pg_kill": func(r *rand.Rand) body {
		return body{"arguments": args{"app": service(r) + pick(r, "|-eu|-us"), "pid": 300 + r.IntN(32000), "force": r.IntN(2) == 0, "database": "postgresql-" + pick(r, "rounded|curved|animated") + numbered(r, "-%05d", 1, 99999)}}
	},
	"pg_upgrade": func(r *rand.Rand) body {
		return body{"arguments": args{"app": service(r), "version": numbered(r, "%d", 13, 18), "confirm": service(r), "database": "postgresql-" + pick(r, "rounded|curved|animated") + numbered(r, "-%05d", 1, 99999)}}
	},
	"drive_permission_create": func(r *rand.Rand) body {
		return body{"arguments": args{"fileToken": drawn(r, base62, 27), "memberType": "email", "memberId": mailOf(r), "perm": pick(r, "view|edit|full_access"), "notify": r.IntN(2) == 0}}
	},
	"slack_reply_to_thread": func(r *rand.Rand) body {
		return body{"arguments": args{"channel_id": "C0" + drawn(r, "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ", 9), "thread_ts": fmt.Sprintf("%d.%06d", 1760000000+r.IntN(20000000), r.IntN(1000000)), "text": note(r)}}
	},
	"create_subscription_charge": func(r *rand.Rand) body {
		return body{"arguments": args{"subscriptionId": "sub_01" + drawn(r, crockford, 24), "effectiveFrom": pick(r, "immediately|next_billing_period"), "items": []any{args{"priceId": "pri_01" + drawn(r, crockford, 24), "quantity": 1 + r.IntN(40)}}, "onPaymentFailure": pick(r, "prevent_change|apply_change")}}
	},
	"pause_subscription": func(r *rand.Rand) body {
		return body{"arguments": args{"subscriptionId": "sub_01" + drawn(r, crockford, 24), "effectiveFrom": pick(r, "immediately|next_billing_period"), "resumeAt": minuteOf(r), "onResume": pick(r, "continue_existing_billing_period|start_new_billing_period")}}
	},
	"update_transaction": func(r *rand.Rand) body {
		return body{"arguments": args{"transactionId": "txn_01" + drawn(r, crockford, 24), "status": pick(r, "billed|canceled"), "customerId": "ctm_01" + drawn(r, crockford, 24), "addressId": "add_01" + drawn(r, crockford, 24), "currencyCode": pick(r, "EUR|USD"), "collectionMode": pick(r, "automatic|manual")}}
	},
	"create_refund": func(r *rand.Rand) body {
		return body{"arguments": args{"payment_intent": "pi_3" + drawn(r, base62, 23), "amount": 100 + r.IntN(90000), "reason": pick(r, "duplicate|fraudulent|requested_by_customer"), "metadata": args{"order": numbered(r, "%d", 100000, 999999), "ticket": numbered(r, "SUP-%d", 1000, 99999)}}}
	},
	"update_subscription": func(r *rand.Rand) body {
		return body{"arguments": args{"subscription": "sub_1" + drawn(r, base62, 23), "proration_behavior": pick(r, "none|create_prorations|always_invoice"), "items": []any{args{"id": "si_" + drawn(r, base62, 14), "price": "price_1" + drawn(r, base62, 23), "quantity": 1 + r.IntN(60)}}}}
	},
	"update_dispute": func(r *rand.Rand) body {
		return body{"arguments": args{"dispute": "du_1" + drawn(r, base62, 23), "evidence": args{"customer_name": pick(r, companyWords), "shipping_tracking_number": drawn(r, "0123456789", 14), "uncategorized_text": note(r)}, "submit": true}}
	},
	"create_payment": func(r *rand.Rand) body {
		return body{"arguments": args{"invoiceId": uuidOf(r), "accountId": uuidOf(r), "amount": price(r), "date": dayOf(r), "reference": numbered(r, "INV-%05d", 1, 99999)}}
	},
	"create_transfer": func(r *rand.Rand) body {
		return body{"arguments": args{"sourceAccountId": uuidOf(r), "recipientId": numbered(r, "%d", 10000000, 99999999), "amount": price(r), "currency": pick(r, "EUR|USD|GBP"), "reference": numbered(r, "RE-2026-%05d", 1, 99999), "executionDate": dayOf(r)}}
	},
	"create_order": func(r *rand.Rand) body {
		return body{"arguments": args{"customer_id": numbered(r, "%d", 6000000000000, 7999999999999), "line_items": []any{args{"variant_id": numbered(r, "%d", 40000000000000, 49999999999999), "quantity": 1 + r.IntN(30), "price": price(r)}}, "discount_code": pick(r, "SUMMER|STAFF|WELCOME") + numbered(r, "%d", 10, 99), "send_receipt": r.IntN(2) == 0}}
	},
	"place_limit_order": func(r *rand.Rand) body {
		return body{"arguments": args{"symbol": pick(r, "AAPL|SAP|NVDA|ASML"), "side": pick(r, "buy|sell"), "quantity": 10 + r.IntN(900), "limit_price": price(r), "time_in_force": pick(r, "day|gtc"), "account": numbered(r, "U%07d", 1000000, 9999999)}}
	},
	"shareFile": func(r *rand.Rand) body {
		return body{"arguments": args{"fileId": "1" + drawn(r, base62+"-_", 32), "emailAddress": mailOf(r), "role": pick(r, "reader|commenter|writer"), "sendNotificationEmail": r.IntN(2) == 0, "emailMessage": note(r)}}
	},
	"updatePermission": func(r *rand.Rand) body {
		return body{"arguments": args{"fileId": "1" + drawn(r, base62+"-_", 32), "permissionId": drawn(r, "0123456789", 20), "role": pick(r, "reader|writer|owner"), "account": pick(r, "work|legal")}}
	},
	"create_call": func(r *rand.Rand) body {
		return body{"arguments": args{"assistantId": uuidOf(r), "phoneNumberId": uuidOf(r), "customer": args{"number": "+49151" + drawn(r, "0123456789", 8)}, "scheduledAt": minuteOf(r)}}
	},
	"send_sms": func(r *rand.Rand) body {
		return body{"arguments": args{"to": "+44770" + drawn(r, "0123456789", 7), "from": "+44203" + drawn(r, "0123456789", 7), "body": note(r), "messagingServiceSid": "MG" + drawn(r, hexadec, 32)}}
	},
	"gmail_send_draft": func(r *rand.Rand) body {
		return body{"arguments": args{"to": []any{mailOf(r), mailOf(r)}, "subject": pick(r, "Your contract|Offer|Invoice") + numbered(r, " %d", 1000, 9999), "draft_id": "r-" + drawn(r, "0123456789", 19), "user_google_email": mailOf(r)}}
	},
	"create_comment": func(r *rand.Rand) body {
		return body{"arguments": args{"baseId": "app" + drawn(r, base62, 14), "tableId": "tbl" + drawn(r, base62, 14), "recordId": "rec" + drawn(r, base62, 14), "text": note(r)}}
	},
	"delete_records": func(r *rand.Rand) body {
		return body{"arguments": args{"baseId": "app" + drawn(r, base62, 14), "tableId": "tbl" + drawn(r, base62, 14), "recordIds": []any{"rec" + drawn(r, base62, 14), "rec" + drawn(r, base62, 14), "rec" + drawn(r, base62, 14)}}}
	},
	"delete_application": func(r *rand.Rand) body {
		return body{"arguments": args{"applicationName": service(r), "applicationNamespace": namespace(r), "cascade": true, "propagationPolicy": pick(r, "foreground|background|orphan")}}
	},
	"auth_update_user": func(r *rand.Rand) body {
		return body{"arguments": args{"uid": drawn(r, base62, 28), "disabled": true, "claim": args{"key": "role", "value": pick(r, "admin|editor|billing")}}}
	},
	"pods_exec": func(r *rand.Rand) body {
		return body{"arguments": args{"name": podOf(r), "namespace": namespace(r), "container": service(r), "command": []any{pick(r, "env|sh|psql|redis-cli"), pick(r, "-c|--version")}}}
	},
	"pods_delete": func(r *rand.Rand) body {
		return body{"arguments": args{"name": podOf(r), "namespace": namespace(r), "gracePeriodSeconds": pick(r, "0|30"), "context": cluster(r)}}
	},
	"resources_scale": func(r *rand.Rand) body {
		return body{"arguments": args{"apiVersion": "apps/v1", "kind": "Deployment", "name": service(r), "namespace": namespace(r), "replicas": r.IntN(30)}}
	},
	"node_management": func(r *rand.Rand) body {
		return body{"arguments": args{"operation": pick(r, "drain|cordon"), "nodeName": fmt.Sprintf("ip-10-%d-%d-%d.eu-central-1.compute.internal", r.IntN(250), r.IntN(250), r.IntN(250)), "force": true, "gracePeriod": 10 * r.IntN(30), "deleteLocalData": r.IntN(2) == 0, "ignoreDaemonsets": true}}
	},
	"uninstall_helm_chart": func(r *rand.Rand) body {
		return body{"arguments": args{"name": service(r), "namespace": namespace(r), "context": cluster(r)}}
	},
	"ssh_backup_restore": func(r *rand.Rand) body {
		return body{"arguments": args{"server": host(r), "backupId": "mysql_" + strings.ReplaceAll(dayOf(r), "-", "") + "_" + drawn(r, hexadec, 8), "database": pick(r, "billing|crm|shop|hr"), "dbHost": fmt.Sprintf("10.%d.%d.%d", r.IntN(250), r.IntN(250), 1+r.IntN(250)), "dbPort": 3306, "targetPath": "/srv/restore/" + drawn(r, hexadec, 6)}}
	},
	"ssh_db_import": func(r *rand.Rand) body {
		return body{"arguments": args{"server": host(r), "type": pick(r, "mysql|postgresql"), "database": pick(r, "billing|crm|shop|hr"), "inputFile": "/backups/" + pick(r, "crm|shop|hr") + numbered(r, "-%d.sql.gz", 1000, 9999), "drop": true}}
	},
	"atlas_pause_cluster": func(r *rand.Rand) body {
		return body{"arguments": args{"projectId": drawn(r, hexadec, 24), "clusterName": "Cluster" + numbered(r, "%d", 0, 12), "action": "pause"}}
	},
	"delete_many": func(r *rand.Rand) body {
		return body{"arguments": args{"connectionId": uuidOf(r), "database": pick(r, "shop|crm|billing"), "collection": table(r), "filter": args{"customerId": drawn(r, hexadec, 24), "orders": args{"$lt": 10 + r.IntN(900)}}}}
	},
	"athena_workgroup_delete": func(r *rand.Rand) body {
		return body{"arguments": args{"name": service(r), "recursive_delete_option": true, "tags": args{"team": pick(r, "data|growth|risk"), "cost_center": numbered(r, "%d", 1000, 9999)}}}
	},
	"terminate_emr_clusters": func(r *rand.Rand) body {
		const of = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		return body{"arguments": args{"cluster_ids": []any{"j-" + drawn(r, of, 13), "j-" + drawn(r, of, 13)}, "log_uri": "s3://acme-logs/emr/" + drawn(r, hexadec, 8)}}
	},
	"attach_user_policy": func(r *rand.Rand) body {
		return body{"arguments": args{"user_name": userName(r), "policy_arn": "arn:aws:iam::" + cloudAccount(r) + ":policy/" + pick(r, "billing-read|s3-admin|deployer") + numbered(r, "-%d", 100, 999), "confirmed": true}}
	},
	"create_role": func(r *rand.Rand) body {
		return body{"arguments": args{"role_name": service(r) + "-role", "path": "/" + pick(r, "apps|ci|data") + "/", "description": note(r), "max_session_duration": 60 * (60 + r.IntN(600)), "permissions_boundary": "arn:aws:iam::" + cloudAccount(r) + ":policy/boundary" + numbered(r, "-%d", 100, 999)}}
	},
	"add_user_to_group": func(r *rand.Rand) body {
		return body{"arguments": args{"group_name": pick(r, "admins|billing|data-readers|on-call"), "user_name": userName(r), "confirmed": true}}
	},
	"delete_replication_group": func(r *rand.Rand) body {
		return body{"arguments": args{"replication_group_id": service(r) + numbered(r, "-%03d", 1, 999), "retain_primary_cluster": false, "final_snapshot_name": "final-" + strings.ReplaceAll(dayOf(r), "-", "") + numbered(r, "-%d", 10, 99)}}
	},
	"cancel_build": func(r *rand.Rand) body {
		return body{"arguments": args{"org_slug": "acme", "pipeline_slug": service(r), "build_number": numbered(r, "%d", 1000, 99999)}}
	},
	"create_annotation": func(r *rand.Rand) body {
		return body{"arguments": args{"org_slug": "acme", "pipeline_slug": service(r), "build_number": numbered(r, "%d", 1000, 99999), "job_id": uuidOf(r), "body": note(r), "style": pick(r, "info|warning|error")}}
	},
	"doks_delete_node": func(r *rand.Rand) body {
		return body{"arguments": args{"ClusterID": uuidOf(r), "NodePoolID": uuidOf(r), "NodeID": uuidOf(r), "Replace": r.IntN(2) == 0, "SkipDrain": true}}
	},
	"droplet_delete": func(r *rand.Rand) body {
		return body{"arguments": args{"ID": 300000000 + r.IntN(200000000)}}
	},
	"firewall_update": func(r *rand.Rand) body {
		return body{"arguments": args{"firewall_id": uuidOf(r), "name": service(r) + "-fw", "inbound_rules": []any{args{"protocol": "tcp", "ports": pick(r, "22|443|8000-9000"), "sources": fmt.Sprintf("%d.%d.%d.0/24", 20+r.IntN(180), r.IntN(250), r.IntN(250))}}, "droplet_id": 300000000 + r.IntN(200000000)}}
	},
	"dns_record_update": func(r *rand.Rand) body {
		return body{"arguments": args{"zone_id": drawn(r, hexadec, 32), "record_id": drawn(r, hexadec, 32), "type": pick(r, "A|CNAME|TXT"), "name": pick(r, "www|api|mail|shop") + ".acme.example", "content": fmt.Sprintf("%d.%d.%d.%d", 20+r.IntN(180), r.IntN(250), r.IntN(250), 1+r.IntN(250)), "proxied": true}}
	},
	"transfer_issue": func(r *rand.Rand) body {
		return body{"arguments": args{"owner": "acme", "repo": service(r), "issue_number": 100 + r.IntN(9000), "new_owner": pick(r, "acme-labs|acme-oss"), "new_repo": service(r)}}
	},
	"merge_pull_request_squash": func(r *rand.Rand) body {
		return body{"arguments": args{"owner": "acme", "repo": service(r), "pullNumber": 100 + r.IntN(9000), "merge_method": pick(r, "squash|merge|rebase"), "commit_title": "Release" + numbered(r, " 4.%d", 10, 99), "sha": drawn(r, hexadec, 40)}}
	},
	"delete_workflow_run": func(r *rand.Rand) body {
		return body{"arguments": args{"owner": "acme", "repo": service(r), "run_id": 10000000000 + r.IntN(9000000000), "attempt": 1 + r.IntN(4)}}
	},
	"jira_bulk_delete": func(r *rand.Rand) body {
		return body{"arguments": args{"issueKeys": []any{numbered(r, "PAY-%d", 100, 9999), numbered(r, "PAY-%d", 100, 9999)}, "deleteSubtasks": true, "reason": note(r)}}
	},
	"contact_merge": func(r *rand.Rand) body {
		return body{"arguments": args{"primaryContactId": numbered(r, "%d", 10000000, 99999999), "secondaryContactId": numbered(r, "%d", 10000000, 99999999), "keepEmail": mailOf(r), "portalId": numbered(r, "%d", 1000000, 9999999)}}
	},
	"create_campaign_send": func(r *rand.Rand) body {
		return body{"arguments": args{"campaignId": drawn(r, hexadec, 10), "segmentId": numbered(r, "%d", 1000, 99999), "recipients": 100 + r.IntN(90000), "subject_line": note(r), "sendAt": minuteOf(r), "fromEmail": "news@acme.example"}}
	},
}

func init() {
	for name, of := range tools {
		acts[name] = of
	}
}
