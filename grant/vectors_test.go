package grant_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/grant"
)

var update = flag.Bool("update", false, "write testdata/grants.jsonl again")

// vector is one line of testdata/grants.jsonl, which is published for whoever
// writes a verifier in another language: with these keys, for this issuer, tenant
// and agent, at this time, the token is good for the action, or refused.
type vector struct {
	Name   string          `json:"name"`
	JWKS   json.RawMessage `json:"jwks"`
	Issuer string          `json:"issuer"`
	Tenant string          `json:"tenant"`
	Agent  string          `json:"agent"`
	Now    int64           `json:"now"` // seconds since 1970
	Token  string          `json:"token"`
	Action string          `json:"action"`
	Result string          `json:"result"` // "good", or which check refuses it
}

// results names the errors for readers in other languages.
func results() map[string]error {
	return map[string]error{
		"good": nil, "token": grant.ErrToken, "key": grant.ErrKey, "signature": grant.ErrSignature, "issuer": grant.ErrIssuer,
		"tenant": grant.ErrTenant, "agent": grant.ErrAgent, "expired": grant.ErrExpired, "action": grant.ErrAction, "digest": grant.ErrDigest,
	}
}

func vectors() []vector {
	base := vector{
		JWKS: jwks("gk_0", "gk_1"), Issuer: issuer, Tenant: "acme", Agent: "agt_1", Now: noon,
		Token: sign("gk_1", header, claims(act)), Action: act,
	}
	var all []vector
	add := func(name, result string, change func(*vector)) {
		v := base
		change(&v)
		v.Name, v.Result = name, result
		all = append(all, v)
	}
	with := func(replaced ...string) func(*vector) {
		return func(v *vector) { v.Token = sign("gk_1", header, claims(act, replaced...)) }
	}
	action := func(a string) func(*vector) { return func(v *vector) { v.Action = a } }

	add("good", "good", func(*vector) {})
	add("the last second", "good", func(v *vector) { v.Now = noon + 299 })
	add("signed with the retired key", "good", func(v *vector) {
		v.Token = sign("gk_0", strings.Replace(header, "gk_1", "gk_0", 1), claims(act))
	})
	add("every member", "good", func(v *vector) { v.Token, v.Action = sign("gk_1", header, claims(everyMember)), everyMember })
	add("other order and white space", "good", action("{ \"function\": \"delete_user\",\n \"environment\": \"production\", \"arguments\": {\"user_id\": \"usr_123\", \"notify\": false, \"env\": \"production\"} }"))
	add("null is absent", "good", action(strings.TrimSuffix(act, "}")+`,"code":null}`))

	add("alg none", "token", func(v *vector) {
		v.Token = encode([]byte(`{"alg":"none","kid":"gk_1","typ":"JWT"}`)) + "." + strings.Split(base.Token, ".")[1] + "."
	})
	add("a key in the header", "token", func(v *vector) {
		v.Token = sign("gk_1", `{"alg":"EdDSA","jwk":{"kty":"OKP","crv":"Ed25519","x":"AA"},"kid":"gk_1","typ":"JWT"}`, claims(act))
	})
	add("crit in the header", "token", func(v *vector) {
		v.Token = sign("gk_1", `{"alg":"EdDSA","crit":["exp"],"kid":"gk_1","typ":"JWT"}`, claims(act))
	})
	add("a claim twice", "token", func(v *vector) {
		v.Token = sign("gk_1", header, strings.Replace(claims(act), "{", `{"exp":9999999999,`, 1))
	})
	add("an unknown claim", "token", with("more", `"x"`))
	add("bits that mean nothing", "token", func(v *vector) {
		v.Token = base.Token[:len(base.Token)-1] + string(next(base.Token[len(base.Token)-1]))
	})
	add("an unknown key", "key", func(v *vector) { v.JWKS = jwks("gk_0") })
	add("signed with another key", "signature", func(v *vector) { v.Token = sign("gk_0", header, claims(act)) })
	add("another issuer", "issuer", with("iss", `"https://approvals.example.org"`))
	add("another tenant", "tenant", with("tenant", `"other"`))
	add("another agent", "agent", with("agent", `"agt_2"`))
	add("the first second after", "expired", func(v *vector) { v.Now = noon + 300 })
	add("a member that no digest covers", "action", action(strings.TrimSuffix(act, "}")+`,"docstring":"x"}`))
	add("a name twice in the action", "action", action(strings.Replace(act, `"notify"`, `"user_id":"usr_9","notify"`, 1)))
	add("a number that no double holds", "action", action(`{"arguments":{"n":0.10000000000000001},"function":"f"}`))
	add("an integer of 41 digits", "action", action(`{"arguments":{"n":10000000000000000000000000000000000000000},"function":"f"}`))
	long := `{"arguments":{"guild":1234567890123456789,"wei":1000000000000000000000},"function":"ban_member"}`
	digits := func(sent string) func(*vector) {
		return func(v *vector) { v.Token, v.Action = sign("gk_1", header, claims(long)), sent }
	}
	add("integers with all their digits", "good", digits(strings.Replace(long, "1000000000000000000000", "1e21", 1)))
	add("an integer that is the same double", "digest", digits(strings.Replace(long, "6789,", "6790,", 1)))
	add("another argument", "digest", action(strings.Replace(act, "usr_123", "usr_124", 1)))
	add("an empty member more", "digest", action(strings.TrimSuffix(act, "}")+`,"code":""}`))
	return all
}

// TestVectors holds the published file against what made it, and this package
// against the file.
func TestVectors(t *testing.T) {
	t.Parallel()
	const path = "testdata/grants.jsonl"
	var want bytes.Buffer
	lines := json.NewEncoder(&want)
	lines.SetEscapeHTML(false)
	for _, v := range vectors() {
		if err := lines.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	if *update {
		if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	published, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(published, want.Bytes()) {
		t.Errorf("%s is not what these tests make (%v); if that is meant: go test ./grant -update", path, err)
	}
	seen := map[string]bool{}
	for file := bufio.NewScanner(bytes.NewReader(published)); file.Scan(); {
		var c vector
		if err := json.Unmarshal(file.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		v, err := grant.NewVerifier(grant.Config{
			Keys: parse(t, c.JWKS), Issuer: c.Issuer, Tenant: c.Tenant, Agent: c.Agent, Now: func() time.Time { return time.Unix(c.Now, 0) },
		})
		if err != nil {
			t.Fatal(err)
		}
		expected, known := results()[c.Result]
		seen[c.Result] = true
		if _, err := v.Verify(c.Token, []byte(c.Action)); !known || !errors.Is(err, expected) {
			t.Errorf("%s: %v, want %s", c.Name, err, c.Result)
		}
	}
	for result := range results() {
		if !seen[result] {
			t.Errorf("no vector is %s", result)
		}
	}
}
