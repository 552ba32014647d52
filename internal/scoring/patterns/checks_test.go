package patterns

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/scoring/scan"
)

// found is what a pattern of the default library covers in a text, joined by |.
func found(t *testing.T, id, text string) string {
	t.Helper()
	i, ok := Default().index[id]
	if !ok {
		t.Fatalf("no pattern %s", id)
	}
	var parts []string
	s := newSubject(read(scan.Segment{Pointer: "/x", Text: text}))
	for _, o := range Default().matchers[i].placesIn(&s, 0) {
		parts = append(parts, text[o.Start:o.End])
	}
	return strings.Join(parts, "|")
}

func TestWhatAPatternCovers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ id, text, want string }{
		// Cards: the issuer's length and grouping, the check digit, the edges.
		{"card-number", "4111111111111111", "4111111111111111"},
		{"card-number", "12 4111 1111 1111 1111 12/27 123", "4111 1111 1111 1111"},
		{"card-number", "4111 1111 1111 1111 5555 5555 5555 4444", "4111 1111 1111 1111|5555 5555 5555 4444"},
		{"card-number", "378282246310005,30569309025904,6011111111111117,3530111333300000", "378282246310005|30569309025904|6011111111111117|3530111333300000"},
		{"card-number", "2223003122003222 6200000000000005", "2223003122003222|6200000000000005"},
		{"card-number", "card:4111111111111111.", "4111111111111111"},
		{"card-number", "4111111111111112", ""},
		{"card-number", "0.4111111111111111", ""},
		{"card-number", "4111111111111111.5", ""},
		{"card-number", "x4111111111111111", ""},
		{"card-number", "4111111111111111x", ""},
		{"card-number", "4111-1111-1111-1111-1", ""},
		{"card-number", "4111 1111-1111 1111", ""},
		{"card-number", "41 1111 1111 1111 11", ""},
		{"card-number", "1234567812345670", ""}, // passes Luhn, no issuer
		{"card-number", "41111111111111111111", ""},

		// IBANs: the country's length, groups of four, the remainder.
		{"iban", "DE89370400440532013000", "DE89370400440532013000"},
		{"iban", "from DE89 3704 0044 0532 0130 00 then pay", "DE89 3704 0044 0532 0130 00"},
		{"iban", "DE89370400440532013000 GB82WEST12345698765432", "DE89370400440532013000|GB82WEST12345698765432"},
		{"iban", "NO9386011117947, MT84MALT011000012345MTLCAST001S", "NO9386011117947|MT84MALT011000012345MTLCAST001S"},
		{"iban", "DE88370400440532013000", ""},
		{"iban", "DE893704004405320130001", ""},
		{"iban", "DE89 37040044 0532 0130 00", "DE89 37040044 0532 0130 00"},
		{"iban", "DE 89370400440532013000", ""},
		{"iban", "XDE89370400440532013000", ""},
		{"iban", "DE8", ""},

		{"us-social-security-number", "123-45-6789", "123-45-6789"},
		{"us-social-security-number", "2-123-45-6789", ""},
		{"us-social-security-number", "123-45-6789-0", ""},

		// Assignments: the value alone, quoted or not.
		{"password-assignment", `password = "Tr0ub4dor&3";`, "Tr0ub4dor&3"},
		{"password-assignment", `{"db_password":"hunter2","user":"x1"}`, "hunter2"},
		{"password-assignment", "url?access_token=abc123def&page=2", "abc123def"},
		{"password-assignment", "password='abc123", "abc123"},
		{"password-assignment", "export API_KEY=" + strings.Repeat("k1", 400) + " rest", strings.Repeat("k1", 400)},
		{"password-assignment", "password=pässwörd1 x", "pässwörd1"},
		{"password-assignment", "password=$PASS1", ""},
		{"password-assignment", "password={{ vault.pass1 }}", ""},
		{"password-assignment", "password=getenv(1)", ""},
		{"password-assignment", "password=secrets[1]", ""},
		{"password-assignment", "password=config.db1.password", ""},
		{"password-assignment", "password=/run/secrets/db1", ""},
		{"password-assignment", "password=required", ""},
		{"password-assignment", "password=ab1", ""},
		{"password-assignment", "password=123456789", ""},
		{"password-assignment", "password=", ""},
		{"password-assignment", "password", ""},

		{"url-password", "postgres://app:s3cret@db/x", "s3cret"},
		{"url-password", "postgres://app:s3c@ret@db/x", "s3c@ret"},
		{"url-password", "amqp://a:b1234@h,redis://:c1234@h", "b1234|c1234"},
		{"url-password", "http://host:80/path@x", ""},
		{"url-password", "http://user@host", ""},
		{"url-password", "http://u:${P}@host", ""},

		{"private-key", "x -----BEGIN EC PRIVATE KEY-----\nMHcCAQ\n-----END EC PRIVATE KEY----- y", "-----BEGIN EC PRIVATE KEY-----\nMHcCAQ\n-----END EC PRIVATE KEY-----"},
		{"private-key", "-----BEGIN PRIVATE KEY-----\nMHcCAQ cut", "-----BEGIN PRIVATE KEY-----\nMHcCAQ cut"},
		{"private-key", `-----BEGIN PRIVATE KEY-----\r\nMHcCAQ\n-----END`, `-----BEGIN PRIVATE KEY-----\r\nMHcCAQ\n-----END`},
		{"private-key", "-----BEGIN PRIVATE KEY-----", ""},
		{"private-key", "-----BEGIN PRIVATE KEY----- ...", ""},

		{"private-key-file", "ssh -i ~/.ssh/id_ed25519 web1", "/.ssh/id_ed25519"},
		{"private-key-file", "~/.ssh/id_ed25519.pub", ""},
		{"private-key-file", "~/.ssh/id_rsa_notes.md", ""},

		{"sql-update-everything", "UPDATE a SET b = 1", "UPDATE a SET b = 1"},
		{"sql-update-everything", "update only a as x set b=1; select 1 where 1=1", "update only a as x set b=1"},
		{"sql-update-everything", "UPDATE a SET b = 1\nWHERE c = 2", ""},
		{"sql-update-everything", "UPDATE a SET whereabouts = 1", "UPDATE a SET whereabouts = 1"},
		{"sql-update-everything", "Please update the set of tools", ""},
	} {
		if got := found(t, c.id, c.text); got != c.want {
			t.Errorf("%s in %.60q covers %.80q, want %.80q", c.id, c.text, got, c.want)
		}
	}
}

func TestAMemberIsASecretByItsName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pointer, text string
		want          bool
	}{
		{"/arguments/password", "hunter2", true},
		{"/arguments/PASSWORD", "hunter2", true},
		{"/arguments/db/admin_password", "correct horse battery", true},
		{"/arguments/x~1api_key", "7f3c9e1a", false}, // the name is x/api_key
		{"/arguments/apiKey", "7f3c9e1a", true},
		{"/arguments/client-secret", "7f3c9e1a", true},
		{"/arguments/password_hint", "hunter2", false},
		{"/arguments/password/0", "hunter2", false},
		{"/arguments/token", "page-0002", false},
		{"/arguments/password", "short", false},
		{"/arguments/password", "<password>", false},
		{"/arguments/password", "****************", false},
		{"/arguments/password", "", false},
		{"", "hunter2", false},
	} {
		got := Default().Scan(PreToolCall, []scan.Segment{{Pointer: c.pointer, Text: c.text}})
		if (len(got) == 1) != c.want {
			t.Errorf("%s %q: %v, want a match: %v", c.pointer, c.text, ids(got), c.want)
		}
	}
	if got := Default().Scan(PreToolCall, []scan.Segment{{Pointer: "/arguments/password", Key: true, Text: "password"}}); len(got) != 0 {
		t.Errorf("the name alone matches %v", ids(got))
	}
}
