package clients_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// leftOut are operations that the clients do not have, and why.
var leftOut = map[string]string{
	"list":          "a program waits for what it submitted; lists are for people",
	"session_score": "a figure for people",
	"tools":         "the gateway in front of a server sends its tools",
	"enrol":         "countersign hook enroll does it, once, before there is a key",
}

type document struct {
	Paths map[string]map[string]struct {
		OperationID string `json:"operationId"`
		RequestBody struct {
			Content map[string]struct{ Schema schema }
		} `json:"requestBody"`
		Responses map[string]struct {
			Content map[string]struct{ Schema schema }
		}
		Parameters []struct{ Name, In string }
	}
	Components struct{ Schemas map[string]schema }
}

type schema struct {
	Ref        string   `json:"$ref"`
	OneOf      []schema `json:"oneOf"`
	Properties map[string]schema
}

// members of a schema, through its reference.
func (d document) members(s schema) []string {
	if s.Ref != "" {
		s = d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	return slices.Sorted(maps.Keys(s.Properties))
}

// The clients have the operations and members that the server describes, or say here why not.
func TestClientsHaveWhatTheServerDescribes(t *testing.T) {
	t.Parallel()
	s := realSite(t)
	res, err := http.Get(s.door.URL + "/api/v1/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var d document
	if err := json.NewDecoder(res.Body).Decode(&d); err != nil {
		t.Fatal(err)
	}
	var described []string
	for path, methods := range d.Paths {
		for method, o := range methods {
			if strings.HasPrefix(path, "/api/v1/") && o.OperationID != "" && !strings.Contains(path, ".") && leftOut[o.OperationID] == "" {
				described = append(described, strings.ToUpper(method)+" "+path)
			}
		}
	}
	slices.Sort(described)
	dir, err := packed()
	if err != nil {
		t.Fatal(err)
	}
	read := func(path ...string) string {
		text, err := os.ReadFile(filepath.Join(append([]string{dir}, path...)...))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	python := read("python", "countersign", "client.py")
	script, types := read("js", "node_modules", "countersign", "client.js"), read("js", "node_modules", "countersign", "index.d.ts")

	for name, source := range map[string]string{"client.py": python, "client.js": script} {
		_, table, _ := strings.Cut(source, "OPERATIONS = {")
		table, _, _ = strings.Cut(table, "\n}")
		var has []string
		for _, m := range regexp.MustCompile(`"?(\w+)"?: "([A-Z]+ /[^"]+)"`).FindAllStringSubmatch(table, -1) {
			has = append(has, m[2])
			if !regexp.MustCompile(`(def|async|^)\s+` + m[1] + `\(|  ` + m[1] + `\(`).MatchString(source) {
				t.Errorf("%s has no method %s", name, m[1])
			}
			// The methods really call what the table says.
			path := strings.NewReplacer("{id}", `(\{_id\(approval\)\}|\$\{idOf\(approval\)\}|\{approval_id\}|\$\{id\})`, "/", `\/`).Replace(strings.Fields(m[2])[1])
			if !regexp.MustCompile(path + "[\"`?'\" ]").MatchString(source) {
				t.Errorf("%s calls no %s", name, m[2])
			}
		}
		if slices.Sort(has); !slices.Equal(has, described) {
			t.Errorf("%s has %v\nthe server describes %v", name, has, described)
		}
	}

	// What is sent.
	forms := d.Paths["/api/v1/approvals"]["post"].RequestBody.Content["application/json"].Schema.OneOf
	if len(forms) != 2 { // a submission, and a canary, which is the hook's business
		t.Fatalf("a submission has the forms %v", forms)
	}
	submission := d.members(forms[0])
	python += read("python", "countersign", "canon.py")
	sends := slices.Sorted(slices.Values(regexp.MustCompile(`\w+`).FindAllString(strings.Join([]string{
		between(t, python, "\nABOUT = (", ")"), between(t, python, "\nOF_SUBMISSION = (", ")"), between(t, python, "\nCOVERED = (", ")"),
	}, " "), -1)))
	if !slices.Equal(sends, submission) {
		t.Errorf("Python sends %v\nthe server takes %v", sends, submission)
	}
	declared := slices.Concat(interfaceMembers(t, types, "Act"), interfaceMembers(t, types, "About"), interfaceMembers(t, types, "Submission"))
	if slices.Sort(declared); !slices.Equal(declared, submission) {
		t.Errorf("TypeScript declares %v\nthe server takes %v", declared, submission)
	}

	// What is answered: each declared member is described; the others are open.
	answer := d.members(d.Paths["/api/v1/approvals/{id}"]["get"].Responses["200"].Content["application/json"].Schema)
	for _, m := range interfaceMembers(t, types, "Approval") {
		if !slices.Contains(answer, m) {
			t.Errorf("TypeScript declares the member %s of an approval, which the server does not describe: %v", m, answer)
		}
	}
	for _, used := range []string{"id", "status", "digest", "decision", "execution", "assessment", "console_url"} {
		if !slices.Contains(answer, used) || !regexp.MustCompile(`["']`+used+`["']`).MatchString(python) {
			t.Errorf("the clients use %s of an approval, which has %v", used, answer)
		}
	}
	consumed := d.members(d.Paths["/api/v1/approvals/{id}/consume"]["post"].Responses["200"].Content["application/json"].Schema)
	if !slices.Contains(consumed, "replayed") || !slices.Contains(consumed, "status") {
		t.Errorf("consume answers %v", consumed)
	}
	var asks []string
	for _, p := range d.Paths["/api/v1/approvals"]["post"].Parameters {
		asks = append(asks, p.Name)
	}
	if !slices.Contains(asks, "consume") || !slices.Contains(asks, "Idempotency-Key") {
		t.Errorf("submit takes %v", asks)
	}
}

func between(t *testing.T, text, from, to string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, from)
	rest, _, end := strings.Cut(rest, to)
	if !ok || !end {
		t.Fatalf("no %q", from)
	}
	return rest
}

// interfaceMembers are those at the first level of an interface.
func interfaceMembers(t *testing.T, types, name string) (names []string) {
	t.Helper()
	body := between(t, types, "export interface "+name+" ", "\n}")
	for _, m := range regexp.MustCompile(`(?m)^  (\w+)\??:`).FindAllStringSubmatch(body, -1) {
		names = append(names, m[1])
	}
	return names
}
