package scoring

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/scoring/fivefactor"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/rules"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// Compiled is a policy that is ready to score: its pattern library, its rules
// and its globs. It never changes and is safe for concurrent use.
type Compiled struct {
	models
	policy    Policy
	functions []compiledFunction
	deciders  deciders.Compiled
}

// models are what finds something in an action. They never change.
type models struct {
	library *patterns.Library
	rules   *rules.Set
	scorers []*rules.Scorer
	joint   func() *scan.Joint // of the Prefilters of all models; made where somebody scores, for it takes long
}

func newModels(library *patterns.Library, set *rules.Set) models {
	return models{library: library, rules: set, joint: sync.OnceValue(func() *scan.Joint {
		return scan.JoinPrefilters(library.Prefilter(), set.Prefilter(), fivefactor.Prefilter())
	})}
}

// Policies that change neither patterns nor rules share these.
var (
	coreModels     = sync.OnceValue(func() models { return shippedModels(rules.Core()) })
	extendedModels = sync.OnceValue(func() models { return shippedModels(rules.Default()) })
)

func shippedModels(list []rules.Rule) models {
	set, err := rules.NewSet(list)
	if err != nil {
		panic("scoring: the rules that come with the program: " + err.Error()) // a test compiles them
	}
	return newModels(patterns.Default(), set)
}

type compiledFunction struct {
	Function
	glob  *regexp.Regexp
	calls *CallPattern // nil: all
	ends  time.Time
	// alarms says that the docstring adds to the score.
	alarms bool
}

// Compile checks a policy and makes it ready. The error is that of Validate.
func Compile(p Policy) (*Compiled, error) {
	m, wrong := p.models()
	if len(wrong) > 0 {
		return nil, asFault(wrong)
	}
	p.Scorers = p.Scorers.orDefault()
	c := &Compiled{models: m, policy: p, deciders: p.Deciders.Compile(globExpression)}
	for _, f := range p.Functions {
		one := compiledFunction{Function: f, glob: globExpression(f.Glob), ends: f.Ends(), alarms: f.Docstring != "" && documented(f.Docstring).Score > 0}
		if f.Pattern != nil {
			calls := f.Pattern.pattern()
			one.calls = &calls
		}
		c.functions = append(c.functions, one)
	}
	return c, nil
}

// models checks the policy and makes its models. Where it finds something wrong they are
// not to be used.
func (p Policy) models() (models, []Problem) {
	var found problems
	p.check(&found)
	if len(found) > 0 && found[0].Member == "" { // too large to look at the rest
		return models{}, found
	}
	scorers := p.Scorers.compile(&found)
	if p.patternsAreShipped() && p.Rules.areShipped() {
		m := coreModels()
		if p.Rules.Extended {
			m = extendedModels()
		}
		m.scorers = scorers
		return m, found
	}
	library, err := patterns.Default().With(p.PatternOverrides)
	if err != nil {
		found.below("/pattern_overrides", patterns.Default().Problems(p.PatternOverrides)...)
	}
	set := p.compileRules(&found)
	if len(found) > 0 {
		return models{}, found
	}
	m := newModels(library.Acting(p.Acting()), set)
	m.scorers = scorers
	return m, nil
}

// patternsAreShipped reports whether exactly the patterns run that come with the program,
// each doing what it does there.
func (p Policy) patternsAreShipped() bool {
	return p.PatternOverrides.Empty() && p.Acting().Published()
}

// Policy returns what was compiled.
func (c *Compiled) Policy() Policy { return c.policy }

// globExpression matches a whole name in any case: * is any text, ? one character.
func globExpression(glob string) *regexp.Regexp {
	e := regexp.QuoteMeta(glob)
	e = strings.ReplaceAll(strings.ReplaceAll(e, `\*`, `.*`), `\?`, `.`)
	return regexp.MustCompile(`(?is)^` + e + `$`)
}

// defaults is what the registry knows about a function: every entry that matches
// counts, and each part takes the riskiest. adds says that a hint or a docstring of the
// registry's adds to the score.
func (c *Compiled) defaults(function string, hints canon.Value) (merged canon.Value, docstring string, floor level.Level, adds bool) {
	var documentation []string
	raised := map[string]canon.Value{}
	for _, f := range c.functions {
		if !f.glob.MatchString(function) {
			continue
		}
		floor = max(floor, f.Floor)
		if f.Docstring != "" {
			documentation = append(documentation, f.Docstring)
			adds = adds || f.alarms
		}
		for name, hint := range f.Hints {
			value, ok := hintValue(hint) // Compile refuses what is no hint
			own, given := raised[name]
			if !given {
				own = hints.Get(name)
			}
			if ok && (own.IsAbsent() || hintRisk(value) > hintRisk(own)) {
				raised[name] = value
				adds = adds || hintRisk(value) > 0
			}
		}
	}
	return withHints(hints, raised), strings.Join(documentation, "\n"), floor, adds
}

// withHints is the hints with some of them raised.
func withHints(hints canon.Value, raised map[string]canon.Value) canon.Value {
	if len(raised) == 0 {
		return hints
	}
	members := make([]canon.Member, 0, hints.Len()+len(raised))
	for name, v := range hints.Members() {
		if _, replaced := raised[name]; !replaced {
			members = append(members, canon.Member{Name: name, Value: v})
		}
	}
	for name, v := range raised {
		members = append(members, canon.Member{Name: name, Value: v})
	}
	return canon.Object(members...)
}

// hintRisk orders hints as the five-factor scorer weighs them.
func hintRisk(v canon.Value) float64 {
	switch {
	case v.Bool():
		return 0.3
	case v.Kind() == canon.KindNumber:
		return max(0, min(v.Float()/10000, 1)*0.8)
	}
	return 0
}

// hintValue is a hint as an agent would send it: a boolean, or a finite number.
func hintValue(hint any) (canon.Value, bool) {
	switch h := hint.(type) {
	case bool:
		return canon.Bool(h), true
	case int:
		v := canon.Int(int64(h))
		return v, v.Kind() == canon.KindNumber
	case float64:
		v, err := canon.Float(h)
		return v, err == nil
	}
	return canon.Value{}, false
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// GlobMatcher says of function names whether a glob of the registry matches them.
func GlobMatcher(glob string) func(name string) bool { return globExpression(glob).MatchString }
