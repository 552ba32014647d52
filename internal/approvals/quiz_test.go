package approvals

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/facts"
)

// seeded is a source that is the same in every run.
func seeded(n uint64) *rand.Rand { return rand.New(rand.NewPCG(n, 2026)) }

// compiled is the default policy, once for all tests.
var compiled = sync.OnceValue(func() *scoring.Compiled {
	c, err := scoring.Compile(scoring.DefaultPolicy())
	if err != nil {
		panic(err)
	}
	return c
})

// proposed is an approval as scoring makes it, without a store.
func proposed(t *testing.T, id, agent string, body map[string]any) Approval {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := canon.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	action, err := scoring.NewAction(tree)
	if err != nil {
		t.Fatal(err)
	}
	exam := compiled().Examine(action, nil)
	shown, carried, as := exam.Mask(exam.Assess(1))
	return Approval{
		ID: id, Agent: Agent{Name: agent}, Action: shown.Canonical(), Digest: action.Digest(), ShownDigest: shown.Digest(), Carried: carried,
		Function: action.Function(), Assessment: as, Treatment: as.Treatment,
	}
}

type (
	body = map[string]any
	args = map[string]any
)

// corpus is n varied actions of one tenant: some values come again and again, as
// they do, others never.
func corpus(t *testing.T, n int) []Approval {
	t.Helper()
	r := seeded(7)
	pick := func(words string) string { all := strings.Fields(words); return all[r.IntN(len(all))] }
	user := func() string { return fmt.Sprintf("usr_%d", 100+r.IntN(900)) }
	mail := func() string {
		return pick("dana mei oskar priya tomas lena farid ruth") + "." + pick("wheeler tanaka lind shah novak braun aziz cole") + "@" + pick("example.com example.org corp.example")
	}
	service := func() string { return pick("checkout-api search-indexer billing-worker auth-gateway mailer") }
	env := func() string { return pick("production production staging development") }
	table := func() string {
		return pick("orders users invoices contacts sessions crm.contacts billing.invoices hr.audit")
	}
	templates := []func() body{
		func() body {
			return body{"function": "delete_user", "arguments": args{"user_id": user(), "env": env(), "documents": r.IntN(900), "account": mail()}}
		},
		func() body {
			return body{"function": "send_email", "arguments": args{"to": mail(), "subject": "Hello", "template": pick("goodbye welcome reminder"), "channel": pick("#releases #ops #sales")}}
		},
		func() body {
			return body{"function": "transfer_funds", "arguments": args{"recipient": pick("Northwind Globex Initech Umbrella Contoso"), "amount": 100 + r.IntN(90000), "currency": pick("EUR USD GBP"), "account": fmt.Sprintf("acc_%04d", r.IntN(10000))}}
		},
		func() body {
			return body{"function": "run_sql", "arguments": args{"database": pick("billing crm hr shop"), "statement": "DELETE FROM " + table() + " WHERE id < " + fmt.Sprint(r.IntN(5000)) + " LIMIT " + fmt.Sprint(1+r.IntN(500)), "env": env()}}
		},
		func() body {
			return body{"function": "deploy_service", "arguments": args{"service": service(), "version": fmt.Sprintf("4.%d.%d", r.IntN(30), r.IntN(200)), "env": env(), "replicas": 1 + r.IntN(20), "branch": pick("main release/4.18 hotfix/login develop")}}
		},
		func() body {
			return body{"function": "scale_service", "arguments": args{"service": service(), "replicas": 2 + r.IntN(30), "cluster": pick("db-prod-1 db-prod-2 web-eu-1 web-us-2")}}
		},
		func() body {
			return body{"function": "copy_backup", "arguments": args{"source": fmt.Sprintf("/backups/crm-%d.dump", r.IntN(3000)), "destination": fmt.Sprintf("/cold/crm-%d.dump", r.IntN(3000)), "host": fmt.Sprintf("10.0.%d.%d", r.IntN(200), r.IntN(200))}}
		},
		func() body {
			return body{"function": "bash", "arguments": args{"command": "rm -rf /srv/exports/" + fmt.Sprint(2000+r.IntN(900)), "host": pick("db-prod-1 db-prod-2 web-1")}, "environment": env()}
		},
		func() body {
			return body{"function": "bash", "arguments": args{"command": "git push --force origin " + pick("main develop release/4.17 release/4.18")}}
		},
		func() body {
			return body{"function": "update_rows", "arguments": args{"table": table(), "rows": r.IntN(5000), "region": pick("emea apac amer"), "customer": pick("Müller GmbH-Süd Ørsted Łódź Ñandú")}}
		},
		func() body {
			return body{"function": "export_mailbox", "arguments": args{"account": mail(), "destination": fmt.Sprintf("/exports/mail-%d.zip", r.IntN(5000))}, "environment": env()}
		},
		func() body {
			return body{"function": "schedule_job", "arguments": args{"job": pick("cleanup reindex digest"), "queue": pick("fast slow bulk"), "start_time": fmt.Sprintf("2026-0%d-1%dT0%d:00:00Z", 1+r.IntN(9), r.IntN(9), r.IntN(9)), "cluster": pick("web-eu-1 web-us-2")}}
		},
		func() body {
			return body{"function": "disable_user", "arguments": args{"user_id": user()}}
		},
		func() body {
			return body{"function": "restart_service", "arguments": args{"service": service()}}
		},
		func() body {
			return body{"function": "حذف_حساب", "arguments": args{"account": pick("مخزن-الكتب متجر-القهوة دار-النشر"), "email": mail(), "count": r.IntN(900)}}
		},
	}
	agents := strings.Fields("support-triage db-janitor release-pilot finance-bot")
	all := make([]Approval, n)
	for i := range all {
		all[i] = proposed(t, fmt.Sprintf("apr_%d", i), agents[r.IntN(len(agents))], templates[i%len(templates)]())
	}
	return all
}

// TestQuizForm is what every quiz has, whatever it asks.
func TestQuizForm(t *testing.T) {
	t.Parallel()
	all := corpus(t, 200)
	random := seeded(3)
	ids := map[string]bool{}
	kinds := map[string]int{}
	for _, a := range all {
		others := newElsewhere(all, a.ID)
		for range 4 {
			questions := quiz(a, others, asked{}, random)
			if len(questions) != 3 {
				t.Fatalf("%s: %d questions", a.Function, len(questions))
			}
			prompts, rights := map[string]bool{}, map[string]bool{}
			for _, q := range questions {
				kinds[q.Kind]++
				if q.Of != nil {
					kinds[q.Of.Kind]++
				}
				if q.Kind == string(facts.Flag) || q.Answer != "" || q.Prompt == "" {
					t.Errorf("%s: a question %+v", a.Function, q)
				}
				if (q.Kind == "agent" || q.Kind == "operation") && !FewToAsk(a.Assessment.Facts) {
					t.Errorf("%s: the %s is asked, and nobody told to hide it", a.Function, q.Kind)
				}
				texts, right := map[string]bool{}, ""
				for _, o := range q.Options {
					if texts[o.Text] || o.Text == "" {
						t.Errorf("%s: %q is there twice or empty", q.Prompt, o.Text)
					}
					if ids[o.ID] || len(o.ID) != 16 {
						t.Errorf("the id %q was there before or has another length", o.ID)
					}
					texts[o.Text], ids[o.ID] = true, true
					if o.ID == q.Right {
						right = o.Text
					}
					if strings.Contains(q.Prompt, o.Text) && len(o.Text) > 2 {
						t.Errorf("%q contains the option %q", q.Prompt, o.Text)
					}
				}
				if len(texts) != 4 || right == "" {
					t.Errorf("%s: %d different options, right is %q", q.Prompt, len(texts), right)
				}
				if want := answer(a, q); !slices.Contains(want, right) {
					t.Errorf("%s: %q is right, want one of %q", q.Prompt, right, want)
				}
				for wrong := range texts {
					if wrong != right && slices.Contains(answerTo(a, q), wrong) {
						t.Errorf("%s: %q is right too", q.Prompt, wrong)
					}
				}
				if prompts[q.Prompt] || rights[right] {
					t.Errorf("%s: asked twice, or two questions with the answer %q", q.Prompt, right)
				}
				prompts[q.Prompt], rights[right] = true, true
			}
		}
	}
	for _, kind := range []string{"target", "recipient", "table", "path", "host", "branch", "amount", "count", "agent", "operation"} { // the environment: TestWhatIsAsked
		if kinds[kind] == 0 {
			t.Errorf("nothing of kind %s was asked: the corpus is too narrow", kind)
		}
	}
}

// answer lists what is true of an approval and of the kind of a question.
func answer(a Approval, q Question) (values []string) {
	switch q.Kind {
	case "agent":
		return []string{a.Agent.Name}
	case "operation":
		return []string{a.operation()}
	case "effect":
		o, _ := a.upshot()
		for _, value := range answerTo(a, *q.Of) {
			values = append(values, about(q).sentence(o, value))
		}
		return values
	}
	for _, f := range a.Assessment.Facts {
		if string(f.Kind) == q.Kind {
			values = append(values, f.Value)
		}
	}
	return values
}

// answerTo lists what would be a right answer to this very question.
func answerTo(a Approval, q Question) (values []string) {
	if q.Kind == "agent" || q.Kind == "operation" || q.Kind == "effect" {
		return answer(a, q)
	}
	for _, f := range a.Assessment.Facts {
		if prompt(f) == q.Prompt {
			values = append(values, f.Value)
		}
	}
	return values
}

// about is what a question about the effect is about.
func about(q Question) subject {
	label := strings.TrimSuffix(strings.Fields(strings.TrimPrefix(q.Of.Prompt, "Which "))[0], "?")
	return subject{kind: q.Of.Kind, label: label, prompt: q.Of.Prompt}
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]facts.Fact{
		"How many rows?":                    {Kind: facts.Count, Label: "rows"},
		"How many replicas?":                {Kind: facts.Count, Label: "replicas"},
		"What is the count?":                {Kind: facts.Count, Label: "count"},
		"What is the amount?":               {Kind: facts.Amount},
		"Which user does this call act on?": {Kind: facts.Target, Label: "user"},
	} {
		if got := prompt(f); got != want {
			t.Errorf("asks %q, want %q", got, want)
		}
	}
}

// TestDistractors: where the tenant has no other values, an option of a fact has
// the length and the look of the right one; where it has, they come first.
func TestDistractors(t *testing.T) {
	t.Parallel()
	random := seeded(10)
	right := func(q Question) string {
		return q.Options[slices.IndexFunc(q.Options, func(o Option) bool { return o.ID == q.Right })].Text
	}
	all := corpus(t, 200)
	for _, a := range all {
		for _, q := range quiz(a, newElsewhere(nil, ""), asked{}, random) {
			if q.Kind == "operation" || q.Kind == "agent" {
				continue
			}
			if q.Of != nil {
				q = *q.Of
			}
			for _, o := range q.Options {
				if shape(o.Text) != shape(right(q)) || len(o.Text) != len(right(q)) && !strings.ContainsFunc(right(q), func(r rune) bool { return r >= utf8.RuneSelf }) {
					t.Errorf("%q looks different from %q", o.Text, right(q))
				}
			}
		}
	}

	a := proposed(t, "apr_a", "worker", body{"function": "delete_user", "arguments": args{"user_id": "usr_517", "account": "acc_1", "count": 77}})
	other := func(id string, arguments args) Approval {
		return proposed(t, id, "worker", body{"function": "delete_user", "arguments": arguments})
	}
	ask := func(others ...Approval) map[string]int {
		got := map[string]int{}
		for range 40 {
			for _, q := range quiz(a, newElsewhere(others, a.ID), asked{}, random) {
				if q.Of != nil {
					q = *q.Of
				}
				if q.Prompt == "Which user does this call act on?" {
					for _, o := range q.Options {
						got[o.Text]++
					}
				}
			}
		}
		return got
	}
	known := []Approval{other("apr_b", args{"user_id": "usr_901"}), other("apr_c", args{"user_id": "usr_902"}), other("apr_d", args{"user_id": "usr_903"}), a}
	got := ask(append(known, other("apr_f", args{"user_id": "usr_517"}))...)
	if len(got) != 4 || got["usr_901"] != 40 || got["usr_902"] != 40 || got["usr_903"] != 40 || got["usr_517"] != 40 {
		t.Errorf("the user is known, so are three others, and the options were %v", got)
	}
	got = ask(known...)
	if len(got) < 5 || got["usr_901"]+got["usr_902"]+got["usr_903"] != 0 || got["usr_517"] != 40 {
		t.Errorf("the user is new, and the options were %v: somebody who looks up what is known would find the one that is not", got)
	}
	got = ask(other("apr_b", args{"user_id": "usr_901"}), other("apr_c", args{"user_id": "USR_902"}), other("apr_d", args{"user_id": "usr_1234"}))
	if got["USR_902"] != 0 || got["usr_1234"] != 0 {
		t.Errorf("one other user has the shape, and the options were %v", got)
	}
}

// TestWhatIsAsked: facts first; flags never; the environment, then the agent and
// the operation, only where there is too little else; nothing where even that is
// too little.
func TestWhatIsAsked(t *testing.T) {
	t.Parallel()
	all := corpus(t, 40)
	for name, c := range map[string]struct {
		function  string
		arguments args
		others    []Approval
		always    []string // asked in every quiz
		sometimes []string
	}{
		"three facts": {
			"delete_user",
			args{"user_id": "usr_4821", "path": "/srv/exports", "count": 412, "env": "production", "force": true, "dry_run": false},
			all,
			[]string{"target", "path", "count"},
			nil,
		},
		"two and the environment": {
			"delete_user",
			args{"user_id": "usr_4821", "count": 412, "env": "production", "force": true},
			all,
			[]string{"target", "count"},
			[]string{"environment", "agent", "operation"}, // most can guess this one
		},
		"two":                        {"delete_user", args{"user_id": "usr_4821", "count": 412, "cascade": true}, all, []string{"target", "count"}, []string{"agent", "operation"}},
		"one":                        {"delete_user", args{"user_id": "usr_1", "hard": true}, all, []string{"target", "agent", "operation"}, nil},
		"an environment":             {"restart_all", args{"env": "staging"}, all, []string{"environment", "agent", "operation"}, nil},
		"more than six":              {"copy", args{"user_id": "usr_1", "path": "/srv/a", "count": 41, "amount": 55, "host": "a.example", "table": "orders", "branch": "main", "env": "production"}, all, []string{"target"}, []string{"path", "count", "amount", "host", "table", "branch"}},
		"one, and nobody else there": {"delete_user", args{"user_id": "usr_1"}, nil, []string{"target", "agent", "operation"}, nil},
		"nothing":                    {"restart_all", nil, all, nil, nil},
		"only flags":                 {"restart_all", args{"force": true, "recursive": true, "dry_run": false, "cascade": true}, all, nil, nil},
		"a number that has no other": {"restart_all", args{"count": 0}, nil, nil, nil},
	} {
		a := proposed(t, "apr_x", "support-triage", body{"function": c.function, "arguments": c.arguments})
		random := seeded(13)
		kinds := map[string]int{}
		const rounds = 60
		for range rounds {
			questions := quiz(a, newElsewhere(c.others, a.ID), asked{}, random)
			if (questions == nil) != (c.always == nil) {
				t.Fatalf("%s: %d questions", name, len(questions))
			}
			for _, q := range questions {
				if q.Of != nil {
					q = *q.Of
				}
				kinds[q.Kind]++
			}
		}
		for _, kind := range c.always {
			if kinds[kind] != rounds {
				t.Errorf("%s: %s was asked %d times in %d", name, kind, kinds[kind], rounds)
			}
			delete(kinds, kind)
		}
		for kind, n := range kinds {
			if !slices.Contains(c.sometimes, kind) || n == 0 {
				t.Errorf("%s: %s was asked", name, kind)
			}
		}
	}
}

// offered are the options of a set by what is asked: of the effect, by what it is on too.
func offered(set []Question) map[string][]string {
	all := map[string][]string{}
	for _, q := range set {
		asks := asks(q)
		for _, o := range q.Options {
			all[asks] = append(all[asks], o.Text)
		}
		slices.Sort(all[asks])
	}
	return all
}

func asks(q Question) string {
	if q.Of != nil {
		return q.Prompt + " " + q.Of.Prompt
	}
	return q.Prompt
}

// ofFacts are the questions of a set as they ask for the facts alone.
func ofFacts(set []Question) (all []Question) {
	for _, q := range set {
		if q.Of != nil {
			q = *q.Of
		}
		all = append(all, q)
	}
	return all
}
