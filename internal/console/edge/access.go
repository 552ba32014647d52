package edge

import (
	"cmp"
	"net/http"
	"net/url"
	gopath "path"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views/texts"
)

// MaxForm bounds a posted form: the longest one is a reason of 2,000 characters,
// percent-encoded.
const MaxForm = 64 << 10

// Call is one request of somebody whom guard let pass.
type Call struct {
	echo.Context
	Say    texts.Printer
	Visit  visit       // zero at addresses for anyone
	Member auth.Member // zero outside of a tenant
	Halt   *tenants.Halt
	Single bool // the tenant is in single-person mode
	// IdleLock is how long the organisation lets nobody do anything before deciding is
	// locked; locked, that it is: reading goes on, deciding does not.
	IdleLock time.Duration
	Locked   bool
	Mentions []tenants.Mention // of them, which they haven't read yet
	Away     []tenants.Absence // who is away now
	waiting  int               // changes that wait for this person
	reader   string            // whose page a form was on; empty where it says nothing
}

// fieldReader is the field that says so. Decisions have it, and the script of the page adds it to
// every other form (web/js/session.js).
const fieldReader = "reader"

// Guard is the way to every handler: session → person → member → permission.
func (s *Console) Guard(n Route) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.Request().Method == http.MethodPost {
			c.Request().Body = http.MaxBytesReader(c.Response(), c.Request().Body, n.most)
			if err := readForm(c.Request(), n.most, n.files); err != nil {
				return err
			}
		}
		if foretold(c.Request()) && n.Path != StaticPath {
			// Opening a page means that a person sees it: a waiting time begins, a time to
			// read runs. A browser that is refused here asks again when they come.
			return c.NoContent(http.StatusServiceUnavailable)
		}
		maskRequest(c.Request(), scoring.MaskText, asTyped)
		in := Call{Context: c, reader: c.Request().PostForm.Get(fieldReader)}
		c.Request().PostForm.Del(fieldReader) // handlers refuse fields that they don't know
		if n.Path != StaticPath {
			in.Say = s.locale(c)
		}
		if n.Permission == Anyone {
			return n.handle(in)
		}
		var ok bool
		var err error
		if in.Visit, ok, err = s.Visits.Find(c.Request().Context(), s.Visits.Token(c.Request())); err != nil {
			return err
		}
		if !ok {
			return s.signInFirst(c, n)
		}
		if n.Permission == SignedIn {
			_, err = s.Tenants.Account(c.Request().Context(), in.Visit.Person, in.Visit.SignedIn)
			if err == nil && in.Visit.Unproven && n.Path != "/" && n.Path != urls.SignOut {
				err = fault.New(fault.Denied, "no audit trail could confirm your password when you signed in; sign in again once the trail is what was signed")
			}
		} else {
			err = s.enter(&in, n.Permission)
		}
		if err == nil && in.Member.Tenant != "" {
			err = s.maskOwn(c.Request().Context(), in, n)
		}
		if fault.Is(err, fault.Unauthorized) {
			return s.signInFirst(c, n) // this sign-in was ended since
		}
		if err != nil {
			return err
		}
		if !n.Background {
			if in.Locked, err = s.Visits.Touch(c.Request().Context(), in.Visit, in.Member.Tenant, cmp.Or(in.IdleLock, shortIdle)); err != nil {
				return err
			}
		}
		if Covered(n) {
			if is, err := s.Cover(in, ""); is || err != nil {
				return err
			}
		}
		return n.handle(in)
	}
}

// foretold reports whether a browser asks for a page that nobody opened, in case somebody
// will (https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Sec-Purpose).
func foretold(r *http.Request) bool {
	for _, name := range []string{"Sec-Purpose", "Purpose", "X-Moz"} {
		if strings.HasPrefix(strings.ToLower(strings.TrimSpace(r.Header.Get(name))), "prefetch") {
			return true
		}
	}
	return false
}

// readForm reads a posted form; with files, where the address takes them. All of it stays
// in memory: there is no more of it than the body may have.
func readForm(r *http.Request, most int64, files bool) error {
	read := r.ParseForm
	if files && isMultipart(r) {
		read = func() error { return r.ParseMultipartForm(most) }
	}
	if read() != nil {
		return fault.New(fault.InvalidForm, "the form couldn't be read; go back and send at most %d KB", most>>10)
	}
	return nil
}

// enter reads what the person may do in the tenant of the path, now: nothing is
// remembered from an earlier request. A tenant that does not exist and one that
// is not theirs have the same answer.
func (s *Console) enter(c *Call, p auth.Permission) error {
	in, err := s.Tenants.Enter(c.Request().Context(), c.Param("tenant"), c.Visit.Person, c.Visit.SignedIn)
	if fault.Is(err, fault.Missing) {
		return fault.New(fault.Missing, "there is nothing at this address, or you're not a member of this organisation")
	}
	if err != nil {
		return err
	}
	c.admit(in)
	if c.Member.Unproven = c.Visit.Unproven; c.Member.Unproven && s.Checkpoints.Newest(c.Member.Tenant).Problem == "" {
		return fault.New(fault.Unauthorized, "the audit trail can confirm your password now; sign in again")
	}
	httpserver.NoteTenant(c.Request().Context(), c.Member.Tenant)
	if !c.Member.May(p) {
		return fault.New(fault.Denied, "your roles in %s don't allow this; an admin can change them", c.Member.Tenant)
	}
	return nil
}

// admit notes what the person found in the tenant.
func (c *Call) admit(in tenants.Admission) {
	c.Member, c.Halt, c.Single, c.IdleLock, c.waiting, c.Mentions, c.Away = in.Member, in.Halt, in.Single, in.IdleLock, in.Waiting, in.Mentions, in.Away
}

// signInFirst sends a reader to the sign-in page and back afterwards; whoever
// posts, and what pages ask for by themselves, gets 401.
func (s *Console) signInFirst(c echo.Context, n Route) error {
	if n.Method != http.MethodGet || n.Background {
		return fault.New(fault.Unauthorized, "you aren't signed in, or the session has ended; sign in and try again")
	}
	where := "/sign-in"
	if next := LocalPath(c.Request().URL.RequestURI()); next != "" {
		where += "?next=" + url.QueryEscape(next)
	}
	return GoTo(c, where)
}

// LocalPath returns path if it is a page of a tenant here, else "". It decides
// where a sign-in leads, so nothing that a browser could take for another site
// passes.
func LocalPath(path string) string {
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil || !strings.HasPrefix(u.Path, "/t/") ||
		gopath.Clean(u.Path) != u.Path || scoring.HoldsSecret(u.Path) || strings.ContainsAny(path, "\\\t\r\n") || len(path) > 2048 {
		return ""
	}
	clean := url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery}
	if query, changed := maskValues(u.Query(), scoring.MaskText, asTyped); changed {
		clean.RawQuery = query.Encode()
	}
	return clean.String()
}

// Field is a value of the posted form, never of the address. What no text of
// ours may hold (NUL, bytes that are not UTF-8) becomes U+FFFD, and line ends
// are what they are everywhere else.
func (c Call) Field(name string) string {
	text := canon.String(c.Request().PostForm.Get(name)).Text()
	return strings.ReplaceAll(text, "\r\n", "\n")
}
