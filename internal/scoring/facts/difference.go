package facts

import (
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
)

// How says how one thing differs from the earlier action.
type How string

// What became of a value or fact.
const (
	Same    How = "same"
	Changed How = "changed"
	Added   How = "added"
	Removed How = "removed"
)

// Leaf is one value of the arguments that has nothing below it.
type Leaf struct {
	Pointer string // JSON pointer into the action
	Type    string // string, number, boolean, null, empty object, empty array
	Text    string // of a string what it says, of the others their canonical form; "" of an empty one
}

// Leaves lists the values of arguments, depth first in canonical order.
func Leaves(arguments canon.Value) []Leaf {
	return leavesOf(call.Tree(arguments, "/arguments"))
}

func leavesOf(arguments *call.Node) []Leaf {
	var out []Leaf
	for n := range arguments.Leaves() {
		l := Leaf{Pointer: n.Pointer, Type: n.Kind().String()}
		switch n.Kind() {
		case canon.KindObject, canon.KindArray:
			l.Type = "empty " + l.Type
		case canon.KindString:
			l.Text = n.Text()
		default:
			l.Text = string(n.Canonical())
		}
		out = append(out, l)
	}
	return out
}

// ValueChange is what became of the value at one pointer. Was is zero where it was
// added, Now where it was removed.
type ValueChange struct {
	How      How
	Now, Was Leaf
}

// FactChange is what became of one fact. Was is zero where it was added, Now where
// it was removed.
type FactChange struct {
	How      How
	Now, Was Fact
}

// Difference is how an action differs from an earlier one of the same agent and
// function, usually the last that was approved: the values of its arguments by
// pointer. The list has what is there now, in its order,
// and then what is gone.
type Difference struct {
	Values []ValueChange
	Code   How // of the whole text; Same where there is none in either
}

// Count is how many values differ.
func (d Difference) Count() int {
	n := 0
	for _, v := range d.Values {
		if v.How != Same {
			n++
		}
	}
	return n
}

// Compare finds the difference of an action from an earlier one. It is linear in both.
func Compare(was, now *call.Call) Difference {
	return Difference{
		Values: compareValues(leavesOf(was.Tree()), leavesOf(now.Tree())),
		Code:   compareTexts(was.Code, now.Code),
	}
}

func compareTexts(was, now string) How {
	switch {
	case was == now:
		return Same
	case was == "":
		return Added
	case now == "":
		return Removed
	}
	return Changed
}

func compareValues(was, now []Leaf) []ValueChange {
	left := make(map[string]Leaf, len(was))
	for _, l := range was {
		left[l.Pointer] = l
	}
	changes := make([]ValueChange, 0, len(now))
	for _, l := range now {
		old, ok := left[l.Pointer]
		how := Changed
		switch {
		case !ok:
			how = Added
		case old == l:
			how = Same
		}
		changes = append(changes, ValueChange{How: how, Now: l, Was: old})
		delete(left, l.Pointer)
	}
	for _, l := range was {
		if _, gone := left[l.Pointer]; gone {
			changes = append(changes, ValueChange{How: Removed, Was: l})
		}
	}
	return changes
}
