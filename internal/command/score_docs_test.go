package command

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The example of docs/workspace.md says what the command says.
func TestTheExampleOfTheWorkspacePage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/workspace.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "## Trying it on a recorded session")
	blocks := regexp.MustCompile("(?s)```(json|text)\n(.*?)```").FindAllStringSubmatch(section, -1)
	if len(blocks) != 3 {
		t.Fatalf("%d blocks of lines; want what goes in, what comes out, and what is summed up", len(blocks))
	}
	code, out, errs := command(t, blocks[0][2], "score", "--workspace", "/srv/shop", "--sandboxed")
	var said strings.Builder
	for d := json.NewDecoder(strings.NewReader(out)); d.More(); {
		var a struct{ Explanation string }
		if err := d.Decode(&a); err != nil {
			t.Fatal(err)
		}
		said.WriteString(a.Explanation + "\n")
	}
	if code != 0 || said.String() != blocks[1][2] || errs != blocks[2][2] {
		t.Errorf("exit code %d; the page should say\n%s\n%s", code, said.String(), errs)
	}
}
