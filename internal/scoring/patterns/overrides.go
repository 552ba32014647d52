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

// Change gives a pattern of the default library another severity, another
// action, or both. Where only the severity changes and the pattern names no
// action of its own, the action follows the severity.
type Change struct {
	ID       string   `json:"id" yaml:"id"`
	Severity Severity `json:"severity,omitempty" yaml:"severity,omitempty"`
	Action   Action   `json:"action,omitempty" yaml:"action,omitempty"`
}

// What a tenant may add, so that its library stays quick to load and to run.
const (
	maxAdded   = 200
	maxChanges = 1000 // of Disable and of Change
)

// Validate checks what can be said without a library: words, limits, ids that
// come twice, and the added patterns with their examples. With checks the rest.
// The error is a fault InvalidMember that names the member.
func (o Overrides) Validate() error {
	_, err := o.compile()
	return err
}

func (o Overrides) compile() ([]*matcher, error) {
	if len(o.Add) > maxAdded {
		return nil, fault.Member(fault.InvalidMember, "/add", "a tenant may add %d patterns, these are %d", maxAdded, len(o.Add))
	}
	if len(o.Disable) > maxChanges || len(o.Change) > maxChanges {
		return nil, fault.Member(fault.InvalidMember, "/change", "a tenant may disable and change %d patterns each", maxChanges)
	}
	seen := map[string]bool{}
	for i, id := range o.Disable {
		if err := once(seen, fmt.Sprintf("/disable/%d", i), id); err != nil {
			return nil, err
		}
	}
	for i, c := range o.Change {
		at := fmt.Sprintf("/change/%d", i)
		if err := once(seen, at+"/id", c.ID); err != nil {
			return nil, err
		}
		if c.Severity == "" && c.Action == "" {
			return nil, fault.Member(fault.InvalidMember, at, "the change of %q names neither severity nor action", c.ID)
		}
		if c.Severity != "" && !c.Severity.Valid() {
			return nil, fault.Member(fault.InvalidMember, at+"/severity", "%q is not one of %s", c.Severity, list(Severities()))
		}
		if c.Action != "" && !c.Action.Valid() {
			return nil, fault.Member(fault.InvalidMember, at+"/action", "%q is not one of %s", c.Action, list(Actions()))
		}
	}
	added := make([]*matcher, 0, len(o.Add))
	for i, p := range o.Add {
		at := fmt.Sprintf("/add/%d", i)
		if p.Category == "" {
			p.Category = Custom
		}
		m, err := compile(p)
		if err == nil {
			err = m.tryExamples()
		}
		if err != nil {
			return nil, below(at, err)
		}
		if err := once(seen, at+"/id", p.ID); err != nil {
			return nil, err
		}
		added = append(added, m)
	}
	return added, nil
}

// once refuses an id that was named before.
func once(seen map[string]bool, member, id string) error {
	if seen[id] {
		return fault.Member(fault.InvalidMember, member, "the pattern %q is named twice", id)
	}
	seen[id] = true
	return nil
}

// below puts a fault of compile under the place where the pattern stands.
func below(at string, err error) error {
	f := *fault.As(err)
	f.Member = at + f.Member
	return &f
}

// With is the library with a tenant's overrides; l stays as it is. Ids have to
// exist where they are disabled or changed, and not to exist where they are
// added; a critical pattern may not become softer than confirm. The error is a
// fault InvalidMember that names the member.
func (l *Library) With(o Overrides) (*Library, error) {
	added, err := o.compile()
	if err != nil {
		return nil, err
	}
	matchers := slices.Clone(l.matchers)
	for i, c := range o.Change {
		at, ok := l.index[c.ID]
		if !ok {
			return nil, missing(fmt.Sprintf("/change/%d/id", i), c.ID)
		}
		changed := *matchers[at]
		if c.Severity != "" {
			changed.Severity = c.Severity
		}
		if c.Action != "" {
			changed.Action = c.Action
		}
		if err := changed.validate(); err != nil {
			return nil, below(fmt.Sprintf("/change/%d", i), err)
		}
		matchers[at] = &changed
	}
	for i, m := range added {
		if _, taken := l.index[m.ID]; taken {
			return nil, fault.Member(fault.InvalidMember, fmt.Sprintf("/add/%d/id", i), "the library has a pattern %q already; change it or choose another id", m.ID)
		}
	}
	for i, id := range o.Disable {
		if _, ok := l.index[id]; !ok {
			return nil, missing(fmt.Sprintf("/disable/%d", i), id)
		}
	}
	matchers = slices.DeleteFunc(matchers, func(m *matcher) bool { return slices.Contains(o.Disable, m.ID) })
	return newLibrary(l.release, append(matchers, added...)), nil
}
