package facts

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
)

// parse reads arguments; "" is none.
func parse(t testing.TB, arguments string) canon.Value {
	t.Helper()
	if arguments == "" {
		return canon.Value{}
	}
	v, err := canon.Parse([]byte(arguments))
	if err != nil {
		t.Fatalf("%s: %v", arguments, err)
	}
	return v
}

// describe is a fact as the tables write it.
func describe(f Fact) string {
	return fmt.Sprintf("%s %s (%s) %s", f.Kind, f.Value, f.Label, f.Source)
}

func describeAll(facts []Fact) []string {
	all := make([]string, len(facts))
	for i, f := range facts {
		all[i] = describe(f)
	}
	return all
}

func TestExtract(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		function, arguments string
		want                []string
	}{
		{"delete_user", `{"args":["usr_123"],"env":"production"}`, []string{"target usr_123 (user) key", "environment production (environment) key"}},
		{"delete_user", `{"user_id":"usr_123"}`, []string{"target usr_123 (user) key"}},
		{"delete_user", `{"bucket":"b1","user_id":"usr_123"}`, []string{"target usr_123 (user) key", "target b1 (bucket) key"}},
		{"drop_bucket", `{"bucket":"b1","account":"acc_1"}`, []string{"target b1 (bucket) key", "target acc_1 (account) key"}},
		{"deleteUser", `{"userId":"usr_123"}`, []string{"target usr_123 (user) key"}},
		{"delete_user", `{"userID":"  usr_123 "}`, []string{"target usr_123 (user) key"}},
		{"delete_user", `{"user":{"id":"usr_1","name":"Dana"}}`, []string{"target usr_1 (user) key", "target Dana (user) key"}},
		{"delete_users", `{"user_ids":["u1","u2"]}`, []string{"target u1 (user) key", "target u2 (user) key"}},
		{"delete_user", `["--force","usr_123","x"]`, []string{"target usr_123 (user) key"}},
		{"delete_user", `[42,"x"]`, []string{"target x (user) key"}},
		{"f", `{"id":42}`, []string{"target 42 (target) key"}},
		{"f", `{"account":"acc_1","customer":"cus_1"}`, []string{"target acc_1 (account) key", "target cus_1 (customer) key"}},
		{"f", `{"db":"billing","bucket":"b1"}`, []string{"target b1 (bucket) key", "target billing (database) key"}},
		{"f", `{"cluster":"c1","namespace":"n1","service":"s1"}`, []string{"target c1 (cluster) key", "target n1 (namespace) key", "target s1 (service) key"}},
		{"f", `{"repository":"acme/web","project":"p1"}`, []string{"target p1 (project) key", "target acme/web (repository) key"}},
		{"f", `{"resource":"r1","key":"config/app"}`, []string{"target config/app (key) key", "target r1 (resource) key"}},
		{"f", `{"api_key":"sk-1","secret_key":"x","api_key_id":"key_1"}`, []string{"target key_1 (key) key"}},
		{"f", `{"to":"bob@example.com"}`, []string{"recipient bob@example.com (recipient) key"}},
		{"f", `{"recipients":["a@x.org","b@x.org"]}`, []string{"recipient a@x.org (recipient) key", "recipient b@x.org (recipient) key"}},
		{"f", `{"channel":"#ops","phone":"+41 44 000 00 00"}`, []string{"recipient #ops (channel) key", "recipient +41 44 000 00 00 (phone) key"}},
		{"f", `{"iban":"DE89370400440532013000"}`, []string{"recipient DE89370400440532013000 (iban) key"}},
		{"f", `{"table":"orders","collection":"c","index":"i","topic":"t","queue":"q"}`, []string{"table c (collection) key", "table i (index) key", "table q (queue) key", "table orders (table) key", "table t (topic) key"}},
		{"f", `{"path":"/srv/x","dst":"out","directory":"/var"}`, []string{"path /var (directory) key", "path out (destination) key", "path /srv/x (path) key"}},
		{"f", `{"filename":"a.txt"}`, []string{"path a.txt (file) key"}},
		{"f", `{"url":"https://user:pw@api.example.com:8443/v1?q=1"}`, []string{"host api.example.com (address) key"}},
		{"f", `{"host":"db-prod-2:5432","endpoint":"http://[2001:db8::1]:80/"}`, []string{"host 2001:db8::1 (endpoint) key", "host db-prod-2:5432 (host) key"}},
		{"f", `{"uri":"s3://bucket/key"}`, []string{"host bucket (address) key"}},
		{"f", `{"url":"file:///srv/x"}`, []string{}},
		{"f", `{"branch":"main","tag":"v1"}`, []string{"branch main (branch) key", "branch v1 (tag) key"}},
		{"f", `{"amount":20.5,"currency":"EUR"}`, []string{"amount 20.5 EUR (amount) key"}},
		{"f", `{"amount":"1200","currency_code":"USD","nested":{"price":3}}`, []string{"amount 1200 USD (amount) key", "amount 3 (price) key"}},
		{"f", `{"limit":10,"total":"none","quantity":3}`, []string{"amount 10 (limit) key", "amount 3 (quantity) key"}},
		{"f", `{"count":3,"rows":4,"n":5,"size":6,"replicas":7,"affected_rows":8}`, []string{"count 8 (rows) key", "count 3 (count) key", "count 5 (count) key", "count 7 (replicas) key", "count 4 (rows) key", "count 6 (size) key"}},
		{"f", `{"size":"large"}`, []string{}},
		{"f", `{"env":"staging","region":"eu-central-1"}`, []string{"environment staging (environment) key", "environment eu-central-1 (region) key"}},
		{"f", `{"force":true,"recursive":false,"dry_run":true,"confirm":"yes","hard":"true"}`, []string{"flag true (dry run) key", "flag true (force) key", "flag true (hard) key", "flag false (recursive) key"}},
		{"f", `{"dryRun":true,"cascade":1}`, []string{"flag true (dry run) key"}},
		{"f", `{"name":"","id":null,"table":[],"path":{}}`, []string{}},
		{"f", `{"note":"nothing here"}`, []string{}},
		{"f", `{"a":{"b":{"c":{"user_id":"deep"}}}}`, []string{"target deep (user) key"}},
		{"f", `{"user":"orders","table":"orders"}`, []string{"target orders (user) key"}},
		{"f", `{"env":"x","user":"x","count":"5","amount":"5"}`, []string{"target x (user) key", "amount 5 (amount) key", "count 5 (count) key", "environment x (environment) key"}},
		{"run_sql", `{"sql":"DROP TABLE orders"}`, []string{"table orders (table) sql"}},
		{"run_sql", `{"sql":"drop table if exists public.orders, audit.log cascade"}`, []string{"table public.orders (table) sql", "table audit.log (table) sql", "flag true (cascade) sql"}},
		{"run_sql", `{"sql":"DROP DATABASE billing; DROP SCHEMA s"}`, []string{"table billing (database) sql", "table s (schema) sql"}},
		{"run_sql", `{"sql":"DELETE FROM \"Order Items\" WHERE id = 'FROM x'"}`, []string{"table Order Items (table) sql"}},
		{"run_sql", `{"sql":"-- FROM a\nUPDATE /* FROM b */ crm.contacts SET x = 1 LIMIT 5"}`, []string{"table crm.contacts (table) sql", "count 5 (limit) sql"}},
		{"run_sql", `{"sql":"SELECT * FROM a, b AS bb, c cc JOIN d ON d.x = EXTRACT(year FROM a.y)"}`, []string{"table a (table) sql", "table b (table) sql", "table c (table) sql", "table d (table) sql"}},
		{"run_sql", `{"sql":"INSERT INTO t (a) SELECT f FROM generate_series(1, 2)"}`, []string{"table t (table) sql"}},
		{"run_sql", `{"sql":"WITH old AS (SELECT 1 FROM src) DELETE FROM dst USING old"}`, []string{"table dst (table) sql", "table src (table) sql"}},
		{"run_sql", `{"sql":"TRUNCATE orders"}`, []string{"table orders (table) sql"}},
		{"run_sql", `{"sql":"SELECT 1 FROM a; DROP TABLE b"}`, []string{"table b (table) sql", "table a (table) sql"}},
		{"run_sql", `{"sql":"SELECT $$ FROM x $$ FROM y FOR UPDATE"}`, []string{"table y (table) sql"}},
		{"run_sql", `{"sql":"DROP\u00a0TABLE\u3000orders"}`, []string{"table orders (table) sql"}},
		{"f", `{"text":"Update me on the move from Rome"}`, []string{}},
		{"f", `{"text":"Delete from the list what you do not need; FROM is a word"}`, []string{}},
		{"bash", `{"command":"rm -rf /srv/x"}`, []string{"path /srv/x (path) shell", "flag true (recursive) shell", "flag true (force) shell"}},
		{"bash", `{"command":"cat /tmp/a && sudo -u root rm -r '/srv/my dir'; ls > /tmp/out"}`, []string{"path /srv/my dir (path) shell", "path /tmp/a (path) shell", "path /tmp/out (path) shell", "flag true (recursive) shell"}},
		{"bash", `{"command":"FOO=1 env BAR=2 chmod -R 777 /var/www"}`, []string{"path /var/www (path) shell", "flag true (recursive) shell"}},
		{"bash", `{"command":"git push --force origin main"}`, []string{"branch main (branch) shell", "flag true (force) shell"}},
		{"bash", `{"command":"echo hi # rm /srv/x"}`, []string{"path /srv/x (path) shape"}},
		{"bash", `{"command":"sh -c \"rm build\""}`, []string{"path build (path) shell"}},
		{"bash", `{"command":"dd if=/dev/zero of=/dev/sda"}`, []string{"path /dev/sda (path) shell", "path /dev/zero (path) shell"}},
		{"subprocess", `["rm","-rf","/srv/x"]`, []string{"path /srv/x (path) shell", "flag true (recursive) shell", "flag true (force) shell"}},
		{"f", `{"x":"terraform destroy -auto-approve"}`, []string{"flag true (auto approve) shell"}},
		{"f", `{"x":"kill the lights in /kitchen please"}`, []string{"path /kitchen (path) shape"}},
		{"f", `{"text":"write to a.b@example.co.uk, see https://x.example/p?q=a@b.c and 10.0.0.1/24"}`, []string{"recipient a.b@example.co.uk (e-mail address) shape", "host x.example (host) shape", "host 10.0.0.1 (address) shape"}},
		{"f", `{"text":"from ::1 or fe80::1, not 12:30 nor 1.2.3.4.5 nor v1.2.3.4"}`, []string{"host ::1 (address) shape", "host fe80::1 (address) shape"}},
		{"f", `{"text":"read /etc/passwd, C:\\Windows\\x and and/or 1/2"}`, []string{"path /etc/passwd (path) shape", "path C:\\Windows\\x (path) shape"}},
		{"f", `{"text":"pay DE89 3704 0044 0532 0130 00 not DE00 3704 0044 0532 0130 00"}`, []string{"recipient DE89 3704 0044 0532 0130 00 (IBAN) shape"}},
		{"f", `{"text":"pay EUR 48,200.00, then $5 or 20 CHF or 7€ but not 5 apples"}`, []string{"amount EUR 48,200.00 (amount) shape", "amount $5 (amount) shape", "amount 20 CHF (amount) shape", "amount 7€ (amount) shape"}},
		{"f", `{"from":"not a recipient","hello":"wörld","用户":"张伟"}`, []string{}},
		{"f", `{"user":"مستخدم` + "\u200f" + `","env":"إنتاج"}`, []string{"target مستخدم\u200f (user) key", "environment إنتاج (environment) key"}},
		{"f", `{"user":"a\nb"}`, []string{"target a\nb (user) key"}},
		{"f", `{"text":"DELETE FROM users WHERE id = 1"}`, []string{"table users (table) sql"}},
		{"f", `{"text":"Drop the table at the door"}`, []string{}},
		{"f", `{"text":"Insert the key into the lock"}`, []string{}},
		{"f", `{"text":"select items from the list"}`, []string{}},
		{"f", `{"text":"SELECT a, b FROM s.t"}`, []string{"table s.t (table) sql"}},
		{"run_sql", `{"query":"ALTER TABLE users DROP COLUMN email"}`, []string{"table users (table) sql"}},
		{"run_sql", `{"sql":"GRANT ALL ON TABLE users TO bob"}`, []string{"recipient bob (role) sql", "table users (table) sql"}},
	} {
		t.Run(test.function+" "+test.arguments, func(t *testing.T) {
			t.Parallel()
			in := &call.Call{Function: test.function, Arguments: parse(t, test.arguments)}
			found := Extract(in)
			if got := describeAll(found); !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			for _, f := range found {
				checkPlace(t, in, f)
			}
		})
	}
}

// checkPlace makes sure that the value stands where the fact says it does.
func checkPlace(t testing.TB, in *call.Call, f Fact) {
	t.Helper()
	text := in.Code
	if f.Pointer != CodePointer {
		text = lookUp(in, f.Pointer)
	}
	if f.Start < 0 || f.Start >= f.End || f.End > len(text) {
		t.Fatalf("%s: %d to %d is no stretch of %q", describe(f), f.Start, f.End, text)
	}
	value := f.Value
	if f.Kind == Amount && f.Source == FromKey {
		value, _, _ = strings.Cut(value, " ") // without the currency
	}
	if f.Kind == Flag && f.Source != FromKey {
		return // the place is the option that says it
	}
	stretch := text[f.Start:f.End]
	if f.Source == FromSQL && (strings.Join(strings.Fields(stretch), "") == value || strings.Contains(stretch, "/*") || strings.Contains(stretch, "--")) {
		return // SQL lets spaces and comments stand beside the dots of a name
	}
	if stretch != value && !strings.ContainsAny(stretch, `$\"'[`+"`") {
		t.Errorf("%s: at %d to %d stands %q", describe(f), f.Start, f.End, stretch)
	}
}

// lookUp is the text at a pointer into the action.
func lookUp(in *call.Call, pointer string) string {
	if pointer == "/environment" {
		return in.Environment
	}
	v := in.Arguments
	for token := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(pointer, "/arguments"), "/"), "/") {
		if v.Kind() == canon.KindArray {
			for i, e := range v.Elements() {
				if fmt.Sprint(i) == token {
					v = e
					break
				}
			}
			continue
		}
		v = v.Get(strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~"))
	}
	if v.Kind() == canon.KindBool {
		return fmt.Sprint(v.Bool())
	}
	return v.Text() + v.Number()
}

func TestExtractPlaces(t *testing.T) {
	t.Parallel()
	got := Extract(&call.Call{
		Function: "f", Arguments: parse(t, `{"a/b":{"user":" x "},"sql":"DROP TABLE t"}`),
		Code: "see /etc/hosts", Environment: "prod",
	})
	want := []Fact{
		{Kind: Target, Value: "x", Label: "user", Pointer: "/arguments/a~1b/user", Start: 1, End: 2, Source: FromKey},
		{Kind: Table, Value: "t", Label: "table", Pointer: "/arguments/sql", Start: 11, End: 12, Source: FromSQL},
		{Kind: Path, Value: "/etc/hosts", Label: "path", Pointer: "code", Start: 4, End: 14, Source: FromShape},
		{Kind: Environment, Value: "prod", Label: "environment", Pointer: "/environment", Start: 0, End: 4, Source: FromKey},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if place := got[2].Place(); place.Pointer != "/code" || place.Start != 4 {
		t.Errorf("the place of a fact in the code is %+v", place)
	}
}

func TestExtractIsBounded(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, " u%d@example.com", i)
	}
	long := strings.Repeat("k", 60_000)
	in := &call.Call{Function: "f", Arguments: canon.Object(
		canon.Member{Name: "text", Value: canon.String(many.String())},
		canon.Member{Name: long, Value: canon.String("a@b.c /x/y https://h.example 10.0.0.1 EUR 5")},
	)}
	counts, size := map[Kind]int{}, 0
	for _, f := range Extract(in) {
		counts[f.Kind]++
		size += len(f.Pointer)
	}
	if counts[Recipient] != maxPerKind {
		t.Errorf("%d recipients, want %d", counts[Recipient], maxPerKind)
	}
	if size > maxPointerBytes+len(long) {
		t.Errorf("the pointers of all facts have %d bytes", size)
	}
}

// The agent's claims are not read, whatever they say: there is no way to hand
// them in, and a decoy in front of a dangerous statement hides nothing.
func TestMostDangerousFirst(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ function, text, want string }{
		{"run_sql", "SELECT * FROM decoy; SELECT * FROM decoy2; DROP TABLE orders", "orders"},
		{"run_sql", "EXPLAIN SELECT 1 FROM decoy; DELETE FROM orders WHERE id = 1", "orders"},
		{"bash", "cat /decoy; ls /decoy2 | rm -rf /srv/x", "/srv/x"},
		{"bash", "cat /decoy > /dev/null; sudo rm /srv/x", "/srv/x"},
	} {
		in := &call.Call{Function: test.function, Arguments: canon.Object(canon.Member{Name: "command", Value: canon.String(test.text)})}
		f, ok := Salient(in, Extract(in))
		if !ok || f.Value != test.want {
			t.Errorf("%s: the target is %q, want %q", test.text, f.Value, test.want)
		}
	}
}

// The place of a fact in a command is its value, or the word that becomes it.
func TestPlacesInCommands(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		`{"command":"rm '/a b'"}`:                       "/a b",
		`{"command":"rm --target-directory=/a"}`:        "/a",
		`{"command":"rm /a\"b\""}`:                      `/a"b"`,
		`{"command":"d=/a; rm $d"}`:                     "$d",
		`{"command":"bash -c 'rm /a'"}`:                 "/a",
		`{"command":"ssh h 'sudo rm /a'"}`:              "/a",
		`{"command":"bash -c \"rm \\\"/a\\\"\""}`:       `"rm \"/a\""`,
		`{"argv":["bash","-c","rm /a"]}`:                "/a",
		`{"argv":["rm","-rf","/a"]}`:                    "/a",
		`{"body":"{\"command\":\"rm \\\"/a\\\" /b\"}"}`: "/a",
		`{"command":"sh <<E\nrm /a\nE\n"}`:              "/a",
		`{"command":"find . -exec rm /a {} +"}`:         "/a",
	} {
		in := &call.Call{Function: "run", Arguments: parse(t, arguments)}
		got := ""
		for _, f := range Extract(in) {
			if f.Kind == Path && strings.HasPrefix(f.Value, "/a") {
				got = lookUp(in, f.Pointer)[f.Start:f.End]
			}
		}
		if got != want {
			t.Errorf("%s: the place is %q, want %q", arguments, got, want)
		}
	}
}

// However many commands stand before it, the most dangerous one leads.
func TestTheMostDangerousOfMany(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("cat /decoy; ", maxCommands+1) + "rm /srv/x"
	in := &call.Call{Function: "bash", Arguments: canon.Object(canon.Member{Name: "command", Value: canon.String(text)})}
	if f, _ := Salient(in, Extract(in)); f.Value != "/srv/x" {
		t.Errorf("the target is %q", f.Value)
	}
}
