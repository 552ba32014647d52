package effects

import (
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
)

func TestProgramsLoad(t *testing.T) {
	t.Parallel()
	if _, err := loadPrograms(program.Of()); err != nil {
		t.Fatal(err)
	}
	for _, broken := range []string{"anywhere: {a b: {read: x}, b: {write: x}}", "harmless: a\nanywhere: {a: {read: x}}", "anywhere: {a: {eat: x}}", "verbs: {read: get, write: get}"} {
		table, err := program.Load([]byte(broken))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := loadPrograms(table); err == nil {
			t.Errorf("%s: it was loaded", broken)
		}
	}
}

// programExamples are commands by what decides their floor.
func programExamples(t testing.TB) map[string][]string {
	t.Helper()
	raw, err := os.ReadFile("programs_examples.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string][]string
	if err := yaml.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	for want, texts := range programExamples(t) {
		for _, text := range texts {
			all := shellEffects(textOf(text), "/arguments/command")
			floor := Default().Floor(all, false)
			got := string(all[0].Kind)
			switch {
			case all[0].Sensitive:
				got = "sensitive"
			case all[0].Breadth == All && (all[0].Kind == Delete || all[0].Kind == Permission):
				got += " all"
			}
			if got != want {
				t.Errorf("%s\n\tis %s, want %s: %s", text, got, want, floor.Because)
			}
			for _, e := range all {
				if len(e.Evidence) == 0 || e.Evidence[0].End > len(text) || strings.TrimSpace(e.Evidence[0].Why) == "" {
					t.Errorf("%s: evidence %+v", text, e.Evidence)
				}
			}
		}
	}
}

// What a program is told is its verb, behind what it is said of, and what else is told there are verbs of the table.
func TestTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ command, told, other string }{
		{"sudo systemctl stop auditd", "stop", "restart"},
		{"docker volume rm data", "volume rm", "create"},
		{"doctl compute snapshot delete -f 7", "compute snapshot delete", ""},
		{"rabbitmqctl -n rabbit@mq purge_queue orders", "purge_queue", ""},
		{"aws ec2 terminate-instances --instance-ids i-1", "ec2 terminate-instances", "stop-instances"},
		{"kubectl delete pvc data-2", "delete", "get"},
		{"rm -rf /srv/data", "", ""},
	} {
		words, others := Told(shell.Read(c.command).Commands[0])
		var told []string
		for _, w := range words {
			told = append(told, w.Text)
		}
		if strings.Join(told, " ") != c.told || c.other != "" && !slices.Contains(others, c.other) {
			t.Errorf("%s: %q, %q", c.command, told, others)
		}
	}
}
