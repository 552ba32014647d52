package workspace

import "strings"

// patchedFile is a file that a patch changes.
type patchedFile struct {
	path, moved    string
	text           string // the lines that it adds
	added, deleted bool
}

// patched are the files of a patch: as diff writes it, or as agents do (*** Update File: x).
func patched(text string) []patchedFile {
	var all []patchedFile
	var lines strings.Builder
	last := func() *patchedFile {
		if len(all) == 0 {
			return &patchedFile{}
		}
		return &all[len(all)-1]
	}
	finish := func() {
		last().text = lines.String()
		lines.Reset()
	}
	before := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		switch {
		case strings.HasPrefix(line, "*** Add File: "):
			finish()
			all = append(all, patchedFile{path: strings.TrimSpace(line[14:]), added: true})
		case strings.HasPrefix(line, "*** Update File: "):
			finish()
			all = append(all, patchedFile{path: strings.TrimSpace(line[17:])})
		case strings.HasPrefix(line, "*** Delete File: "):
			finish()
			all = append(all, patchedFile{path: strings.TrimSpace(line[17:]), deleted: true})
		case strings.HasPrefix(line, "*** Move to: "):
			last().moved = strings.TrimSpace(line[13:])
		case strings.HasPrefix(line, "--- "):
			before = patchName(line[4:])
		case strings.HasPrefix(line, "+++ "):
			finish()
			f := patchedFile{path: patchName(line[4:]), added: before == "/dev/null"}
			if f.path == "/dev/null" {
				f.path, f.deleted = before, true
			}
			all = append(all, f)
		case strings.HasPrefix(line, "rename to "):
			all = append(all, patchedFile{path: strings.TrimSpace(line[10:])})
		case strings.HasPrefix(line, "+"):
			lines.WriteString(line[1:])
			lines.WriteByte('\n')
		}
	}
	finish()
	return all
}

// patchName is a file as a header of a patch names it.
func patchName(text string) string {
	text, _, _ = strings.Cut(text, "\t")
	text = strings.TrimSpace(text)
	if rest := strings.TrimPrefix(text, "a/"); rest != text {
		return rest
	}
	return strings.TrimPrefix(text, "b/")
}
