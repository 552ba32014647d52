package program

import (
	"fmt"
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// readersByName read programs whose operands decide. Which those are says the table.
var readersByName = map[string]func(name string, args []shell.Word, c shell.Command) []act.Act{
	"curl": curl, "wget": wget, "httpie": httpie, "remove": remove, "makes": makes, "dd": dd, "copies": copies, "tar": tar, "find": find,
	"sed": sed, "awk": awk, "jq": jq, "outputs": outputs, "search": search, "client": client, "forge": forge,
}

// reader is what reads a program, and of which kind of those that it reads the program is.
type reader struct{ name, kind string }

func (t *Table) loadReaders() error {
	t.readers = map[string]reader{}
	for how, names := range t.Readers {
		name, kind, _ := strings.Cut(how, " ")
		for n := range strings.FieldsSeq(names) {
			if t.readers[n].name != "" {
				return fmt.Errorf("%s has two readers", n)
			}
			t.readers[n] = reader{name, kind}
		}
	}
	return nil
}

// Read is what a program does; ok is false for one whose words alone do not say it.
func Read(name string, args []shell.Word, c shell.Command) (all []act.Act, ok bool) {
	read, ok := readersByName[Of().readers[name].name]
	if !ok {
		return nil, false
	}
	all = read(name, args, c)
	return all, all != nil
}

// Reads reports whether Read does.
func Reads(name string) bool { return Of().readers[name].name != "" }

// kindOf is of which kind of those that its reader reads a program is.
func kindOf(name string) string { return Of().readers[name].kind }
