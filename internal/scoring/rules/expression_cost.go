package rules

import (
	"fmt"
	"math"
	"strconv"

	"cel.dev/cel-go/cel"
	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// How long expressions may take. A unit is about one step of the interpreter, a
// tenth to a fifth of a microsecond; so is looking at ten bytes of text. A regular
// expression costs a tenth of its size (scan.Regexp.Size) for each byte.
//
// MaxCost bounds one expression on one action, about 0.1 s at worst: enough to look
// for nineteen words in 256 KiB, or to visit the 10,000 values of an action eight
// times. MaxTotalCost bounds all expressions of one assessment together; those that
// find it spent count as triggered.
const (
	MaxCost        = 500_000
	MaxTotalCost   = 2_000_000
	bytesPerUnit   = 10
	regexPerUnit   = 10
	ordinaryText   = 4096 // bytes of a text of an ordinary action, for the estimate
	ordinaryValues = 256  // members of an ordinary object, elements of a list
)

// bounds refuses what could take long before it is counted, and counts the rest:
// CEL asks it after each call.
type bounds struct {
	ast      *celast.AST
	regexes  map[string]regex // as they are written
	literals map[string]bool
	asks     bool // about the action at all
	err      error
}

// regex is one that is written in an expression.
type regex struct {
	compiled *scan.Regexp
	size     uint64
}

// cost is that of looking at a text.
func (r regex) cost(bytes int) uint64 { return uint64(bytes) * max(1, r.size) / regexPerUnit }

// walk looks at an expression. accumulator is the variable to which the loop
// around it adds.
func (b *bounds) walk(e expr, accumulator string) {
	if b.err != nil {
		return
	}
	switch e.Kind() {
	case celast.LiteralKind:
		if s, ok := e.AsLiteral().(types.String); ok {
			b.literals[string(s)] = true
		}
	case celast.SelectKind:
		b.walk(e.AsSelect().Operand(), "")
	case celast.ListKind:
		for _, one := range e.AsList().Elements() {
			b.walk(one, "")
		}
	case celast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			b.walk(entry.AsMapEntry().Key(), "")
			b.walk(entry.AsMapEntry().Value(), "")
		}
	case celast.StructKind:
		b.refuse(e, "creates a value of type %s; expected strings, numbers, lists and maps", e.AsStruct().TypeName())
	case celast.ComprehensionKind:
		c := e.AsComprehension()
		b.walk(c.IterRange(), "")
		b.walk(c.AccuInit(), "")
		b.walk(c.LoopCondition(), "")
		b.walk(c.LoopStep(), c.AccuVar())
		b.walk(c.Result(), "")
	case celast.CallKind:
		b.call(e, accumulator)
	case celast.IdentKind:
		b.asks = b.asks || e.AsIdent() == "action"
	case celast.UnspecifiedExprKind:
	}
}

func (b *bounds) call(e expr, accumulator string) {
	call := e.AsCall()
	args := call.Args()
	if call.IsMemberFunction() {
		args = append([]expr{call.Target()}, args...)
	}
	function := call.FunctionName()
	switch {
	case function == operators.Conditional: // map and filter with a condition add in one branch
		for _, a := range args {
			b.walk(a, accumulator)
		}
		return
	case function == operators.Add && accumulator != "" && args[0].Kind() == celast.IdentKind && args[0].AsIdent() == accumulator:
		b.walk(args[1], "") // what a loop collects
		return
	case function == operators.Add && !b.simple(args[0]) && !b.simple(args[1]):
		b.refuse(e, "adds two values of unknown type; convert one of them: string(…), double(…)")
	case (function == operators.Equals || function == operators.NotEquals) && !b.simple(args[0]) && !b.simple(args[1]):
		b.refuse(e, "compares two values of unknown type; convert one of them: string(…), double(…)")
	case function == operators.In && !b.simple(args[0]) && !b.holdsSimple(args[1]):
		b.refuse(e, "searches for a value of unknown type; convert it: string(…), double(…)")
	case function == "matches":
		b.regex(e, args[1])
	}
	for _, a := range args {
		b.walk(a, "")
	}
}

// regex takes only expressions that are written there: one that an agent sends, or
// that is put together, could be of any size. They are read as those of patterns
// are (scan.Compile).
func (b *bounds) regex(e, pattern expr) {
	s, ok := types.String(""), false
	if pattern.Kind() == celast.LiteralKind {
		s, ok = pattern.AsLiteral().(types.String)
	}
	if !ok {
		b.refuse(e, "builds a regular expression at run time; write it as a literal")
		return
	}
	compiled, err := scan.Compile(string(s))
	if err != nil {
		b.refuse(e, "has an invalid regular expression: %s", err)
		return
	}
	if compiled.Size() > MaxPatternSize {
		b.refuse(e, "has a regular expression that needs %d steps per character, and at most %d are accepted; use fewer or shorter repetitions", compiled.Size(), MaxPatternSize)
		return
	}
	b.regexes[string(s)] = regex{compiled, uint64(compiled.Size())}
}

// look is whether the text matches. CEL counts a call once it is done, which is too
// late here: a text on which this would cost too much is not looked at.
func (r regex) look(text string) ref.Val {
	if r.cost(len(text)) > MaxCost {
		return types.NewErr(costExceeded)
	}
	return types.Bool(r.compiled.Match(scan.NewSubject(text)))
}

// matching runs them.
func (b bounds) matching() *interpreter.RegexOptimization {
	return &interpreter.RegexOptimization{
		Function: "matches", RegexIndex: 1,
		Factory: func(call interpreter.InterpretableCall, pattern string) (interpreter.InterpretableCall, error) {
			r, ok := b.regexes[pattern]
			if !ok {
				return nil, fmt.Errorf("the regular expression %q wasn't looked at", pattern)
			}
			return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), func(values ...ref.Val) ref.Val {
				text, ok := values[0].(types.String)
				if !ok {
					return types.NoSuchOverloadErr()
				}
				return r.look(string(text))
			}), nil
		},
	}
}

// costExceeded is what CEL says, too.
const costExceeded = "cost limit exceeded"

func (b *bounds) refuse(e expr, format string, args ...any) {
	if b.err != nil {
		return
	}
	where := b.ast.SourceInfo().GetStartLocation(e.ID())
	b.err = fault.Textf("line %s, column %s: the expression %s", strconv.Itoa(where.Line()), strconv.Itoa(where.Column()+1), fault.Textf(format, args...))
}

// simple reports that a value is known to be of one piece, so that comparing and
// adding it is at most linear in it.
func (b *bounds) simple(e expr) bool { return isSimple(b.ast.GetType(e.ID())) }

func (b *bounds) holdsSimple(e expr) bool {
	t := b.ast.GetType(e.ID())
	return t != nil && len(t.Parameters()) > 0 && isSimple(t.Parameters()[0])
}

func isSimple(t *types.Type) bool {
	if t == nil {
		return false
	}
	switch t.Kind() {
	case types.BoolKind, types.BytesKind, types.DoubleKind, types.DurationKind, types.IntKind,
		types.NullTypeKind, types.StringKind, types.TimestampKind, types.UintKind, types.TypeKind:
		return true
	}
	return false
}

// affordable refuses what an ordinary action would drive over the limit: it would
// hold everything.
func (b bounds) affordable(env *cel.Env, checked *cel.Ast) error {
	estimate, err := env.EstimateCost(checked, b)
	if err != nil {
		return fault.Textf("the expression's cost is unknown: %s", err)
	}
	if estimate.Max > MaxCost {
		return fault.Textf("the expression may cost %s steps on an ordinary action, with texts of %d bytes and lists of %d; at most %d are accepted",
			steps(estimate.Max), ordinaryText, ordinaryValues, MaxCost)
	}
	return nil
}

func steps(n uint64) fault.Text {
	if n > math.MaxInt64 {
		return fault.Textf("any number of")
	}
	return fault.Textf("%d", n)
}

// EstimateSize says how large things are in an ordinary action.
func (b bounds) EstimateSize(node cost.AstNode) *cost.SizeEstimate {
	if node.ComputedSize() != nil {
		return nil
	}
	if t := node.Type(); t != nil && (t.Kind() == types.StringKind || t.Kind() == types.BytesKind) {
		return &cost.SizeEstimate{Max: ordinaryText}
	}
	return &cost.SizeEstimate{Max: ordinaryValues}
}

// EstimateCallCost is what matches costs; the rest is the library's.
func (b bounds) EstimateCallCost(function, _ string, target *cost.AstNode, args []cost.AstNode) *cost.CallEstimate {
	if function != "matches" || len(args) == 0 {
		return nil
	}
	pattern := args[len(args)-1].Expr()
	if pattern.Kind() != celast.LiteralKind {
		return nil
	}
	s, _ := pattern.AsLiteral().(types.String)
	return &cost.CallEstimate{CostEstimate: cost.Estimate{Min: 1, Max: 1 + b.regexes[string(s)].cost(ordinaryText)}}
}

// CallCost is what a call did cost.
func (b bounds) CallCost(function, _ string, args []ref.Val, _ ref.Val) *uint64 {
	total := uint64(1)
	switch function {
	case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.Conditional, operators.NotStrictlyFalse, operators.Index:
	case operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		if len(args) == 2 {
			total += min(textUnits(args[0]), textUnits(args[1]))
		}
	case operators.In:
		if len(args) == 2 {
			each := 1 + textUnits(args[0])
			if l, ok := args[1].(traits.Lister); ok {
				if n, ok := l.Size().(types.Int); ok {
					each *= uint64(n)
				}
			}
			total += each
		}
	case "matches":
		if len(args) == 2 {
			pattern, _ := args[1].(types.String)
			text, _ := args[0].(types.String)
			total += b.regexes[string(pattern)].cost(len(text))
		}
	default:
		for _, a := range args {
			total += textUnits(a)
		}
	}
	return &total
}

// textUnits is what looking at a text costs; anything else is one step.
func textUnits(v ref.Val) uint64 {
	switch s := v.(type) {
	case types.String:
		return uint64(len(s)) / bytesPerUnit
	case types.Bytes:
		return uint64(len(s)) / bytesPerUnit
	}
	return 0
}
