package httpapi

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// The parameters are strings here and integers in the document, so that a
// refusal is in our words. An empty one counts as not given.

// idForm is what auth.NewID makes of "apr". Anything else cannot exist and is
// never asked of the database.
var idForm = regexp.MustCompile(`^apr_[0-9a-f]{32}$`)

// id is the {id} of a path.
type id string

// Schema describes the parameter in the document.
func (id) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: "Id of an approval of this agent.", Pattern: idForm.String()}
}

func (i id) check() error {
	if !idForm.MatchString(string(i)) {
		return i.missing()
	}
	return nil
}

// own words every reason for which an id does not exist for this agent alike:
// that it exists for another one must not show.
func (i id) own(err error) error {
	if fault.Is(err, fault.Missing) {
		return i.missing()
	}
	return err
}

func (i id) missing() error {
	return fault.New(fault.Missing, "no approval %q; ids look like apr_0192f3… and are those that POST /api/v1/approvals returned to this agent", cut(string(i)))
}

// wait is how long a call may hold the answer back.
type wait string

const (
	// maxWait is the longest wait; more counts as this (docs/api.md).
	maxWait = 60 * time.Second
	// answerWithin is how long after its request an answer comes at the latest: before
	// a proxy that gives up after 60 seconds, which is the default of many.
	answerWithin = 50 * time.Second
)

// Schema describes the parameter in the document.
func (wait) Schema(huma.Registry) *huma.Schema {
	zero := 0.0
	return &huma.Schema{
		Type: huma.TypeInteger, Minimum: &zero, Default: 0,
		Description: "Seconds to wait at most for a final status before answering; more than 60 counts as 60. The answer comes within 50 seconds of the request, so that proxies with a limit of 60 don't cut it off: ask again while the status is pending.",
	}
}

func (w wait) parse() (time.Duration, error) {
	seconds, ok := digits(string(w), int(maxWait/time.Second))
	if !ok {
		return 0, fault.Member(fault.InvalidParameter, "wait", "wait is %q; send whole seconds from 0 to 60 (more counts as 60)", cut(string(w)))
	}
	return time.Duration(seconds) * time.Second, nil
}

// flag is a parameter that is true or false.
type flag string

// Schema describes the parameter in the document.
func (flag) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeBoolean, Default: false, Description: "Spend the grant at once, in the same transaction, if the policy approves the action by itself: then execution.state is consumed. Nothing changes for an action that is held."}
}

func (f flag) parse(name string) (bool, error) {
	switch f {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	}
	return false, fault.Member(fault.InvalidParameter, name, "%s is %q; send true or false", name, cut(string(f)))
}

// digits reads a number without a sign; what exceeds most counts as most. The
// empty text is 0.
func digits(s string, most int) (n int, ok bool) {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(10*n+int(c-'0'), most)
	}
	return n, true
}

// limit is how many approvals a page has.
type limit string

const (
	maxLimit     = 200
	defaultLimit = 50
)

// Schema describes the parameter in the document.
func (limit) Schema(huma.Registry) *huma.Schema {
	least, most := 1.0, float64(maxLimit)
	return &huma.Schema{Type: huma.TypeInteger, Minimum: &least, Maximum: &most, Default: defaultLimit, Description: "Approvals per page; where they hand large actions back, a page has fewer."}
}

func (l limit) parse() (int, error) {
	if l == "" {
		return defaultLimit, nil
	}
	n, ok := digits(string(l), maxLimit+1)
	if !ok || n < 1 || n > maxLimit {
		return 0, fault.Member(fault.InvalidParameter, "limit", "limit is %q; send a whole number from 1 to %d", cut(string(l)), maxLimit)
	}
	return n, nil
}

func checkSession(session string) error {
	if len(session) > scoring.MaxNameBytes || !utf8.ValidString(session) || strings.ContainsRune(session, 0) {
		return fault.Member(fault.InvalidParameter, "session_id", "this can't be a session_id; send the session_id of an action, in UTF-8 of at most %d bytes", scoring.MaxNameBytes)
	}
	return nil
}

// filter says what a list asks for.
func (in *listInput) filter() (f approvals.Filter, err error) {
	if f.Before, err = in.resume(); err != nil {
		return f, err
	}
	if in.Status != "" {
		if !slices.Contains(approvals.Statuses(), approvals.Status(in.Status)) {
			return f, fault.Member(fault.InvalidParameter, "status", "status is %q; send one of %s", cut(in.Status), statusList())
		}
		f.Statuses = []approvals.Status{approvals.Status(in.Status)}
	}
	if err := checkSession(in.Session); err != nil {
		return f, err
	}
	f.Session = in.Session
	f.Limit, err = in.Limit.parse()
	return f, err
}

func statusList() string {
	var names []string
	for _, s := range approvals.Statuses() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// cursor leads to the page of the same list that begins after an id. It is opaque to agents, so
// that its content may change; today it holds that id and what the list was asked for.
func (in *listInput) cursor(before string) string {
	asked := url.Values{"status": {in.Status}, "session_id": {in.Session}}
	return base64.RawURLEncoding.EncodeToString([]byte(before + "?" + asked.Encode()))
}

// resume reads the cursor, and asks for what its list was asked for: another filter with it would
// be a page of no list.
func (in *listInput) resume() (before string, err error) {
	if in.Cursor == "" {
		return "", nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(in.Cursor)
	before, query, _ := strings.Cut(string(raw), "?")
	asked, unread := url.ParseQuery(query)
	if err != nil || unread != nil || !idForm.MatchString(before) {
		return "", fault.Member(fault.InvalidParameter, "cursor", "the cursor isn't valid; send the next_cursor of the previous page unchanged, or leave it out")
	}
	if status, session := asked.Get("status"), asked.Get("session_id"); in.Status == "" && in.Session == "" {
		in.Status, in.Session = status, session
	} else if in.Status != status || in.Session != session {
		return "", fault.Member(fault.InvalidParameter, "cursor", "the cursor belongs to another status or session_id; send those of the first page, or the cursor alone")
	}
	return before, nil
}

// maxKey bounds an Idempotency-Key, in characters.
const maxKey = 255

// parseKey reads an Idempotency-Key, bare or as the quoted string of RFC 8941
// §3.3.3; both spellings are the same key. An absent one is "".
func parseKey(header string) (string, error) {
	key := header
	if strings.HasPrefix(header, `"`) {
		var ok bool
		if key, ok = unquote(header); !ok {
			return "", badKey("isn't a valid quoted string")
		}
		if key == "" {
			return "", badKey("is empty")
		}
	}
	if len(key) > maxKey {
		return "", badKey("has %s characters", strconv.Itoa(len(key)))
	}
	for _, c := range []byte(key) {
		if c <= ' ' || c > '~' {
			return "", badKey("has a character that isn't visible ASCII")
		}
	}
	return key, nil
}

// unquote reads "…" where only \" and \\ are escapes.
func unquote(s string) (string, bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), i == len(s)-1
		case c == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			i++
			b.WriteByte(s[i])
		case c == '\\':
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

func badKey(format string, args ...any) error {
	f := fault.Member(fault.InvalidParameter, "Idempotency-Key", "the Idempotency-Key "+format, args...)
	f.Detail += "; send it once, bare or as a quoted string, with 1 to 255 visible ASCII characters"
	return f
}
