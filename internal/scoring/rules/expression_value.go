package rules

import (
	"fmt"
	"reflect"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/countersign/countersign/internal/canon"
)

// What expressions see of an action: the tree itself, nothing copied. Members are
// in canonical order, so that a loop over them goes the same way everywhere (that
// over a map of Go does not). They are pointers, so that whoever compares two with
// == gets an answer: canon.Value has none.

// subject is the value of the variable action.
type subject struct{ tree canon.Value }

func (s *subject) ConvertToNative(t reflect.Type) (any, error) { return noNative(actionType, t) }
func (s *subject) ConvertToType(t ref.Type) ref.Val            { return convert(s, actionType, t) }
func (s *subject) Equal(ref.Val) ref.Val                       { return types.False }
func (s *subject) Type() ref.Type                              { return actionType }
func (s *subject) Value() any                                  { return s.tree }

// valueOf is a JSON value for CEL; every number is a double, of an integer beyond ±(2^53−1)
// the nearest one (docs/policy.md says so).
func valueOf(v canon.Value) ref.Val {
	switch v.Kind() {
	case canon.KindBool:
		return types.Bool(v.Bool())
	case canon.KindNumber:
		return types.Double(v.Float())
	case canon.KindString:
		return types.String(v.Text())
	case canon.KindArray:
		return &list{v}
	case canon.KindObject:
		return &object{v}
	case canon.KindNull, canon.KindAbsent:
	}
	return types.NullValue
}

// object is a JSON object as a map.
type object struct{ v canon.Value }

func (o *object) ConvertToNative(t reflect.Type) (any, error) { return noNative(types.MapType, t) }
func (o *object) ConvertToType(t ref.Type) ref.Val            { return convert(o, types.MapType, t) }
func (o *object) Type() ref.Type                              { return types.MapType }
func (o *object) Value() any                                  { return o.v }
func (o *object) Size() ref.Val                               { return types.Int(o.v.Len()) }

// Equal is never asked of two objects: bounds refuses such expressions.
func (o *object) Equal(other ref.Val) ref.Val {
	p, ok := other.(*object)
	return types.Bool(ok && o.v.Equal(p.v))
}

func (o *object) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return nil, false
	}
	v := o.v.Get(string(name))
	if v.IsAbsent() {
		return nil, false
	}
	return valueOf(v), true
}

func (o *object) Contains(key ref.Val) ref.Val {
	_, ok := o.Find(key)
	return types.Bool(ok)
}

func (o *object) Get(key ref.Val) ref.Val {
	v, ok := o.Find(key)
	if !ok {
		return types.NewErr("no such key")
	}
	return v
}

func (o *object) Iterator() traits.Iterator {
	names := make([]string, 0, o.v.Len())
	for name := range o.v.Members() {
		names = append(names, name)
	}
	return &iterator{size: len(names), at: func(i int) ref.Val { return types.String(names[i]) }}
}

// list is a JSON array.
type list struct{ v canon.Value }

func (l *list) ConvertToNative(t reflect.Type) (any, error) { return noNative(types.ListType, t) }
func (l *list) ConvertToType(t ref.Type) ref.Val            { return convert(l, types.ListType, t) }
func (l *list) Type() ref.Type                              { return types.ListType }
func (l *list) Value() any                                  { return l.v }
func (l *list) Size() ref.Val                               { return types.Int(l.v.Len()) }

// Equal is never asked of two lists: bounds refuses such expressions.
func (l *list) Equal(other ref.Val) ref.Val {
	m, ok := other.(*list)
	return types.Bool(ok && l.v.Equal(m.v))
}

// Add is refused: what it makes could be counted only by walking it.
func (l *list) Add(ref.Val) ref.Val { return types.NewErr("no such overload") }

func (l *list) Contains(v ref.Val) ref.Val {
	for _, e := range l.v.Elements() {
		if types.Equal(valueOf(e), v) == types.True {
			return types.True
		}
	}
	return types.False
}

func (l *list) Get(index ref.Val) ref.Val {
	i, ok := index.(types.Int)
	if d, isDouble := index.(types.Double); isDouble && d == types.Double(types.Int(d)) {
		i, ok = types.Int(d), true
	}
	if !ok || i < 0 || int(i) >= l.v.Len() {
		return types.NewErr("index out of bounds")
	}
	return valueOf(l.v.Element(int(i)))
}

func (l *list) Iterator() traits.Iterator {
	return &iterator{size: l.v.Len(), at: func(i int) ref.Val { return valueOf(l.v.Element(i)) }}
}

var (
	_ traits.Mapper = (*object)(nil)
	_ traits.Lister = (*list)(nil)
)

// iterator goes over a list of known length.
type iterator struct {
	size, next int
	at         func(int) ref.Val
}

func (i *iterator) HasNext() ref.Val { return types.Bool(i.next < i.size) }

func (i *iterator) Next() ref.Val {
	if i.next >= i.size {
		return nil
	}
	i.next++
	return i.at(i.next - 1)
}

func (i *iterator) ConvertToNative(t reflect.Type) (any, error) {
	return noNative(types.IteratorType, t)
}
func (i *iterator) ConvertToType(ref.Type) ref.Val { return types.NewErr("no such overload") }
func (i *iterator) Equal(ref.Val) ref.Val          { return types.False }
func (i *iterator) Type() ref.Type                 { return types.IteratorType }
func (i *iterator) Value() any                     { return nil }

func noNative(from ref.Type, to reflect.Type) (any, error) {
	return nil, fmt.Errorf("no %s is made of a %s", to, from.TypeName())
}

// convert answers type(x), and x as what it is.
func convert(v ref.Val, is, to ref.Type) ref.Val {
	switch to {
	case is:
		return v
	case types.TypeType:
		return is.(ref.Val)
	}
	return types.NewErr("no such overload")
}
