package patterns

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// Library is a set of patterns, compiled. It never changes; any number of
// goroutines may use it.
type Library struct {
	release  string // what the files say
	version  string // with a digest of every pattern
	matchers []*matcher
	index    map[string]int // of matchers, by id
	// possible says which expressions may find something in a text: those of
	// matcher i begin at first[i], and expression k is one of matcher owner[k].
	// active says which matchers run at a lifecycle point.
	possible *scan.Prefilter
	first    []int
	owner    []int
	active   map[string][]bool
}

//go:embed library/*.yaml
var embedded embed.FS

var defaultLibrary = sync.OnceValue(func() *Library {
	l, err := Load(embedded, "library/*.yaml")
	if err != nil {
		panic("patterns: the embedded library: " + err.Error()) // a test loads it
	}
	return l
})

// Default is the library that comes with the program: our own work, in
// library/*.yaml. It is compiled at the first call.
func Default() *Library { return defaultLibrary() }

// file is one YAML file of a library.
type file struct {
	Version  string    `yaml:"version"` // of the library; the same in each of its files
	Category string    `yaml:"category"`
	Patterns []Pattern `yaml:"patterns"`
}

// Load reads all files that match glob as one library, in the order of their
// names. An error names the file and the pattern, what is wrong with it and what
// would be accepted. Examples are not tried: see Library.TryExamples.
func Load(fsys fs.FS, glob string) (*Library, error) {
	names, err := fs.Glob(fsys, glob)
	if err != nil {
		return nil, fmt.Errorf("find the files %q of a pattern library: %w", glob, err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no file matches %q, so there is no pattern library", glob)
	}
	var (
		release  string
		matchers []*matcher
		origin   = map[string]string{}
	)
	for _, name := range names {
		f, err := readFile(fsys, name)
		if err != nil {
			return nil, err
		}
		if release == "" {
			release = f.Version
		}
		if f.Version == "" || f.Version != release {
			return nil, fmt.Errorf("%s: version %q; every file of a library names the same, here %q", name, f.Version, release)
		}
		for i, p := range f.Patterns {
			if p.Category == "" {
				p.Category = f.Category
			}
			m, err := compile(p)
			if err != nil {
				return nil, fmt.Errorf("%s: pattern %d (%s): %w", name, i+1, p.ID, err)
			}
			if other, taken := origin[p.ID]; taken {
				return nil, fmt.Errorf("%s: pattern %d: the id %q is taken by one in %s", name, i+1, p.ID, other)
			}
			origin[p.ID] = name
			matchers = append(matchers, m)
		}
	}
	return newLibrary(release, matchers), nil
}

func readFile(fsys fs.FS, name string) (file, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return file{}, fmt.Errorf("read a pattern library: %w", err)
	}
	var f file
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&f); err != nil {
		return file{}, fmt.Errorf("%s: %w", name, err)
	}
	if err := decoder.Decode(new(any)); !errors.Is(err, io.EOF) {
		return file{}, fmt.Errorf("%s: a library file holds one YAML document, this one more", name)
	}
	return f, nil
}

// newLibrary takes over the matchers; ids are unique.
func newLibrary(release string, matchers []*matcher) *Library {
	l := &Library{release: release, matchers: matchers, index: make(map[string]int, len(matchers))}
	hash := sha256.New()
	sorted := slices.SortedFunc(slices.Values(matchers), func(a, b *matcher) int { return strings.Compare(a.ID, b.ID) })
	for _, m := range sorted {
		definition, _ := json.Marshal(m.Pattern) // strings and numbers only
		hash.Write(definition)
		hash.Write([]byte{'\n'})
	}
	var expressions [][]*scan.Regexp
	for i, m := range matchers {
		l.index[m.ID] = i
		l.first = append(l.first, len(expressions))
		for _, re := range m.regexes {
			l.owner = append(l.owner, i)
			expressions = append(expressions, []*scan.Regexp{re})
		}
	}
	l.possible = scan.NewPrefilter(expressions)
	l.active = make(map[string][]bool, len(Points()))
	for _, point := range Points() {
		l.active[point] = make([]bool, len(matchers))
		for i, m := range matchers {
			l.active[point][i] = len(m.AppliesTo) == 0 || slices.Contains(m.AppliesTo, point)
		}
	}
	l.version = release + "+" + hex.EncodeToString(hash.Sum(nil)[:4])
	return l
}

// Prefilter says which expressions may find something; it is for scan.JoinPrefilters.
func (l *Library) Prefilter() *scan.Prefilter { return l.possible }

// Version names exactly these patterns: the release of the library and, after a
// plus sign, a digest of all definitions, so that a tenant's overrides show.
func (l *Library) Version() string { return l.version }

// Len is the number of patterns.
func (l *Library) Len() int { return len(l.matchers) }

// Patterns lists copies of all patterns in the library's order.
func (l *Library) Patterns() []Pattern {
	all := make([]Pattern, len(l.matchers))
	for i, m := range l.matchers {
		all[i] = m.clone()
	}
	return all
}

// Pattern is the one with this id.
func (l *Library) Pattern(id string) (Pattern, bool) {
	i, ok := l.index[id]
	if !ok {
		return Pattern{}, false
	}
	return l.matchers[i].clone(), true
}

// TryExamples runs every pattern's examples and returns the first failure.
func (l *Library) TryExamples() error {
	for _, m := range l.matchers {
		if err := m.tryExamples(); err != nil {
			return fmt.Errorf("pattern %s: %w", m.ID, err)
		}
	}
	return nil
}

// Scan runs the patterns that apply to a lifecycle point over texts, each by
// itself: the text and its normalised copy. The result has one match per
// pattern, worst severity first, then by id.
func (l *Library) Scan(point string, segs []scan.Segment) []Match {
	return l.ScanPassages(point, scan.Passages(segs))
}

// ScanPassages is Scan of what was read.
func (l *Library) ScanPassages(point string, passages []scan.Passage) []Match {
	var (
		found  []*Match // by matcher; nil while there is none, because most texts are clean
		active = l.active[point]
	)
	for i := range passages {
		s := newSubject(&passages[i])
		last := -1
		for k := range l.mayMatch(&s).All {
			i := l.owner[k]
			if i == last || active == nil || !active[i] {
				continue
			}
			last = i
			m := l.matchers[i]
			if found != nil && found[i] != nil && len(found[i].Places) >= maxPlaces && !found[i].Masks() {
				continue // enough evidence
			}
			places := m.placesIn(&s, l.first[i])
			if len(places) == 0 {
				continue
			}
			if found == nil {
				found = make([]*Match, len(l.matchers))
			}
			if found[i] == nil {
				found[i] = m.match()
			}
			found[i].Places = slices.Grow(found[i].Places, len(places))
			for _, o := range places {
				found[i].Places = append(found[i].Places, s.Place(o.Start, o.End))
				found[i].Obfuscated = found[i].Obfuscated || o.obfuscated
			}
		}
	}
	var matches []Match
	for _, m := range found {
		if m != nil {
			matches = append(matches, *m)
		}
	}
	slices.SortFunc(matches, worstFirst)
	return matches
}

// mayMatch asks the prefilter about each copy of a text, and returns the expressions
// that may match one of them.
func (l *Library) mayMatch(s *subject) scan.Set {
	s.plain.possible = s.read.PossibleIn(0, l.possible)
	if s.hidden {
		s.normal.possible = s.read.PossibleIn(s.which[0], l.possible)
	}
	if s.bare.there {
		s.bare.possible = s.read.PossibleIn(s.which[1], l.possible)
	}
	return s.read.Possible(l.possible)
}

func (m *matcher) match() *Match {
	return &Match{
		ID: m.ID, Severity: m.Severity, Action: m.EffectiveAction(), Category: m.Category, Why: m.Description, KeepsMask: m.keepsMask,
	}
}

// Renew reads recorded matches under this library, for an action whose secrets
// are masked and cannot be found again: severity, action, category and reason
// are the pattern's present ones. A pattern that is no longer here keeps what was
// recorded, because taking a pattern away must not soften what is pending.
func (l *Library) Renew(recorded []Match) []Match {
	renewed := slices.Clone(recorded)
	for i, old := range renewed {
		if at, ok := l.index[old.ID]; ok {
			fresh := l.matchers[at].match()
			fresh.Places, fresh.Obfuscated = old.Places, old.Obfuscated
			renewed[i] = *fresh
		}
	}
	return renewed
}

// missing is the fault for an id that no pattern has.
func missing(member, id string) *fault.Error {
	return fault.Member(fault.InvalidMember, member, "the library has no pattern %.80q; expected one of its IDs", id)
}
