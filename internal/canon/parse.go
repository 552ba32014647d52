package canon

import (
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/fault"
)

// Limits of one body. They hold for the bytes as they came in; MaxBytes holds
// for their canonical form as well, which can be longer (1e15 has 4 bytes and
// 1000000000000000 has 16), so what was accepted once is accepted again.
const (
	MaxBytes = 256 << 10
	MaxDepth = 64     // arrays and objects that are open at once
	MaxNodes = 10_000 // values: scalars, arrays and objects, each counted once; names are not
	// MaxPointers is how many bytes the JSON pointers of all values may have
	// together. Whoever walks the tree may then write down where each value
	// is, and the work stays bounded; without it one name of 100 KB above
	// 9,000 values makes a gigabyte. Full-size bodies of ordinary names stay
	// under a tenth of it.
	MaxPointers = 4 << 20
)

// limits are what a parser refuses to exceed.
type limits struct{ bytes, depth, nodes, pointers int }

// Parse reads one JSON value that has to be the whole of data, and is the only
// way for input from outside to become a tree. data is copied, so the caller may
// reuse it. The package comment lists what is refused.
//
// An error is a *fault.Error: BodyTooLarge, or MalformedJSON whose Detail names
// the byte offset (from 0), what was wrong and what would be accepted. Its Member
// is the JSON pointer of the value at fault (of the object, for a member name), or
// of the nearest value around it whose pointer is short and printable: an error
// never carries more than some 40 characters of a text of the input.
func Parse(data []byte) (Value, error) {
	v, err := parse(data, limits{MaxBytes, MaxDepth, MaxNodes, MaxPointers})
	if err != nil { // a nil *fault.Error must not become an error that is not nil
		return Value{}, err
	}
	return v, nil
}

// ParseStored reads bytes that Canonical wrote and this house kept: masking may
// have made them longer than MaxBytes, and an event holds an action one level
// deeper, so the limits are sixteen times those of Parse. Bytes that are not
// exactly the canonical form are refused. Its error is never a *fault.Error,
// because a stored record that cannot be read is our fault, not a caller's.
func ParseStored(canonical []byte) (Value, error) {
	v, refused := parse(canonical, limits{16 * MaxBytes, 16 * MaxDepth, 16 * MaxNodes, 16 * MaxPointers})
	if refused != nil {
		return Value{}, fmt.Errorf("stored JSON can't be read: %s", refused.Detail)
	}
	if string(v.Canonical()) != string(canonical) {
		return Value{}, fmt.Errorf("stored JSON of %d bytes isn't in canonical form", len(canonical))
	}
	return v, nil
}

func parse(data []byte, max limits) (Value, *fault.Error) {
	if len(data) > max.bytes {
		return Value{}, fault.New(fault.BodyTooLarge, "the body has %d bytes; at most %d are accepted", len(data), max.bytes)
	}
	p := parser{src: string(data), max: max}
	if strings.HasPrefix(p.src, "\ufeff") {
		return Value{}, p.refuse(0, fault.Textf("a byte order mark"), "isn't part of JSON; send UTF-8 without it")
	}
	p.skipSpace()
	v, err := p.value()
	if err != nil {
		return Value{}, err
	}
	p.skipSpace()
	if p.pos < len(p.src) {
		return Value{}, p.refuse(p.pos, p.token(p.pos), "comes after the end of the JSON value; send one value and nothing after it")
	}
	// Only a number can be longer in its canonical form, so the real length is
	// needed in the rare case that it might be too much.
	if len(p.src)+p.growth > max.bytes {
		if n := len(v.Canonical()); n > max.bytes {
			return Value{}, fault.New(fault.BodyTooLarge, "the body has %d bytes in canonical form (RFC 8785); at most %d are accepted", n, max.bytes)
		}
	}
	return v, nil
}

// parser walks the input once. Finished children wait on the two stacks until
// their parent closes and copies them, so each array or object costs one exact
// allocation whatever its length.
type parser struct {
	src string
	pos int
	max limits

	path     []step // from the root to the current value; as long as arrays and objects are open
	nodes    int
	pointer  int // length of the JSON pointer of the current value
	pointers int // sum over all values so far
	growth   int // bytes by which numbers are longer in canonical form

	elements []Value
	members  []Member
	offsets  []int  // where the name of each entry of members began
	scratch  []byte // unescaped text of the string being read
}

// value reads the value that begins at pos, where white space is skipped.
func (p *parser) value() (Value, *fault.Error) {
	p.nodes++
	p.pointers += p.pointer
	if p.nodes > p.max.nodes {
		return Value{}, p.refuse(p.pos, theNext, "is one too many; at most %d values are accepted", p.max.nodes)
	}
	if p.pointers > p.max.pointers {
		return Value{}, p.refuse(p.pos, theNext, "lies under names so long that the paths to all values exceed %d bytes; shorten the names", p.max.pointers)
	}
	if p.pos >= len(p.src) {
		return Value{}, p.refuse(p.pos, theEnd, "comes before a value; a whole JSON value is expected")
	}
	switch c := p.src[p.pos]; {
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case c == '"':
		text, err := p.text(&aString)
		return Value{kind: KindString, text: text}, err
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	case p.word("true"):
		return Bool(true), nil
	case p.word("false"):
		return Bool(false), nil
	case p.word("null"):
		return Null(), nil
	default:
		return Value{}, p.refuse(p.pos, p.token(p.pos), "isn't a JSON value; expected an object, an array, a string in double quotes, a number, true, false or null")
	}
}

// word takes a literal name when it stands here.
func (p *parser) word(name string) bool {
	if !strings.HasPrefix(p.src[p.pos:], name) {
		return false
	}
	p.pos += len(name)
	return true
}

func (p *parser) array() (Value, *fault.Error) {
	if err := p.open(); err != nil {
		return Value{}, err
	}
	base := len(p.elements)
	for p.skipSpace(); !p.take(']'); p.skipSpace() {
		if i := len(p.elements) - base; i > 0 {
			if !p.take(',') {
				return Value{}, p.refuse(p.pos, p.token(p.pos), `appears where "," or "]" is expected`)
			}
			p.skipSpace()
		}
		p.enter(step{index: len(p.elements) - base, indexed: true})
		v, err := p.value()
		if err != nil {
			return Value{}, err
		}
		p.leave()
		p.elements = append(p.elements, v)
	}
	v := arrayOf(slices.Clone(p.elements[base:]))
	p.elements = p.elements[:base]
	return v, nil
}

func (p *parser) object() (Value, *fault.Error) {
	if err := p.open(); err != nil {
		return Value{}, err
	}
	base := len(p.members)
	for p.skipSpace(); !p.take('}'); p.skipSpace() {
		if len(p.members) > base {
			if !p.take(',') {
				return Value{}, p.refuse(p.pos, p.token(p.pos), `appears where "," or "}" is expected`)
			}
			p.skipSpace()
		}
		offset := p.pos
		if p.pos >= len(p.src) || p.src[p.pos] != '"' {
			return Value{}, p.refuse(p.pos, p.token(p.pos), "appears where a member name in double quotes is expected")
		}
		name, err := p.text(&aName)
		if err != nil {
			return Value{}, err
		}
		p.skipSpace()
		if !p.take(':') {
			return Value{}, p.refuse(p.pos, p.token(p.pos), `appears where ":" is expected`)
		}
		p.skipSpace()
		p.enter(step{name: name})
		v, err := p.value()
		if err != nil {
			return Value{}, err
		}
		p.leave()
		p.members = append(p.members, Member{name, v})
		p.offsets = append(p.offsets, offset)
	}
	members := slices.Clone(p.members[base:])
	slices.SortFunc(members, byName)
	for i := 1; i < len(members); i++ {
		if members[i].Name == members[i-1].Name {
			return Value{}, p.refuseDuplicate(base)
		}
	}
	p.members, p.offsets = p.members[:base], p.offsets[:base]
	return objectOf(members), nil
}

// refuseDuplicate names the first name that comes again in the object whose
// members begin at base; sorting has shown that there is one.
func (p *parser) refuseDuplicate(base int) *fault.Error {
	seen := make(map[string]bool)
	i := base
	for ; i < len(p.members)-1 && !seen[p.members[i].Name]; i++ {
		seen[p.members[i].Name] = true
	}
	name := p.members[i].Name
	p.enter(step{name: name})
	return p.refuse(p.offsets[i], fault.Textf("member name %s", quote(name)), "appears twice in one object; send each name once")
}

// open steps over the bracket of an array or object.
func (p *parser) open() *fault.Error {
	if len(p.path) >= p.max.depth {
		return p.refuse(p.pos, p.token(p.pos), "opens level %d; at most %d arrays and objects may be nested", len(p.path)+1, p.max.depth)
	}
	p.pos++
	return nil
}

// take steps over c when it stands here.
func (p *parser) take(c byte) bool {
	if p.pos >= len(p.src) || p.src[p.pos] != c {
		return false
	}
	p.pos++
	return true
}

// skipSpace steps over the four characters that RFC 8259 §2 calls white space.
func (p *parser) skipSpace() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}
