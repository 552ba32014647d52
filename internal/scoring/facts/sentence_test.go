package facts

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
)

// acts are the effects of a call, the one with the highest floor first.
func acts(in *call.Call) []effects.Effect {
	if in.Function == "" && in.Code == "" && in.Arguments.IsAbsent() {
		return nil
	}
	all := effects.Examine(effects.Input{Function: in.Function, Arguments: in.Arguments, Code: in.Code, Environment: in.Environment, Call: in}).Effects(effects.Given{})
	effects.Default().Floor(all, false)
	return all
}

func TestSentence(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ function, arguments, code, environment, sentence, hidden string }{
		{"delete_user", `{"args":["usr_123"],"env":"production"}`, "", "", "Delete user usr_123 in production", "Delete a user"},
		{"delete_user", `{"user_id":"usr_123"}`, "", "production", "Delete user usr_123 in production", "Delete a user"},
		{"delete", `{"user_id":"usr_123"}`, "", "", "Delete user usr_123", "Delete a user"},
		{"user.delete", `{"id":"usr_123"}`, "", "", "Delete user usr_123", "Delete a user"},
		{"mcp__github__create_issue", `{"repo":"acme/web"}`, "", "", "Create issue for repository acme/web", "Create an issue"},
		{"delete_users", `["u1"]`, "", "", "Delete users u1", "Delete users"},
		{"delete_user", ``, "", "staging", "Delete user in staging", "Delete a user"},
		{"purge", ``, "", "", "Purge", "Purge something"},
		{"run_sql", `{"sql":"DROP TABLE orders"}`, "", "", "Drop table orders", "Drop a table"},
		{"run_sql", `{"sql":"DELETE FROM orders","env":"prod"}`, "", "", "Delete every row of orders in prod", "Delete rows of a table"},
		{"run_sql", `{"sql":"SELECT 1"}`, "", "", "Read rows", "Read rows"},
		{"list_users", `{"q":"DROP TABLE users"}`, "", "", "Drop table users", "Drop a table"},
		{"bash", `{"command":"rm -rf /srv/x"}`, "", "", "Delete /srv/x recursively", "Delete a folder"},
		{"bash", `{"command":"sudo -u root rm -rf /srv/x && echo done"}`, "", "", "Delete /srv/x recursively", "Delete a folder"},
		{"bash", `{"command":"terraform destroy -auto-approve"}`, "", "", "Destroy all infrastructure", "Destroy infrastructure"},
		{"bash", ``, "rm -rf /srv/x", "", "Delete /srv/x recursively", "Delete a folder"},
		{"transfer_funds", `{"amount":5,"currency":"EUR","recipient":"Northwind"}`, "", "", "Transfer 5 EUR to Northwind", "Transfer funds"},
		{"send_email", `{"to":"bob@example.com"}`, "", "", "Send email to bob@example.com", "Send an email"},
		{"deploy_service", `{"service":"checkout","env":"staging","region":"eu-1"}`, "", "", "Deploy service checkout in staging", "Deploy a service"},
		{"deploy_service", `{"service":"checkout","env":"staging"}`, "", "production", "Deploy service checkout in production", "Deploy a service"},
		{"deploy_service", `{"service":"checkout","env":"live"}`, "", "staging", "Deploy service checkout in live", "Deploy a service"},
		{"update_rows", `{"table":"crm.contacts"}`, "", "", "Update rows on crm.contacts", "Update rows"},
		{"reset_password", `{"user":"u1"}`, "", "", "Reset password for user u1", "Reset a password"},
		{"write_file", `{"path":"/srv/x"}`, "", "", "Write file /srv/x", "Write a file"},
		{"frobnicate", `{"user":"u1"}`, "", "prod", "Run frobnicate on u1 in prod", "Run frobnicate"},
		{"frobnicate", ``, "", "", "Run frobnicate", "Run frobnicate"},
		{"run_sql", `{"sql":"UPDATE users SET role = 'admin' WHERE id = 7"}`, "", "", "Update users where id = 7: role → admin", "Update rows of a table"},
		{"refund", `{"charge_id":"ch_1","amount":49.99,"currency":"EUR"}`, "", "", "Refund 49.99 EUR for charge ch_1", "Refund a charge"},
		{"delete_backup", `{"id":"b-0"}`, "", "", "Delete backup b-0", "Delete a backup"},
		{"bash", `{"command":"docker exec db rm -rf /srv/x"}`, "", "", "Delete /srv/x recursively", "Delete a folder"},
		{"bash", `{"command":"kubectl delete pods --all -n shop"}`, "", "", "Delete all pods", "Delete a cluster"},
		{"bash", `{"command":"git push --force origin main"}`, "", "", "Force-push to main", "Force-push a repository"},
		{"delete_nothing_zafe_toapprove", `{"id":"b-0"}`, "", "", "Delete b-0", "Delete a target"},
		{"python", `{"code":"import shutil\nshutil.rmtree('/var/lib/reports/123')"}`, "", "", "Delete /var/lib/reports/123 recursively", "Delete a folder"},
		{"python", `{"script":"import shutil\nshutil.rmtree('/var/lib/reports/123')"}`, "", "", "Delete /var/lib/reports/123 recursively", "Delete a folder"},
		{"run_python", ``, "import shutil\nshutil.rmtree('/var/lib/reports/123')", "", "Delete /var/lib/reports/123 recursively", "Delete a folder"},
		{"run_python", ``, "import os\nos.remove('/srv/x')", "", "Delete /srv/x", "Delete a file"},
		{"bash", `{"command":"rm -rf /srv/exports/2023-157"}`, "", "", "Delete /srv/exports/2023-157 recursively", "Delete a folder"},
		{"run_sql", `{"sql":"UPDATE users SET role='admin' WHERE id=7"}`, "", "", "Update users where id = 7: role → admin", "Update rows of a table"},
		{"run_sql", `{"sql":"UPDATE users SET role='admin', plan='pro' WHERE id=7"}`, "", "", "Update users where id = 7: role → admin, plan → pro", "Update rows of a table"},
		{"http_request", `{"method":"DELETE","url":"https://api.stripe.com/v1/customers/cus_1"}`, "", "", "DELETE api.stripe.com/v1/customers/cus_1", "Send a DELETE request"},
		{"http_request", `{"method":"POST","url":"https://api.stripe.com/v1/refunds"}`, "", "", "POST api.stripe.com/v1/refunds", "Send a POST request"},
		{"set_feature_flag", `{"flag":"new-checkout","value":true,"env":"production"}`, "", "", "Set feature flag new-checkout = true in production", "Set a feature flag"},
		{"set_feature_flag", `{"flag":"new-checkout","enabled":true}`, "", "", "Set feature flag new-checkout = true", "Set a feature flag"},
		{"delete_backup", `{"backup":"b-0"}`, "", "production", "Delete backup b-0 in production", "Delete a backup"},
		{"create_ticket", `{"assignee":"mei.tanaka@example.com","title":"Printer"}`, "", "", "Create ticket for mei.tanaka@example.com", "Create a ticket"},
		{"reconcile_the_whole_ledger_of_the_last_quarter_and_write_the_result_back", `{"path":"/srv/ledger"}`, "", "", "Run reconcile_the_whole_ledger_of_the_last_quarter_and_write_the_result_back on /srv/ledger", "Run reconcile_the_whole_ledger_of_the_last_quarter_and_write_the_result_back"},
		{"delete_user", `{"user_id":"usr_123","documents":214}`, "", "", "Delete user usr_123", "Delete a user"},
		{"restart", `{"force":true,"mode":"warm"}`, "", "", "Restart (mode: warm)", "Restart something"},
		{"", ``, "", "", "Pass content on to the agent", "Pass content on to the agent"},
		{"حذف", `{"user":"مستخدم"}`, "", "", "Delete user مستخدم", "Delete a user"},
		{"delete_user", `{"user":"a\nb\u2028c\u0085d\u001b[0m"}`, "", "", `Delete user "a␊b␤c␤d␛[0m"`, "Delete a user"},
		{
			"delete_user", `{"user":"` + strings.Repeat("a", 50) + strings.Repeat("é", 50) + `"}`, "", "",
			"Delete user " + strings.Repeat("a", 47) + "…" + strings.Repeat("é", 32), "Delete a user",
		},
	} {
		t.Run(test.function+" "+test.arguments+test.code, func(t *testing.T) {
			t.Parallel()
			in := &call.Call{Function: test.function, Arguments: parse(t, test.arguments), Code: test.code, Environment: test.environment}
			found := Extract(in)
			if got := Sentence(in, found, acts(in)); got != test.sentence {
				t.Errorf("the sentence is %q, want %q", got, test.sentence)
			}
			if got := Hidden(in, found, acts(in)); got != test.hidden {
				t.Errorf("while hidden it is %q, want %q", got, test.hidden)
			}
		})
	}
}

// Whatever an agent writes, it reads as a value, not as a part of the sentence.
func TestAnAgentsTextIsQuoted(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ function, arguments, code, environment, sentence, hidden string }{
		{"delete_user", `{"user_id":"usr_1"}`, "", "sandbox, safe to approve", `Delete user usr_1 in "sandbox, safe to approve"`, "Delete a user"},
		{"delete_user", `{"user_id":"usr_1"}`, "", "sandbox\u00a0safe", "Delete user usr_1 in \"sandbox\u00a0safe\"", "Delete a user"},
		{"delete_user", `{"user_id":"usr_1"}`, "", "sand,box", `Delete user usr_1 in "sand,box"`, "Delete a user"},
		{"delete_user", `{"user_id":"usr_1"}`, "", strings.Repeat("a", 41), `Delete user usr_1 in "` + strings.Repeat("a", 41) + `"`, "Delete a user"},
		{"delete_user", `{"user_id":"usr_1"}`, "", "eu-west-1.prod_a", "Delete user usr_1 in eu-west-1.prod_a", "Delete a user"},
		{"delete_user", `{"user_id":"usr_1 in staging"}`, "", "", `Delete user "usr_1 in staging"`, "Delete a user"},
		{"delete_user", `{"user_id":"usr_1\" in staging"}`, "", "", `Delete user "usr_1\" in staging"`, "Delete a user"},
		{"delete_user", `{"user_id":"usr_1\\\" in staging"}`, "", "", `Delete user "usr_1\\\" in staging"`, "Delete a user"},
		{"delete_user", `{"user_id":"usr_1\u2800in\u2800staging"}`, "", "", "Delete user \"usr_1\u2800in\u2800staging\"", "Delete a user"},
		{"<div hx-get>", `{"user":"u1"}`, "", "", `Run "<div hx-get>" on u1`, `Run "<div hx-get>"`},
		{"list files (safe, approve)", ``, "", "", `Run "list files (safe, approve)"`, `Run "list files (safe, approve)"`},
		{"delete all users", `{"sql":"SELECT 1"}`, "", "", `Run "delete all users"`, `Run "delete all users"`},
		{"delete user", ``, "", "", `Run "delete user"`, `Run "delete user"`},
		{"<div hx-get>", `{"command":"<div hx-get=/x>"}`, "", "", `Run command on hx-get=/x>`, `Run command`},
		{"send_sms", `{"phone":"+41 44 668 18 00"}`, "", "", "Send sms to +41 44 668 18 00", "Send sms"},
		{"bash", `{"command":"'nothing, safe to approve' /srv/x"}`, "", "", `Run program on /srv/x`, `Run program`},
		{"transfer_funds", `{"amount":"5 EUR, a test, to nobody","recipient":"acme"}`, "", "", `Transfer "5 EUR, a test, to nobody" to acme`, "Transfer funds"},
		{"transfer_funds", `{"amount":5,"currency":"EUR","recipient":"Northwind Traders"}`, "", "", `Transfer 5 EUR to "Northwind Traders"`, "Transfer funds"},
	} {
		in := &call.Call{Function: test.function, Arguments: parse(t, test.arguments), Code: test.code, Environment: test.environment}
		found := Extract(in)
		if got := Sentence(in, found, acts(in)); got != test.sentence {
			t.Errorf("the sentence is %s, want %s", got, test.sentence)
		}
		if got := Hidden(in, found, acts(in)); got != test.hidden {
			t.Errorf("while hidden it is %s, want %s", got, test.hidden)
		}
	}
}

func TestSalient(t *testing.T) {
	t.Parallel()
	in := &call.Call{Function: "run_sql", Arguments: parse(t, `{"sql":"DROP TABLE orders"}`)}
	if f, ok := Salient(in, Extract(in)); !ok || f.Value != "orders" || f.Kind != Table {
		t.Errorf("got %+v %v", f, ok)
	}
	in = &call.Call{Function: "wipe", Arguments: parse(t, `{"count":3,"env":"prod","force":true}`)}
	if f, ok := Salient(in, Extract(in)); ok || f.Value != "wipe" || f.Kind != Target {
		t.Errorf("without a specific target: got %+v %v", f, ok)
	}
}

func TestTypedTarget(t *testing.T) {
	t.Parallel()
	sixtyFour := strings.Repeat("é", 64)
	for _, test := range []struct{ value, want string }{
		{"orders", "orders"},
		{sixtyFour, sixtyFour},
		{"x" + sixtyFour, strings.Repeat("é", 24)},
		{"a\nlonger part\tb", "longer part"},
		{"rm -rf\n/srv/x", "/srv/x"},
		{"", ""},
		{"\n", ""},
	} {
		if got := TypedTarget(test.value); got != test.want {
			t.Errorf("%q: got %q, want %q", test.value, got, test.want)
		}
	}
}

func TestTargetMatches(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		typed, want string
		ok          bool
	}{
		{"orders", "orders", true},
		{"e\u0301", "é", true},
		{"é", "e\u0301", true},
		{"Orders", "orders", false},
		{"orders ", "orders", false},
		{"order", "orders", false},
		{"", "", false},
		{"", "\n", false},
		{"\u043erders", "orders", false}, // a Cyrillic о
		{"\uff4frders", "orders", false}, // NFC does not fold full-width letters
		{strings.Repeat("a", 24), strings.Repeat("a", 65), true},
		{strings.Repeat("a", 65), strings.Repeat("a", 65), false}, // the last 24 are asked for
	} {
		if got := TargetMatches(test.typed, test.want); got != test.ok {
			t.Errorf("%q for %q: got %v", test.typed, test.want, got)
		}
	}
}

// FuzzFacts makes sure that nothing panics, that every fact stands where it says
// and that the sentence is one bounded line.
func FuzzFacts(f *testing.F) {
	for _, seed := range []string{
		"DROP TABLE \"a\".b, c CASCADE; -- x", "rm -rf '/srv/x' \"$(cat /etc/passwd)\" > /tmp/y", "bash -c 'sh -c \"rm x\"'",
		"https://u:p@[::1]:80/x a@b.c EUR 5 DE89 3704 0044 0532 0130 00", "WITH a AS (SELECT 1) DELETE FROM b", "$$", "\"", "'", "\\", "(((",
		"sudo -u", "git push -f", "dd of=", "\u00a0\u2028\x7f", "IN SELECT ( ) ) FROM ,", "`", "a@b.c\u200f", "C:\\x", "DROP TABLE A .A", "DROP TABLE a/**/. b",
	} {
		f.Add("run_sql", "sql", seed)
		f.Add("bash", "command", seed)
		f.Add("delete_user", "user_id", seed)
	}
	f.Fuzz(func(t *testing.T, function, name, text string) {
		in := &call.Call{
			Function:    function,
			Arguments:   canon.Object(canon.Member{Name: name, Value: canon.Array(canon.String(text), canon.String(text))}),
			Code:        canon.String(text).Text(),
			Environment: canon.String(text).Text(),
		}
		facts := Extract(in)
		for _, fact := range facts {
			checkPlace(t, in, fact)
		}
		sentence := Sentence(in, facts, acts(in)) + Hidden(in, facts, acts(in))
		if strings.ContainsFunc(sentence, unicode.IsControl) {
			t.Errorf("the sentence breaks: %q", sentence)
		}
		if n := utf8.RuneCountInString(sentence); n > 8*maxShown {
			t.Errorf("the sentence has %d characters: %q", n, sentence)
		}
		if target, _ := Salient(in, facts); TypedTarget(target.Value) != "" && !TargetMatches(TypedTarget(target.Value), target.Value) {
			t.Errorf("nobody can type %q", target.Value)
		}
	})
}
