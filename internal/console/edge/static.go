package edge

import (
	"net/http"
	"strings"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/web"
)

const (
	StaticPath = "/static/*"
	WorkerURL  = "/service-worker.js"
)

// Static serves the embedded files. An address with the right version may be
// kept for ever; any other one is checked by its ETag each time.
func (s *Console) Static(c Call) error { return s.file(c, c.Param("*")) }

// Worker serves the service worker at the root: a browser lets it be in charge of what is
// below its address.
func (s *Console) Worker(c Call) error { return s.file(c, web.Worker) }

func (s *Console) file(c Call, name string) error {
	file, ok := s.Assets.Get(name)
	if !ok {
		return fault.New(fault.Missing, "there is no such file")
	}
	h := c.Response().Header()
	h.Set("ETag", file.ETag())
	h.Set("Cache-Control", cacheFor(file, c.QueryParam("v")))
	if match := c.Request().Header.Get("If-None-Match"); match != "" && sameTag(match, file.ETag()) {
		return c.NoContent(http.StatusNotModified)
	}
	return c.Blob(http.StatusOK, file.Type, file.Body)
}

func cacheFor(file web.Asset, version string) string {
	if version == file.Version {
		return "public, max-age=31536000, immutable"
	}
	return "no-cache"
}

// sameTag compares as If-None-Match asks: weakly, against a list or "*".
func sameTag(header, tag string) bool {
	for _, t := range strings.Split(header, ",") {
		if t = strings.TrimSpace(t); t == "*" || strings.TrimPrefix(t, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}
