package clients_test

import (
	"cmp"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// remove is the call of these tests; its arguments in the order of the drivers.
func remove(f *fake, wait float64) command {
	return command{"op": "gate", "url": f.URL, "key": fakeKey, "wait": wait, "function": "delete_user", "args": []any{"usr_1"}}
}

const removed = `["usr_1",[],false,{}]`

// fault is something that is wrong with a server. The function must not run.
type fault struct {
	name   string
	step   string // which answer is wrong: submit, wait, consume or keys
	held   bool   // the act is approved after a wait
	status int    // writes this status and body
	body   string
	kind   string // content type; application/json
	spent  bool   // answers 200 with a grant that is spent
	write  func(w http.ResponseWriter, r *http.Request)
	change func(f *fake, answer map[string]any)
	want   string // how it is denied; else any of those that say that nobody knows
}

// decision of an answer, which is approved.
func decision(answer map[string]any) map[string]any { return answer["decision"].(map[string]any) }

// broken are answers that say nothing, of any step.
func broken(step string, held bool) []fault {
	return []fault{
		{name: "500", status: 500, body: `{"status":"approved","execution":{"state":"consumed"}}`},
		{name: "503 without a body", status: 503},
		{name: "429 for ever", status: 429},
		{name: "204", status: 204},
		{name: "202", status: 202, body: `{"status":"approved"}`},
		{name: "an empty answer", status: 200},
		{name: "{}", status: 200, body: "{}"},
		{name: "null", status: 200, body: "null"},
		{name: "a list", status: 200, body: `[{"status":"approved"}]`},
		{name: "yes", status: 200, body: "yes"},
		{name: "HTML", status: 200, body: "<html>approved</html>", kind: "text/html"},
		{name: "two answers", status: 200, body: `{"status":"approved"}{"status":"approved"}`},
		{name: "a redirect", write: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, want: "redirect"},
		{name: "cut off", write: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "4000")
			w.WriteHeader(201)
			_, _ = w.Write([]byte(`{"id":"apr_00000000000000000000000000000001","status":"approved","replayed":false,"keys":[]}`))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}},
		{name: "cut off in pieces", write: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(200)
			_, _ = w.Write([]byte(`{"status":"consumed","replayed":false}`))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}},
		{name: "no answer", write: func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }},
		{name: "403", status: 403, body: `{"type":"urn:countersign:problem:agents-stopped","status":403,"title":"An admin stopped the agents"}`, want: "agents-stopped"},
		{name: "404 of somebody else", status: 404, body: `not here`, want: "http-404"},
	}
}

func faults() (all []fault) {
	for step, held := range map[string]bool{"submit": false, "wait": true, "consume": true, "keys": false} {
		for _, f := range broken(step, held) {
			f.name, f.step, f.held = step+": "+f.name, step, held
			if step == "keys" {
				f.want = "unproven"
			}
			all = append(all, f)
		}
	}
	other := "sha256:" + strings.Repeat("0", 64)
	claim := func(name string, value any) func(f *fake, a map[string]any) {
		return func(f *fake, a map[string]any) {
			claims := f.claims(a["id"].(string), a["digest"].(string))
			claims[name] = value
			decision(a)["grant"] = sign(f.private, claims)
		}
	}
	for _, held := range []bool{false, true} {
		step := map[bool]string{false: "submit", true: "wait"}[held]
		for name, change := range map[string]func(f *fake, a map[string]any){
			"an answer for another act": func(f *fake, a map[string]any) { a["digest"] = other },
			"everything for another act": func(f *fake, a map[string]any) {
				a["digest"], decision(a)["digest"], decision(a)["grant"] = other, other, sign(f.private, f.claims(a["id"].(string), other))
			},
			"a grant for another act":         claim("digest", other),
			"a grant for another approval":    claim("sub", "apr_"+strings.Repeat("9", 32)),
			"a grant of another organisation": claim("tenant", "other"),
			"a grant of another server":       claim("iss", "https://approvals.example.com"),
			"a grant that has expired":        claim("exp", time.Now().Unix()-1),
			"a grant without an end":          claim("exp", nil),
			"a grant with a condition":        claim("only_if", "asked"),
			"a grant by another key": func(f *fake, a map[string]any) {
				key := ed25519.NewKeyFromSeed([]byte("another-key-of-thirty-two-bytes!"))
				decision(a)["grant"] = sign(key, f.claims(a["id"].(string), a["digest"].(string)))
			},
			"no grant":           func(f *fake, a map[string]any) { decision(a)["grant"] = nil },
			"no decision":        func(f *fake, a map[string]any) { a["decision"] = nil },
			"another to consume": func(f *fake, a map[string]any) { decision(a)["digest"] = other },
			"an edit without grant": func(f *fake, a map[string]any) {
				decision(a)["effective"] = map[string]any{"function": "delete_user", "arguments": map[string]any{"first": "usr_2"}}
			},
			"an edit of the function": func(f *fake, a map[string]any) {
				decision(a)["effective"] = map[string]any{"function": "drop_database", "arguments": map[string]any{}}
			},
			"an edit called masking": func(f *fake, a map[string]any) {
				a["assessment"] = map[string]any{"rewrites": true}
				decision(a)["effective"] = map[string]any{"function": "delete_user", "arguments": map[string]any{"first": "usr_2", "rest": []any{}, "flag": false, "more": map[string]any{}}}
			},
			"effective is text": func(f *fake, a map[string]any) { decision(a)["effective"] = "yes" },
		} {
			all = append(all, fault{name: step + ": " + name, step: step, held: held, change: change, want: "unproven"})
		}
		for status, want := range map[string]string{"blocked": "", "denied": "", "changes_requested": "", "expired": "", "cancelled": "", "APPROVED": "unavailable", "allowed": "unavailable"} {
			all = append(all, fault{name: step + ": status " + status, step: step, held: held, change: func(f *fake, a map[string]any) { a["status"] = status }, want: cmp.Or(want, status)})
		}
	}
	for name, f := range map[string]fault{
		"replayed":                {change: func(f *fake, a map[string]any) { a["replayed"] = true }, want: "unproven"},
		"replayed is not said":    {change: func(f *fake, a map[string]any) { delete(a, "replayed") }},
		"replayed is text":        {change: func(f *fake, a map[string]any) { a["replayed"] = "no" }},
		"not consumed":            {change: func(f *fake, a map[string]any) { a["status"] = "pending" }, want: "unproven"},
		"consumed by others":      {status: 409, body: `{"type":"urn:countersign:problem:already-consumed","status":409}`, want: "unproven"},
		"the grant has expired":   {status: 409, body: `{"type":"urn:countersign:problem:grant-expired","status":409}`, want: "unproven"},
		"the grant was withdrawn": {status: 409, body: `{"type":"urn:countersign:problem:grant-void","status":409}`, want: "grant-void"},
		"the grant is unproven":   {status: 409, body: `{"type":"urn:countersign:problem:grant-unproven","status":409}`, want: "grant-unproven"},
		"another digest":          {status: 409, body: `{"type":"urn:countersign:problem:digest-mismatch","status":409}`, want: "digest-mismatch"},
	} {
		f.name, f.step, f.held = "consume: "+name, "consume", true
		all = append(all, f)
	}
	all = append(all,
		fault{name: "wait: another approval", step: "wait", held: true, change: func(f *fake, a map[string]any) { a["id"] = "apr_" + strings.Repeat("9", 32) }, want: "unproven"},
		fault{name: "wait: nobody decides", step: "wait", held: true, change: func(f *fake, a map[string]any) { a["status"], a["decision"] = "pending", nil }, want: "pending"},
		fault{name: "keys: another set", step: "keys", change: func(f *fake, a map[string]any) {
			a["keys"].([]any)[0].(map[string]any)["x"] = "HL98-BoK3omskMwe9vbbPsYRvghXIBsL1CHUBAwFx_c"
		}, want: "unproven"},
		fault{name: "keys: none", step: "keys", change: func(f *fake, a map[string]any) { a["keys"] = []any{} }, want: "unproven"},
		fault{name: "submit: spent, but attached", step: "submit", spent: true, want: "unproven"},
	)
	return all
}

// Whatever a server answers but a yes that holds, the function does not run, and the caller
// is told. Each row only waits for its patience to end, so they wait together.
func TestFaults(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l *language) {
		rows, wrong := faults(), make(chan string)
		turns := make(chan struct{}, 120)
		for _, row := range rows {
			go func() {
				turns <- struct{}{}
				said := row.run(t, l)
				<-turns
				if said != "" {
					said = row.name + ": " + said
				}
				wrong <- said
			}()
		}
		for range rows {
			right(t, <-wrong)
		}
		if len(rows) < 120 {
			t.Errorf("%d rows only", len(rows))
		}
	})
}

// run calls the function once at a server with this fault, and says what is wrong.
func (row fault) run(t *testing.T, l *language) string {
	f := &fake{held: row.held}
	f.change = func(step string, _ int, answer map[string]any, w http.ResponseWriter, r *http.Request) bool {
		if step != row.step {
			if row.spent && step == "consume" { // a grant that is spent stays so
				w.WriteHeader(http.StatusConflict)
				_, _ = w.Write([]byte(`{"type":"urn:countersign:problem:already-consumed","status":409}`))
			}
			return row.spent && step == "consume"
		}
		if row.change != nil {
			row.change(f, answer)
		}
		switch {
		case row.write != nil:
			row.write(w, r)
		case row.spent: // 200: an approval that was there before
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(answer)
		case row.status != 0:
			w.Header().Set("Content-Type", cmp.Or(row.kind, "application/json"))
			w.WriteHeader(row.status)
			_, _ = w.Write([]byte(row.body))
		default:
			return false
		}
		return true
	}
	newFake(t, f)
	wait := 60.0 // for an answer that is final at once
	switch {
	case row.step == "keys" || row.step == "consume" || row.want == "pending":
		wait = 15 // the caller asks again until it ends, and a busy machine needs time for the answers before
	case row.want == "" || row.want == "unavailable":
		wait = 1.2
	}
	var got gated
	if err := l.ask(remove(f, wait), &got); err != nil {
		return err.Error()
	}
	if wrong := got.deniedAs(cmp.Or(row.want, "unavailable")); wrong != "" {
		return wrong
	}
	if f.count("result") > 0 || f.count("elsewhere") > 0 {
		return "a result was reported, or a redirect followed"
	}
	return ""
}

// A server that does not answer in time, answers a byte now and then, or is not there.
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l *language) {
		for name, answer := range map[string]func(w http.ResponseWriter, r *http.Request){
			"it hangs": func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
			"it drips": func(w http.ResponseWriter, r *http.Request) {
				for r.Context().Err() == nil {
					_, _ = w.Write([]byte(" "))
					w.(http.Flusher).Flush()
					select {
					case <-r.Context().Done():
					case <-time.After(50 * time.Millisecond):
					}
				}
			},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f := newFake(t, &fake{})
				f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body) // then the server sees that the client has gone
					answer(w, r)
				})
				var got gated
				began := time.Now()
				l.do(t, remove(f, 0.5), &got)
				right(t, got.deniedAs("unavailable"))
				if took := time.Since(began); took > 15*time.Second {
					t.Errorf("it took %v to give up", took)
				}
			})
		}
		t.Run("it is away", func(t *testing.T) {
			t.Parallel()
			f := newFake(t, &fake{})
			f.Close()
			var got gated
			l.do(t, remove(f, 0.5), &got)
			right(t, got.deniedAs("unavailable"))
		})
		t.Run("the key is wrong", func(t *testing.T) {
			t.Parallel()
			c := remove(newFake(t, &fake{}), 60)
			c["key"] = strings.Replace(fakeKey, "AAA", "BBB", 1)
			var got gated
			l.do(t, c, &got)
			right(t, got.deniedAs("unauthenticated"))
		})
	})
}

// A certificate that nobody vouches for is final, and one that the settings name is good.
func TestCertificates(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l *language) {
		f := newFake(t, &fake{tls: true})
		began := time.Now()
		c := remove(f, 300)
		var got gated
		l.do(t, c, &got)
		right(t, got.deniedAs("unavailable"))
		if time.Since(began) > 30*time.Second || f.count("submit") != 0 {
			t.Errorf("it took %v, calls: %v", time.Since(began), f.calls)
		}
		ca := filepath.Join(t.TempDir(), "ca.pem")
		if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.Certificate().Raw}), 0o600); err != nil {
			t.Fatal(err)
		}
		c["ca"], got = ca, gated{}
		l.do(t, c, &got)
		right(t, got.ranOnce(removed))
	})
}

// Answers that get lost on their way: the act runs once all the same.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l *language) {
		lose := func(step string, replay func(a map[string]any)) *fake {
			f := &fake{held: step == "consume"}
			key := ""
			f.change = func(at string, call int, a map[string]any, w http.ResponseWriter, r *http.Request) bool {
				if at != step {
					return false
				}
				if call == 1 { // it is done, and nobody hears of it
					key = r.Header.Get("Idempotency-Key")
					panic(http.ErrAbortHandler)
				}
				if r.Header.Get("Idempotency-Key") == key {
					replay(a)
					w.Header().Set("Content-Type", "application/json")
					_ = json.NewEncoder(w).Encode(a)
					return true
				}
				return false
			}
			return newFake(t, f)
		}
		t.Run("consume", func(t *testing.T) {
			t.Parallel()
			f := lose("consume", func(a map[string]any) { a["replayed"] = true })
			var got gated
			l.do(t, remove(f, 30), &got)
			right(t, got.ranOnce(removed))
		})
		// The grant was spent with the key of this very call, which consume confirms.
		t.Run("submit", func(t *testing.T) {
			t.Parallel()
			f := lose("submit", func(map[string]any) {})
			change, key := f.change, ""
			f.change = func(at string, call int, a map[string]any, w http.ResponseWriter, r *http.Request) bool {
				switch at {
				case "submit":
					key = r.Header.Get("Idempotency-Key")
				case "consume":
					a["replayed"] = r.Header.Get("Idempotency-Key") == key
				}
				return change(at, call, a, w, r)
			}
			var got gated
			l.do(t, remove(f, 30), &got)
			right(t, got.ranOnce(removed))
			if f.count("submit") != 2 || f.count("consume") != 1 {
				t.Errorf("calls: %v", f.calls)
			}
		})
	})
}

// The newest signed head that a client saw goes back with each request, and an older one doesn't
// take its place. So a server that was set back hears of it.
func TestTheNewestHeadGoesBack(t *testing.T) {
	t.Parallel()
	head := func(epoch, size int) string {
		return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "countersign/acme\n%d\nroot\n2026-11-28T00:00:00.000000Z\nepoch %d\n\n— countersign x\n", size, epoch))
	}
	answered := map[string]string{"submit": head(1, 12), "wait": head(1, 9), "keys": "no head", "consume": head(2, 3)}
	want := map[string]string{"submit": "", "wait": head(1, 12), "consume": head(1, 12), "result": head(2, 3)}
	each(t, func(t *testing.T, l *language) {
		sent := map[string]string{}
		f := &fake{held: true}
		f.change = func(step string, _ int, _ map[string]any, w http.ResponseWriter, r *http.Request) bool {
			sent[step] = r.Header.Get("Countersign-Checkpoint")
			w.Header().Set("Countersign-Checkpoint", answered[step])
			return false
		}
		newFake(t, f)
		var got gated
		l.do(t, remove(f, 30), &got)
		right(t, got.ranOnce(removed))
		for step, head := range want {
			if sent[step] != head {
				t.Errorf("%s sent %q, want %q", step, sent[step], head)
			}
		}
	})
}

// Retry-After is honoured, and a server that comes back serves the same call.
func TestRetries(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, l *language) {
		var times []time.Time
		f := &fake{held: true}
		f.change = func(step string, call int, a map[string]any, w http.ResponseWriter, r *http.Request) bool {
			if step != "wait" {
				return false
			}
			times = append(times, time.Now())
			switch call {
			case 1:
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(503)
			case 2:
				panic(http.ErrAbortHandler)
			case 3:
				w.WriteHeader(502)
			default:
				return false
			}
			return true
		}
		newFake(t, f)
		var got gated
		l.do(t, remove(f, 20), &got)
		right(t, got.ranOnce(removed))
		if len(times) != 4 || times[1].Sub(times[0]) < 900*time.Millisecond {
			t.Errorf("waited at %v", times)
		}
	})
}
