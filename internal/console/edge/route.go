package edge

import (
	"net/http"
	"strings"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring/toollist"
)

// What addresses outside of a tenant need.
const (
	Anyone   auth.Permission = "anyone"
	SignedIn auth.Permission = "signed-in"
)

// Route is one address: what it asks of whoever comes, and what answers it. Get and post
// make one, so that none is without a permission.
type Route struct {
	Method, Path string
	// Permission is what a role in the tenant must allow. Anyone and SignedIn stand
	// for the addresses outside of tenants.
	Permission auth.Permission
	// Background marks what pages ask for by themselves: it is no sign of a person,
	// and without a session it answers 401 in place of the way to the sign-in page.
	Background bool

	handle func(Call) error
	most   int64 // bytes of its form
	files  bool  // its form may hold some
	// typed reports whether a field is read as it was typed, besides those that always are.
	typed func(name string) bool
}

func Get(path string, p auth.Permission, handle func(Call) error) Route {
	return Route{Method: http.MethodGet, Path: path, Permission: p, handle: handle}
}

func Post(path string, p auth.Permission, handle func(Call) error) Route {
	return Route{Method: http.MethodPost, Path: path, Permission: p, handle: handle, most: MaxForm}
}

func (r Route) InBackground() Route {
	r.Background = true
	return r
}

func (r Route) UpTo(bytes int64) Route {
	r.most = bytes
	return r
}

// TakesTools is for a form with a list of tools, as a file or pasted.
func (r Route) TakesTools() Route {
	r.most, r.files = maxToolsForm, true
	return r
}

// CarriesLists is for a form with all lists of a policy, whose patterns and examples
// are read as they were typed.
func (r Route) CarriesLists() Route {
	r.most, r.typed = maxListsForm, func(name string) bool { return name == FieldLists || strings.HasPrefix(name, EditPrefix) }
	return r
}

const EditPrefix = "edit-"

const FieldLists = "lists" // what differs; "" is nothing

// maxListsForm bounds a form that carries lists: a policy has 256 KiB, and
// percent-encoding makes three of one byte.
const maxListsForm = 1 << 20

// maxToolsForm bounds the forms of these pages: a list, as a file or pasted, and the
// choices of all tools of an agent.
const maxToolsForm = toollist.MaxBytes + MaxForm
