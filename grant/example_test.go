package grant_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/countersign/countersign/grant"
)

// What an executor has: the public keys (here as a document; FetchKeys follows
// rotations), the grant that the agent was given, and the action it is to run.
const (
	exampleKeys  = `{"keys":[{"kty":"OKP","crv":"Ed25519","alg":"EdDSA","use":"sig","kid":"gk_1","x":"HL98-BoK3omskMwe9vbbPsYRvghXIBsL1CHUBAwFx_c"}]}`
	exampleGrant = "eyJhbGciOiJFZERTQSIsImtpZCI6ImdrXzEiLCJ0eXAiOiJKV1QifQ." +
		"eyJpc3MiOiJodHRwczovL2FwcHJvdmFscy5leGFtcGxlLmNvbSIsInN1YiI6ImFwcl8xIiwidGVuYW50IjoiYWNtZSIsImFnZW50IjoiYWd0XzEiLCJkaWdlc3QiOiJzaGEyN" +
		"TY6NzQ3MzZkODYzNDRiNDJlMmVhNjgyYjVkYThlYWVlZGFiNjg3YjNmYWJjOWVlYWY0YjJjM2M2NGIyOThjOTcxOSIsImV4cCI6MTc3MjM2NjcwMCwianRpIjoiZ3J0XzEifQ." +
		"1JkOC0YamZhxYb78s34ZLSaxylBFl-09InIt_sC_XD882oskfo7WTpvw-E6ddi1tuZiJ8xSiDpPBhETs8tVFDw"
	exampleAction = `{"function":"delete_user","arguments":{"user_id":"usr_123","env":"production","notify":false},"environment":"production"}`
)

func Example() {
	keys, err := grant.ParseKeys([]byte(exampleKeys))
	if err != nil {
		panic(err)
	}
	verifier, err := grant.NewVerifier(grant.Config{
		Keys: keys, Issuer: "https://approvals.example.com", Tenant: "acme", Agent: "agt_1",
		Now: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }, // leave it out: it is the clock
	})
	if err != nil {
		panic(err)
	}
	claims, err := verifier.Verify(exampleGrant, []byte(exampleAction))
	if err != nil {
		panic(err)
	}
	fmt.Println("good until", claims.Expires.Format(time.TimeOnly))
	fmt.Println("now: POST /api/v1/approvals/" + claims.Approval + `/consume {"digest":"` + claims.Digest[:15] + `…"}`)
	fmt.Println("then run exactly", exampleAction)

	// The same grant for another user.
	_, err = verifier.Verify(exampleGrant, []byte(`{"function":"delete_user","arguments":{"user_id":"usr_124","env":"production","notify":false},"environment":"production"}`))
	fmt.Println(errors.Is(err, grant.ErrDigest))
	// Output:
	// good until 12:05:00
	// now: POST /api/v1/approvals/apr_1/consume {"digest":"sha256:74736d86…"}
	// then run exactly {"function":"delete_user","arguments":{"user_id":"usr_123","env":"production","notify":false},"environment":"production"}
	// true
}

func ExampleDigest() {
	digest, err := grant.Digest([]byte(`{"environment": "production", "function": "delete_user", "arguments": {"user_id": "usr_123", "notify": false}}`))
	fmt.Println(digest, err)
	// Output: sha256:217a049f665aabb1b6fb390db48780bbbc5b2ea308f81ce30ed6e36aa25c31d3 <nil>
}
