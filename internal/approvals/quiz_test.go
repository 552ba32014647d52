package approvals

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
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

// offered are the options of a set by what is asked.
func offered(set []Question) map[string][]string {
	all := map[string][]string{}
	for _, q := range set {
		for _, o := range q.Options {
			all[q.Prompt] = append(all[q.Prompt], o.Text)
		}
	}
	return all
}
