package httpserver

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

// compressed sends pages and static texts with gzip: a page of the queue is 80 KB, and 12 KB then.
//
// The length of a compressed page tells what is on it to whoever reads along, can put words of
// their own on the same page, as an agent can, and can have it loaded again and again (BREACH,
// 2013). The last is what our cookies (SameSite) and the opener policy refuse. The length is
// blurred as well, by up to 100 bytes as Django does. Answers of the API are not compressed.
func compressed(next http.Handler) (http.Handler, error) {
	wrap, err := gzhttp.NewWrapper(
		gzhttp.EnableZstd(false), // every browser has gzip
		gzhttp.ContentTypes([]string{"text/html", "text/css", "text/javascript", "image/svg+xml", "application/manifest+json"}),
		gzhttp.RandomJitter(100, largestPage, true),
	)
	if err != nil {
		return nil, err
	}
	return wrap(next), nil
}

// largestPage covers a page with an action of 256 KiB, which is on it several times.
const largestPage = 2 << 20
