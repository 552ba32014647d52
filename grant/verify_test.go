package grant_test

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/countersign/countersign/grant"
	"github.com/countersign/countersign/internal/long"
)

var encode = base64.RawURLEncoding.EncodeToString

// key is the key pair of these tests, always the same.
func key(name string) (ed25519.PrivateKey, string) {
	seed := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(seed[:]), name
}

// jwks is the document with the public halves of these keys.
func jwks(names ...string) []byte {
	keys := make([]string, len(names))
	for i, name := range names {
		private, kid := key(name)
		keys[i] = fmt.Sprintf(`{"use":"sig","kty":"OKP","kid":%q,"crv":"Ed25519","alg":"EdDSA","x":%q}`, kid, encode(private.Public().(ed25519.PublicKey)))
	}
	return []byte(`{"keys":[` + strings.Join(keys, ",") + `]}`)
}

// sign makes a token of any header and payload, good ones and others.
func sign(name, header, payload string) string {
	private, _ := key(name)
	signed := encode([]byte(header)) + "." + encode([]byte(payload))
	return signed + "." + encode(ed25519.Sign(private, []byte(signed)))
}

const (
	noon   = 1772366400 // 2026-03-01T12:00:00Z
	issuer = "https://approvals.example.com"
	act    = `{"arguments":{"env":"production","notify":false,"user_id":"usr_123"},"environment":"production","function":"delete_user"}`
	header = `{"alg":"EdDSA","kid":"gk_1","typ":"JWT"}`
)

// claims are those of a good grant for an act, with some replaced; "" leaves one out.
func claims(action string, replaced ...string) string {
	digest, err := grant.Digest([]byte(action))
	if err != nil {
		panic(err)
	}
	members := map[string]string{
		"iss": `"` + issuer + `"`, "sub": `"apr_1"`, "tenant": `"acme"`, "agent": `"agt_1"`,
		"digest": `"` + digest + `"`, "exp": fmt.Sprint(noon + 300), "jti": `"grt_1"`,
	}
	for i := 0; i < len(replaced); i += 2 {
		members[replaced[i]] = replaced[i+1]
	}
	var out []string
	for _, name := range []string{"iss", "sub", "tenant", "agent", "digest", "exp", "jti", "more"} {
		if v := members[name]; v != "" {
			out = append(out, fmt.Sprintf("%q:%s", name, v))
		}
	}
	return "{" + strings.Join(out, ",") + "}"
}

func parse(t testing.TB, document []byte) *grant.KeySet {
	t.Helper()
	keys, err := grant.ParseKeys(document)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// verifier is one at noon for the agent agt_1 of acme, with the key gk_1.
func verifier(t testing.TB, change ...func(*grant.Config)) *grant.Verifier {
	t.Helper()
	c := grant.Config{
		Keys: parse(t, jwks("gk_1")), Issuer: issuer, Tenant: "acme", Agent: "agt_1",
		Now: func() time.Time { return time.Unix(noon, 0) },
	}
	for _, f := range change {
		f(&c)
	}
	v, err := grant.NewVerifier(c)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestVerify(t *testing.T) {
	t.Parallel()
	good := sign("gk_1", header, claims(act))
	got, err := verifier(t).Verify(good, []byte(act))
	digest, _ := grant.Digest([]byte(act))
	want := grant.Claims{Issuer: issuer, Approval: "apr_1", Tenant: "acme", Agent: "agt_1", Digest: digest, Expires: time.Unix(noon+300, 0).UTC(), ID: "grt_1"}
	if err != nil || got != want {
		t.Errorf("a good grant: %+v, %v; want %+v", got, err, want)
	}
	for name, other := range map[string]string{
		"white space and order": "{ \"function\" : \"delete_user\",\n\"environment\":\"production\", \"arguments\":{\"user_id\":\"usr_123\",\"env\":\"production\",\"notify\":false}}",
		"escapes":               strings.ReplaceAll(act, "usr_123", `\u0075sr_123`),
		"null is absent":        strings.TrimSuffix(act, "}") + `,"code":null}`,
	} {
		if _, err := verifier(t).Verify(good, []byte(other)); err != nil {
			t.Errorf("the same act, %s: %v", name, err)
		}
	}
}

// TestRefused: everything that is not exactly this grant for exactly this act,
// each with its own error and without claims. All tokens here are signed.
func TestRefused(t *testing.T) {
	t.Parallel()
	good := sign("gk_1", header, claims(act))
	parts := strings.Split(good, ".")
	private, _ := key("gk_1")
	public := private.Public().(ed25519.PublicKey)
	withHeader := func(h string) string { return sign("gk_1", h, claims(act)) }
	with := func(replaced ...string) string { return sign("gk_1", header, claims(act, replaced...)) }
	mac := hmac.New(sha256.New, public)
	confused := encode([]byte(`{"alg":"HS256","kid":"gk_1","typ":"JWT"}`)) + "." + parts[1]
	mac.Write([]byte(confused))
	own, _ := key("eve")
	x := encode(own.Public().(ed25519.PublicKey))

	for name, c := range map[string]struct {
		token, action string
		want          error
	}{
		"nothing":                  {"", act, grant.ErrToken},
		"two parts":                {parts[0] + "." + parts[1], act, grant.ErrToken},
		"four parts":               {good + ".", act, grant.ErrToken},
		"detached":                 {parts[0] + ".." + parts[2], act, grant.ErrSignature},
		"JSON serialization":       {fmt.Sprintf(`{"protected":%q,"payload":%q,"signature":%q}`, parts[0], parts[1], parts[2]), act, grant.ErrToken},
		"too long":                 {good + strings.Repeat("A", 9000), act, grant.ErrToken},
		"padding":                  {good + "==", act, grant.ErrToken},
		"a line end":               {good + "\n", act, grant.ErrToken},
		"a space":                  {" " + good, act, grant.ErrToken},
		"bits that mean nothing":   {good[:len(good)-1] + string(next(good[len(good)-1])), act, grant.ErrToken},
		"alg none":                 {encode([]byte(`{"alg":"none","kid":"gk_1","typ":"JWT"}`)) + "." + parts[1] + ".", act, grant.ErrToken},
		"alg NONE":                 {withHeader(`{"alg":"NONE","kid":"gk_1","typ":"JWT"}`), act, grant.ErrToken},
		"alg HS256, the known key": {confused + "." + encode(mac.Sum(nil)), act, grant.ErrToken},
		"alg ES256":                {withHeader(`{"alg":"ES256","kid":"gk_1","typ":"JWT"}`), act, grant.ErrToken},
		"alg as a list":            {withHeader(`{"alg":["EdDSA"],"kid":"gk_1","typ":"JWT"}`), act, grant.ErrToken},
		"alg twice":                {withHeader(`{"alg":"none","alg":"EdDSA","kid":"gk_1","typ":"JWT"}`), act, grant.ErrToken},
		"no alg":                   {withHeader(`{"kid":"gk_1","typ":"JWT"}`), act, grant.ErrToken},
		"another typ":              {withHeader(`{"alg":"EdDSA","kid":"gk_1","typ":"at+jwt"}`), act, grant.ErrToken},
		"no typ":                   {withHeader(`{"alg":"EdDSA","kid":"gk_1"}`), act, grant.ErrToken},
		"no kid":                   {withHeader(`{"alg":"EdDSA","typ":"JWT"}`), act, grant.ErrToken},
		"empty kid":                {withHeader(`{"alg":"EdDSA","kid":"","typ":"JWT"}`), act, grant.ErrToken},
		"its own key": {
			sign("eve", fmt.Sprintf(`{"alg":"EdDSA","jwk":{"crv":"Ed25519","kid":"gk_1","kty":"OKP","x":%q},"kid":"gk_1","typ":"JWT"}`, x), claims(act)), act, grant.ErrToken,
		},
		"its own key's place": {withHeader(`{"alg":"EdDSA","jku":"https://eve.example/keys","kid":"gk_1","typ":"JWT"}`), act, grant.ErrToken},
		"its own certificate": {withHeader(`{"alg":"EdDSA","kid":"gk_1","typ":"JWT","x5u":"https://eve.example/cert"}`), act, grant.ErrToken},
		"a condition":         {withHeader(`{"alg":"EdDSA","crit":["b64"],"kid":"gk_1","typ":"JWT"}`), act, grant.ErrToken},
		"b64":                 {withHeader(`{"alg":"EdDSA","b64":false,"kid":"gk_1","typ":"JWT"}`), act, grant.ErrToken},
		"header is a list":    {withHeader(`["EdDSA"]`), act, grant.ErrToken},

		"an unknown key":        {sign("gk_2", `{"alg":"EdDSA","kid":"gk_2","typ":"JWT"}`, claims(act)), act, grant.ErrKey},
		"another key's name":    {sign("eve", header, claims(act)), act, grant.ErrSignature},
		"no signature":          {parts[0] + "." + parts[1] + ".", act, grant.ErrSignature},
		"half a signature":      {parts[0] + "." + parts[1] + "." + parts[2][:43], act, grant.ErrSignature},
		"another grant's claim": {parts[0] + "." + encode([]byte(claims(act, "jti", `"grt_2"`))) + "." + parts[2], act, grant.ErrSignature},

		"claims are a list":      {sign("gk_1", header, `[]`), act, grant.ErrToken},
		"claims are no JSON":     {sign("gk_1", header, `exp`), act, grant.ErrToken},
		"an unknown claim":       {with("more", `{"only_before":"noon"}`), act, grant.ErrToken},
		"exp as a string":        {with("exp", fmt.Sprintf(`"%d"`, noon+300)), act, grant.ErrToken},
		"half a second":          {with("exp", fmt.Sprintf("%d.5", noon+300)), act, grant.ErrToken},
		"no exp":                 {with("exp", ""), act, grant.ErrToken},
		"exp null":               {with("exp", "null"), act, grant.ErrToken},
		"no approval":            {with("sub", `""`), act, grant.ErrToken},
		"approval is a number":   {with("sub", `1`), act, grant.ErrToken},
		"no id":                  {with("jti", ""), act, grant.ErrToken},
		"no issuer":              {with("iss", ""), act, grant.ErrToken},
		"another issuer":         {with("iss", `"https://approvals.example.org"`), act, grant.ErrIssuer},
		"issuer is a list":       {with("iss", `["`+issuer+`"]`), act, grant.ErrIssuer},
		"another tenant":         {with("tenant", `"other"`), act, grant.ErrTenant},
		"tenant is null":         {with("tenant", `null`), act, grant.ErrTenant},
		"another agent":          {with("agent", `"agt_2"`), act, grant.ErrAgent},
		"over this second":       {with("exp", fmt.Sprint(noon)), act, grant.ErrExpired},
		"long over":              {with("exp", "0"), act, grant.ErrExpired},
		"over before time":       {with("exp", "-9007199254740991"), act, grant.ErrExpired},
		"no digest":              {with("digest", `""`), act, grant.ErrDigest},
		"digest in upper case":   {with("digest", `"SHA256:AA"`), act, grant.ErrDigest},
		"half the digest":        {with("digest", `"sha256:"`), act, grant.ErrDigest},
		"another act's digest":   {with("digest", `"sha256:`+strings.Repeat("0", 64)+`"`), act, grant.ErrDigest},
		"another function":       {good, strings.Replace(act, "delete_user", "delete_users", 1), grant.ErrDigest},
		"another argument":       {good, strings.Replace(act, "usr_123", "usr_124", 1), grant.ErrDigest},
		"false is not \"false\"": {good, strings.Replace(act, "false", `"false"`, 1), grant.ErrDigest},
		"one argument more":      {good, strings.Replace(act, `"notify"`, `"force":true,"notify"`, 1), grant.ErrDigest},
		"one argument less":      {good, strings.Replace(act, `"notify":false,`, ``, 1), grant.ErrDigest},
		"an empty member more":   {good, strings.TrimSuffix(act, "}") + `,"code":""}`, grant.ErrDigest},
		"a look-alike":           {good, strings.Replace(act, "usr_123", "usr_12З", 1), grant.ErrDigest},
		"a hidden character":     {good, strings.Replace(act, "usr_123", "usr_123\u200b", 1), grant.ErrDigest},
		"no action":              {good, ``, grant.ErrAction},
		"an action twice":        {good, act + act, grant.ErrAction},
		"a name twice":           {good, strings.Replace(act, `"notify"`, `"user_id":"usr_9","notify"`, 1), grant.ErrAction},
		"a member beside":        {good, strings.TrimSuffix(act, "}") + `,"docstring":"x"}`, grant.ErrAction},
		"the member's name up":   {good, strings.Replace(act, `"arguments"`, `"Arguments"`, 1), grant.ErrAction},
		"a list of actions":      {good, `[` + act + `]`, grant.ErrAction},
		"an empty action":        {good, `{}`, grant.ErrAction},
		"only null":              {good, `{"function":null}`, grant.ErrAction},
	} {
		got, err := verifier(t).Verify(c.token, []byte(c.action))
		if !errors.Is(err, c.want) || got != (grant.Claims{}) {
			t.Errorf("%s: %+v, %v; want %v", name, got, err, c.want)
		}
		if err != nil && (strings.Contains(err.Error(), parts[2]) || len(err.Error()) > 1000) {
			t.Errorf("%s: the error repeats what came in: %v", name, err)
		}
	}
}

// next is another character of the base64url alphabet which differs in the last
// bit only, the one that means nothing at the end of 64 bytes.
func next(c byte) byte {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return alphabet[strings.IndexByte(alphabet, c)^1]
}

func TestExpiryAndLeeway(t *testing.T) {
	t.Parallel()
	token := sign("gk_1", header, claims(act)) // until noon + 300 s
	for _, c := range []struct {
		leeway, at time.Duration
		good       bool
	}{
		{0, 300*time.Second - 1, true},
		{0, 300 * time.Second, false},
		{2 * time.Second, 302*time.Second - 1, true},
		{2 * time.Second, 302 * time.Second, false},
		{0, -1000 * time.Hour, true}, // a slow clock: the package comment says so
	} {
		v := verifier(t, func(cfg *grant.Config) {
			cfg.Leeway = c.leeway
			cfg.Now = func() time.Time { return time.Unix(noon, 0).Add(c.at) }
		})
		if _, err := v.Verify(token, []byte(act)); (err == nil) != c.good || !c.good && !errors.Is(err, grant.ErrExpired) {
			t.Errorf("leeway %v, %v after noon: %v, want good %v", c.leeway, c.at, err, c.good)
		}
	}
}

func TestConfigRefused(t *testing.T) {
	t.Parallel()
	good := grant.Config{Keys: parse(t, jwks("gk_1")), Issuer: issuer + "/", Tenant: "acme", Agent: "agt_1"}
	v, err := grant.NewVerifier(good)
	if err != nil {
		t.Fatal(err)
	}
	far := claims(act, "exp", "4102444800") // the clock is the real one here
	if _, err := v.Verify(sign("gk_1", header, far), []byte(act)); err != nil {
		t.Errorf("the issuer with a slash at the end: %v", err)
	}
	for name, change := range map[string]func(*grant.Config){
		"no keys":         func(c *grant.Config) { c.Keys = nil },
		"no issuer":       func(c *grant.Config) { c.Issuer = "" },
		"no tenant":       func(c *grant.Config) { c.Tenant = "" },
		"no agent":        func(c *grant.Config) { c.Agent = "" },
		"negative leeway": func(c *grant.Config) { c.Leeway = -1 },
		"much leeway":     func(c *grant.Config) { c.Leeway = time.Hour },
	} {
		c := good
		change(&c)
		if v, err := grant.NewVerifier(c); err == nil || v != nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestEveryBitOfTheToken: no token that differs in one bit is good.
func TestEveryBitOfTheToken(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	v, token := verifier(t), sign("gk_1", header, claims(act))
	for i := range len(token) * 8 {
		changed := []byte(token)
		changed[i/8] ^= 1 << (i % 8)
		if c, err := v.Verify(string(changed), []byte(act)); err == nil || c != (grant.Claims{}) {
			t.Errorf("good with bit %d of byte %d changed: %s", i%8, i/8, changed)
		}
	}
}

// everyMember is an act with each member that there is.
const everyMember = `{"action_type":"shell","arguments":{"a":[1,2.5,true,null,"x"],"b":{"c":""}},"code":"rm -rf /tmp/x","content":"as said","environment":"production","function":"run"}`

// TestEveryBitOfTheAction: an action in canonical form that differs in one bit is
// another one or none.
func TestEveryBitOfTheAction(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	v := verifier(t)
	for _, action := range []string{act, everyMember} {
		token := sign("gk_1", header, claims(action))
		if _, err := v.Verify(token, []byte(action)); err != nil {
			t.Fatal(err)
		}
		for i := range len(action) * 8 {
			changed := []byte(action)
			changed[i/8] ^= 1 << (i % 8)
			if _, err := v.Verify(token, changed); !errors.Is(err, grant.ErrDigest) && !errors.Is(err, grant.ErrAction) {
				t.Errorf("%v with bit %d of byte %d changed: %s", err, i%8, i/8, changed)
			}
		}
	}
}

// TestEveryMemberOfTheAction: taken away, changed, swapped or emptied, each is
// another act.
func TestEveryMemberOfTheAction(t *testing.T) {
	t.Parallel()
	v, token := verifier(t), sign("gk_1", header, claims(everyMember))
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(everyMember), &members); err != nil || len(members) != 6 {
		t.Fatalf("%d members, %v", len(members), err)
	}
	refused := func(what string, change func(map[string]json.RawMessage)) {
		t.Helper()
		changed := map[string]json.RawMessage{}
		for name, value := range members {
			changed[name] = value
		}
		change(changed)
		action, err := json.Marshal(changed)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Verify(token, action); !errors.Is(err, grant.ErrDigest) {
			t.Errorf("%s: %v, want %v", what, err, grant.ErrDigest)
		}
	}
	for name := range members {
		refused(name+" left out", func(m map[string]json.RawMessage) { delete(m, name) })
		for _, value := range []string{`null`, `""`, `{}`, `[]`, `0`, `false`, `"other"`} {
			refused(name+" is "+value, func(m map[string]json.RawMessage) { m[name] = json.RawMessage(value) })
		}
		for other := range members {
			if other != name {
				refused(name+" and "+other+" swapped", func(m map[string]json.RawMessage) { m[name], m[other] = m[other], m[name] })
			}
		}
	}
}

// FuzzVerify: nothing panics, nothing forged is good, and what is good another
// implementation of JWS calls good as well.
func FuzzVerify(f *testing.F) {
	good := sign("gk_1", header, claims(act))
	parts := strings.Split(good, ".")
	for _, token := range []string{
		good, "", ".", "..", "...", parts[0] + ".." + parts[2], good + "\n", "eyJhbGciOiJub25lIn0.e30.",
		sign("gk_1", `{"alg":"EdDSA","crit":[],"kid":"gk_1","typ":"JWT"}`, claims(act)), sign("gk_1", header, `{"exp":1e999}`),
		sign("gk_1", header, claims(act, "exp", "9007199254740991")),
	} {
		f.Add(token, act)
		f.Add(token, everyMember)
	}
	v := verifier(f)
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(jwks("gk_1"), &set); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, token, action string) {
		c, err := v.Verify(token, []byte(action))
		if err != nil {
			if c != (grant.Claims{}) {
				t.Errorf("claims %+v with the error %v", c, err)
			}
			return
		}
		jws, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.EdDSA})
		if err != nil {
			t.Fatalf("good here, and no JWS: %v", err)
		}
		if _, err := jws.Verify(set); err != nil {
			t.Fatalf("good here, and not there: %v", err)
		}
		if digest, err := grant.Digest([]byte(action)); err != nil || digest != c.Digest {
			t.Errorf("the grant is for %s, the action is %s, %v", c.Digest, digest, err)
		}
	})
}
