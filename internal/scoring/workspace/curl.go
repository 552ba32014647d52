package workspace

import (
	"path"
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// Programs that send requests: curl, wget and httpie.

// requests judges each address of a request, and the files that they are kept in.
func (w *walk) requests(name string, r *act.HTTP) {
	for _, u := range r.Uploads {
		w.reads(u)
	}
	for _, s := range r.Saves {
		w.writes(s, "it writes")
	}
	if len(r.URLs) == 0 {
		w.harmless(effects.Read, "read", name+" is given no address")
		return
	}
	one := request{literal: !r.Made, method: r.Method, body: r.Body || len(r.Uploads) > 0, secret: r.Secret}
	for _, s := range r.Said {
		one.literal = one.literal && s.Literal && !hasLongRun(strings.ReplaceAll(s.Text, " ", "/"))
	}
	for i, u := range r.URLs {
		if strings.HasPrefix(u.Text, "file:") {
			w.reads(shell.Word{Text: strings.TrimPrefix(u.Text, "file://"), Literal: u.Literal})
			continue
		}
		to := one
		to.url, to.literal = u.Text, one.literal && u.Literal
		w.web(to)
		w.keepsPage(u, r, i)
	}
}

// keepsPage judges that what an address gives is kept.
func (w *walk) keepsPage(u shell.Word, r *act.HTTP, i int) {
	var to shell.Word
	switch {
	case len(r.Outputs) > 0:
		to = r.Outputs[min(i, len(r.Outputs)-1)]
	case r.Named:
		base, _, _ := strings.Cut(strings.TrimSuffix(u.Text, "/"), "?")
		to = shell.Word{Text: r.Folder + path.Base(base), Literal: u.Literal}
	default:
		for _, d := range w.c.Redirects {
			if strings.HasPrefix(d.Op, ">") || d.Op == "&>" {
				w.downloads(u, d.File, true)
			}
		}
		return
	}
	if to.Text == "-" || to.Text == "" {
		return
	}
	w.writes(to, "it saves to")
	w.downloads(u, to, false)
}

// downloads judges what is kept: data is plain, scripts and archives are code of others.
func (w *walk) downloads(from, to shell.Word, redirect bool) {
	s := w.word(to)
	if s.zone != inside && s.zone != temporary {
		return
	}
	host := from.Text
	if _, rest, ok := strings.Cut(host, "://"); ok {
		host = rest
	}
	host, _, _ = strings.Cut(host, "/")
	host, _, _ = strings.Cut(host, ":")
	if isThisMachine(host) {
		return
	}
	if redirect {
		w.fetched = append(w.fetched, s.path)
	}
	w.k.foreign(s.path, false)
	base, _, _ := strings.Cut(from.Text, "?")
	if isCode(base) || isCode(s.path) {
		w.found(verdict{level: level.Medium, cause: "foreign", because: "it downloads " + brief(path.Base(s.path)) + ", which is a script, a program or an archive", kind: effects.Write, verb: "download", object: "file", finding: Network, covers: &Scope{Of: "program", To: w.c.Program()}})
	}
}

// isCode reports whether a file may run, or hold what may.
func isCode(p string) bool {
	p = strings.ToLower(p)
	for _, end := range wordlist.List("workspace.codeEndings") {
		if strings.HasSuffix(p, end) {
			return true
		}
	}
	return false
}
