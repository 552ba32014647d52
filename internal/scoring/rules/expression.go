package rules

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// MaxExpression bounds the text of one expression.
const MaxExpression = 2000

// expression is one in CEL over the whole action, type-checked, in a program that
// stops by itself (expression_cost.go). It never changes and is safe for
// concurrent use.
type expression struct {
	source   string
	program  cel.Program
	literals map[string]bool // every text that is written in it
}

// The faults of an evaluation. They say nothing of what the action holds: that may
// be masked.
var (
	errTooDear  = errors.New("its expression needed more steps than it may")
	errFailed   = errors.New("its expression failed on this action")
	errNoMember = errors.New("its expression asks for a member that this action doesn't have")
)

// compileExpression checks an expression and makes it ready. accepts says what it
// must give; want names that for the error, which a tenant may read: it has the
// place where CEL stumbled.
func compileExpression(source string, want fault.Text, accepts func(*cel.Type) bool) (*expression, error) {
	if utf8.RuneCountInString(source) > MaxExpression || !utf8.ValidString(source) {
		return nil, fault.Textf("the expression has %d characters; expected 1 to %d of UTF-8", utf8.RuneCountInString(source), MaxExpression)
	}
	env, err := environment()
	if err != nil {
		return nil, err
	}
	compiling.Lock() // two at once race inside cel-go 0.33: one looks up its catalog of names while the other copies it
	checked, issues := env.Compile(source)
	compiling.Unlock()
	if issues.Err() != nil {
		return nil, celError(issues.Errors())
	}
	if out := checked.OutputType(); !accepts(out) {
		return nil, fault.Textf("the expression returns %s; expected %s", cel.FormatCELType(out), want)
	}
	bound := bounds{ast: checked.NativeRep(), regexes: map[string]regex{}, literals: map[string]bool{}}
	if bound.walk(bound.ast.Expr(), ""); bound.err != nil {
		return nil, bound.err
	}
	if !bound.asks {
		return nil, fault.Textf("the expression doesn't use the action, so it would always return the same; use a member such as action.code")
	}
	if err := bound.affordable(env, checked); err != nil {
		return nil, err
	}
	program, err := env.Program(
		checked,
		cel.CostTracking(bound), cel.CostLimit(MaxCost), cel.OptimizeRegex(bound.matching()),
	)
	if err != nil {
		return nil, fault.Textf("the expression can't be run: %s", err)
	}
	return &expression{source, program, bound.literals}, nil
}

// celError is what CEL found, with places; one line for each, the first three.
func celError(found []*cel.Error) error {
	var lines []fault.Text
	for _, e := range found[:min(len(found), 3)] {
		message := strings.ReplaceAll(e.Message, "\n", " ")
		if e.Location == nil || e.Location.Line() < 1 {
			lines = append(lines, fault.Verbatim(message))
			continue
		}
		lines = append(lines, fault.Textf("line %s, column %s: %s", strconv.Itoa(e.Location.Line()), strconv.Itoa(e.Location.Column()+1), message))
	}
	return fault.Textf("the expression isn't valid CEL over an action: %s", fault.Join(lines, "; "))
}

// eval runs the expression. budget is what all expressions of one assessment may
// still cost together; it is lowered by what this one did.
func (e *expression) eval(action ref.Val, budget *uint64) (out ref.Val, err error) {
	defer func() {
		if recover() != nil { // of a library: never safe, and never the end of the process
			out, err = nil, errFailed
		}
	}()
	if *budget == 0 {
		return nil, errTooDear
	}
	out, details, err := e.program.Eval(map[string]any{"action": action})
	spent := uint64(MaxCost)
	if cost := details.ActualCost(); cost != nil {
		spent = min(*cost, MaxCost)
	}
	*budget -= min(*budget, spent)
	var cancelled interpreter.EvalCancelledError
	switch {
	case err == nil:
		return out, nil
	case errors.As(err, &cancelled), strings.Contains(err.Error(), costExceeded):
		return nil, errTooDear
	case strings.HasPrefix(err.Error(), "no such key"), strings.HasPrefix(err.Error(), "index out of bounds"):
		return nil, errNoMember
	}
	return nil, errFailed
}

var compiling sync.Mutex

// environment is what expressions are checked against: the standard library of
// CEL with optional values, and one variable.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	registry, err := types.NewRegistry()
	if err != nil {
		return nil, fmt.Errorf("make the types of CEL: %w", err)
	}
	return cel.NewEnv(
		cel.CustomTypeAdapter(registry),
		cel.CustomTypeProvider(&actionTypes{registry}),
		cel.OptionalTypes(),
		cel.Variable("action", actionType),
		cel.ASTValidators(cel.ValidateComprehensionNestingLimit(maxNesting), cel.ValidateTimestampLiterals(), cel.ValidateDurationLiterals()),
		cel.ParserRecursionLimit(64),
		cel.ParserExpressionSizeLimit(MaxExpression),
		cel.ExpressionNodeLimit(10*MaxExpression),
	)
})

// maxNesting is how deep a loop may stand in a loop.
const maxNesting = 2

var actionType = types.NewObjectType("action")

// fields are the members of an action with their types. What is absent is "" or
// {}, so that an expression need not ask for it first; has() tells.
func fields() map[string]*types.Type {
	all := map[string]*types.Type{
		"arguments": types.DynType, // an object or an array
		"hints":     types.NewMapType(types.StringType, types.DynType),
		"metadata":  types.NewMapType(types.StringType, types.DynType),
	}
	for _, name := range []string{
		"function", "docstring", "code", "action_type", "session_id", "tool_call_id", "lifecycle_point", "content", "environment", "justification",
	} {
		all[name] = types.StringType
	}
	return all
}

// actionTypes knows the type of the variable, and the types of CEL itself.
type actionTypes struct{ *types.Registry }

func (t *actionTypes) FindStructType(name string) (*types.Type, bool) {
	if name == actionType.TypeName() {
		return types.NewTypeTypeWithParam(actionType), true
	}
	return t.Registry.FindStructType(name)
}

func (t *actionTypes) FindStructFieldNames(name string) ([]string, bool) {
	if name != actionType.TypeName() {
		return t.Registry.FindStructFieldNames(name)
	}
	var names []string
	for field := range fields() {
		names = append(names, field)
	}
	return names, true
}

func (t *actionTypes) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if name != actionType.TypeName() {
		return t.Registry.FindStructFieldType(name, field)
	}
	of, ok := fields()[field]
	if !ok {
		return nil, false
	}
	return &types.FieldType{
		Type: of,
		IsSet: func(target any) bool {
			tree, ok := target.(canon.Value)
			return ok && !tree.Get(field).IsAbsent()
		},
		GetFrom: func(target any) (any, error) {
			tree, ok := target.(canon.Value)
			if !ok {
				return nil, errFailed
			}
			switch v := tree.Get(field); {
			case !v.IsAbsent():
				return valueOf(v), nil
			case of == types.StringType:
				return types.String(""), nil
			default:
				return valueOf(canon.Object()), nil
			}
		},
	}, true
}

var _ types.Provider = (*actionTypes)(nil)

// expr is short for what a checked expression is made of.
type expr = celast.Expr
