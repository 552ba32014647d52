package httpserver

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Where the public URL has a path, every address of ours begins with it outside of the server and
// nowhere inside: it is taken off what comes in, and put before what goes out.

// mounted takes the path off. Requests without it are answered alike: a proxy may have taken it
// off already.
func mounted(path string, next http.Handler) http.Handler {
	if path == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(context.WithValue(r.Context(), pathKey{}, path))
		if rest, ok := strings.CutPrefix(r.URL.Path, path); ok && (rest == "" || rest[0] == '/') {
			u := *r.URL
			u.Path, u.RawPath = cmp.Or(rest, "/"), strings.TrimPrefix(u.RawPath, path)
			r.URL = &u
		}
		next.ServeHTTP(w, r)
	})
}

// pathKey has the path in the context of a request.
type pathKey struct{}

// PathFrom gives ctx the path of the request that another context is of.
func PathFrom(request, ctx context.Context) context.Context {
	return context.WithValue(ctx, pathKey{}, request.Value(pathKey{}))
}

// Address is an address of ours as a client asks for it.
func Address(ctx context.Context, address string) string {
	path, _ := ctx.Value(pathKey{}).(string)
	if !strings.HasPrefix(address, "/") || strings.HasPrefix(address, "//") {
		return address // another site's, or relative
	}
	return path + address
}

// addressed are the attributes of our pages that hold addresses, besides those of htmx. No text of
// an agent is in one.
var addressed = []string{"href", "src", "action", "formaction", "data-requests", "data-resync", "data-rows", "data-session", "data-url", "data-worker"}

// Addresses is a page, or a part of one, whose addresses are as a client asks for them.
func Addresses(ctx context.Context, page []byte) []byte {
	if Address(ctx, "/") == "/" {
		return page
	}
	var b bytes.Buffer
	for z := html.NewTokenizer(bytes.NewReader(page)); ; {
		kind, raw := z.Next(), z.Raw()
		if (kind == html.StartTagToken || kind == html.SelfClosingTagToken) && bytes.Contains(raw, []byte(`="/`)) {
			raw = bytes.Clone(raw) // Token writes over it
			tag, changed := z.Token(), false
			for i, a := range tag.Attr {
				if slices.Contains(addressed, a.Key) || strings.HasPrefix(a.Key, "hx-") {
					tag.Attr[i].Val = Address(ctx, a.Val)
					changed = changed || tag.Attr[i].Val != a.Val
				}
			}
			if changed {
				raw = []byte(tag.String())
			}
		}
		b.Write(raw)
		if kind == html.ErrorToken { // the end
			return b.Bytes()
		}
	}
}
