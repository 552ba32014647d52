package facts

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
)

func input(t testing.TB, function, arguments string) Input {
	t.Helper()
	in := Input{Function: function}
	if arguments != "" {
		v, err := canon.Parse([]byte(arguments))
		if err != nil {
			t.Fatalf("%s: %v", arguments, err)
		}
		in.Arguments = v
	}
	return in
}

func TestX(t *testing.T) {
	data, _ := os.ReadFile("/tmp/vec.txt")
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		f, a, _ := strings.Cut(line, "|")
		in := input(t, f, a)
		fmt.Printf("\t{%q, `%s`, []string{", f, a)
		for i, f := range Extract(in) {
			if i > 0 {
				fmt.Print(", ")
			}
			fmt.Printf("%q", describe(f))
		}
		fmt.Printf("}},\n")
	}
}

func describe(f Fact) string {
	return fmt.Sprintf("%s %s (%s) %s", f.Kind, f.Value, f.Label, f.Source)
}
