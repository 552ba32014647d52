package program

import (
	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// readers are of programs whose operands decide.
var readers = map[string]func(name string, args []shell.Word, c shell.Command) []act.Act{
	"curl": curl, "curlie": curl, "wget": wget, "http": httpie, "https": httpie, "xh": httpie, "httpie": httpie,
	"rm": remove, "rmdir": remove, "unlink": remove, "trash": remove, "rimraf": remove, "shred": remove,
	"tee": makes, "sponge": makes, "truncate": makes, "touch": makes, "mkdir": makes, "mkfifo": makes, "dd": dd,
	"cp": copies, "gcp": copies, "mv": copies, "gmv": copies, "ln": copies, "install": copies, "tar": tar, "gtar": tar, "bsdtar": tar,
	"find": find, "fd": find, "fdfind": find,
	"sed": sed, "gsed": sed, "awk": awk, "gawk": awk, "mawk": awk, "nawk": awk, "jq": jq, "yq": jq,
	"sort": outputs, "uniq": outputs, "split": outputs, "csplit": outputs, "shuf": outputs, "tree": outputs, "xxd": outputs,
	"grep": search, "egrep": search, "fgrep": search, "zgrep": search, "rg": search, "ripgrep": search, "ag": search, "ack": search, "pt": search,
}

// Read is what a program does; ok is false for one whose words alone do not say it.
func Read(name string, args []shell.Word, c shell.Command) (all []act.Act, ok bool) {
	read, ok := readers[name]
	if !ok {
		return nil, false
	}
	return read(name, args, c), true
}

// Reads reports whether Read does.
func Reads(name string) bool { return readers[name] != nil }
