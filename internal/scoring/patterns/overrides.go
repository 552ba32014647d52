package patterns

import (
	"fmt"
	"slices"

	"github.com/countersign/countersign/internal/fault"
)

// Overrides is how a tenant's library differs from the default one. The zero
// value changes nothing.
type Overrides struct {
	Disable []string  `json:"disable,omitempty" yaml:"disable,omitempty"` // ids of the default library
	Change  []Change  `json:"change,omitempty" yaml:"change,omitempty"`
	Add     []Pattern `json:"add,omitempty" yaml:"add,omitempty"` // category custom where none is named
}

// Empty reports whether they leave the library as it is.
func (o Overrides) Empty() bool { return len(o.Add)+len(o.Change)+len(o.Disable) == 0 }

// Change gives a pattern of the default library another severity, another
// action, or both. Where only the severity changes and the pattern names no
// action of its own, the action follows the severity.
type Change struct {
	ID       string   `json:"id" yaml:"id"`
	Severity Severity `json:"severity,omitempty" yaml:"severity,omitempty"`
	Action   Action   `json:"action,omitempty" yaml:"action,omitempty"`
	Waits    bool     `json:"waits,omitempty" yaml:"waits,omitempty"` // as Pattern.Waits
}

// What a tenant may add, so that its library stays quick to load and to run.
const (
	MaxAdded   = 200
	MaxChanges = 1000 // of Disable and of Change, each
)

// Validate checks what can be said without a library: words, limits, ids that
// come twice, and the added patterns with their examples. With checks the rest.
// The error is a fault InvalidMember that names the first member that does not fit.
func (o Overrides) Validate() error {
	_, wrong := o.compile()
	return first(wrong)
}

// faults collects what is wrong, each a fault InvalidMember.
type faults []*fault.Error

func (f *faults) add(member, format string, args ...any) {
	*f = append(*f, fault.Member(fault.InvalidMember, member, format, args...))
}

func first(wrong faults) error {
	if len(wrong) == 0 {
		return nil
	}
	return wrong[0]
}

// compile makes the added patterns ready, in the order of Add, nil where one does
// not fit.
func (o Overrides) compile() (added []*matcher, wrong faults) {
	if len(o.Add) > MaxAdded {
		wrong.add("/add", "has %d patterns; at most %d are accepted", len(o.Add), MaxAdded)
	}
	if len(o.Disable) > MaxChanges {
		wrong.add("/disable", "has %d IDs; at most %d are accepted", len(o.Disable), MaxChanges)
	}
	if len(o.Change) > MaxChanges {
		wrong.add("/change", "has %d changes; at most %d are accepted", len(o.Change), MaxChanges)
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	seen := map[string]bool{}
	for i, id := range o.Disable {
		wrong.once(seen, fmt.Sprintf("/disable/%d", i), id)
	}
	for i, c := range o.Change {
		at := fmt.Sprintf("/change/%d", i)
		wrong.once(seen, at+"/id", c.ID)
		if c.Severity == "" && c.Action == "" {
			wrong.add(at, "the change of %q sets nothing; expected severity, action or both", c.ID)
		}
		if c.Severity != "" && !c.Severity.Valid() {
			wrong.add(at+"/severity", "%.60q isn't one of %s", c.Severity, list(Severities()))
		}
		if c.Action != "" && !c.Action.Valid() {
			wrong.add(at+"/action", "%.60q isn't one of %s", c.Action, list(Actions()))
		}
	}
	for i, p := range o.Add {
		at := fmt.Sprintf("/add/%d", i)
		if p.Category == "" {
			p.Category = Custom
		}
		wrong.once(seen, at+"/id", p.ID)
		m, err := compile(p)
		if err == nil {
			err = m.tryExamples()
		}
		if err != nil {
			wrong = append(wrong, below(at, err))
		}
		added = append(added, m)
	}
	return added, wrong
}

// once refuses an id that was named before.
func (f *faults) once(seen map[string]bool, member, id string) {
	if seen[id] {
		f.add(member, "the pattern %.80q appears twice; expected once", id)
	}
	seen[id] = true
}

// below puts a fault of compile under the place where the pattern stands.
func below(at string, err error) *fault.Error {
	f := *fault.As(err)
	f.Member = at + f.Member
	return &f
}

// With is the library with a tenant's overrides; l stays as it is. Ids have to
// exist where they are disabled or changed, and not to exist where they are
// added; a critical pattern may not become softer than confirm. The error is a
// fault InvalidMember that names the first member that does not fit.
func (l *Library) With(o Overrides) (*Library, error) {
	changed, wrong := l.with(o)
	return changed, first(wrong)
}

// Problems is everything that keeps With from accepting o.
func (l *Library) Problems(o Overrides) []*fault.Error {
	_, wrong := l.with(o)
	return wrong
}

func (l *Library) with(o Overrides) (*Library, faults) {
	if o.Empty() {
		return l, nil
	}
	added, wrong := o.compile()
	matchers := slices.Clone(l.matchers)
	for i, c := range o.Change[:min(len(o.Change), MaxChanges)] {
		at, ok := l.index[c.ID]
		if !ok {
			wrong = append(wrong, missing(fmt.Sprintf("/change/%d/id", i), c.ID))
			continue
		}
		changed := *matchers[at]
		changed.Pattern = c.of(changed.Pattern)
		// What is no severity or action at all was said above.
		if err := changed.validate(); err != nil && changed.Severity.Valid() && (changed.Action == "" || changed.Action.Valid()) {
			wrong = append(wrong, below(fmt.Sprintf("/change/%d", i), err))
		}
		matchers[at] = &changed
	}
	for i, p := range o.Add[:min(len(o.Add), MaxAdded)] {
		if _, taken := l.index[p.ID]; taken {
			wrong.add(fmt.Sprintf("/add/%d/id", i), "the library already has a pattern %q; change that one or choose another ID", p.ID)
		}
	}
	for i, id := range o.Disable[:min(len(o.Disable), MaxChanges)] {
		if _, ok := l.index[id]; !ok {
			wrong = append(wrong, missing(fmt.Sprintf("/disable/%d", i), id))
		}
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	matchers = slices.DeleteFunc(matchers, func(m *matcher) bool { return slices.Contains(o.Disable, m.ID) })
	return newLibrary(l.release, append(matchers, added...)), nil
}

// of is the pattern as this changes it.
func (c Change) of(p Pattern) Pattern {
	if c.Severity != "" {
		p.Severity = c.Severity
	}
	if c.Action != "" {
		p.Action = c.Action
	}
	p.Waits = c.Waits
	return p
}

// Effective is the pattern of this id as it runs under the overrides; ok is false
// where none does. Nothing is checked or compiled.
func (l *Library) Effective(o Overrides, id string) (p Pattern, ok bool) {
	if slices.Contains(o.Disable, id) {
		return Pattern{}, false
	}
	if at := slices.IndexFunc(o.Add, func(p Pattern) bool { return p.ID == id }); at >= 0 {
		p = o.Add[at].clone()
		if p.Category == "" {
			p.Category = Custom
		}
		return p, true
	}
	if p, ok = l.Pattern(id); !ok {
		return p, false
	}
	for _, c := range o.Change {
		if c.ID == id {
			p = c.of(p)
		}
	}
	return p, true
}
