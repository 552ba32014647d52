package httpapi

import (
	"encoding/json"
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/grant"
)

// openapi serves the document, made once, when it is first asked for. Without a server in it its
// addresses are those of the host that it came from.
func (s *server) openapi() echo.HandlerFunc {
	document := sync.OnceValues(func() ([]byte, error) {
		doc := *s.api.OpenAPI()
		if public, _ := grant.Base(s.PublicURL()); public.Path != "" {
			doc.Servers = []*huma.Server{{URL: public.String()}}
		}
		return json.Marshal(&doc)
	})
	return func(c echo.Context) error {
		body, err := document()
		if err != nil {
			return err
		}
		return c.JSONBlob(http.StatusOK, body)
	}
}
