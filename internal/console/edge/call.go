package edge

import (
	"io"
	"mime"
	"net/http"

	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/fault"
)

// Unlocked refuses to decide after so much idle time as the policy says.
func (c Call) Unlocked() error {
	if c.Locked {
		return fault.New(fault.Unauthorized, "your decision wasn't recorded because you've been inactive for a while; sign in and try again")
	}
	return c.ownPage()
}

// ownPage refuses a form of somebody else's page: after another person signed in, in another tab of
// the same browser, what the first one typed would be theirs.
func (c Call) ownPage() error {
	if c.reader != "" && c.reader != c.Member.Person.ID {
		return fault.New(fault.ChallengeRequired, "someone else opened this page, and you're signed in as %s now; check it and try again", c.Member.Person.Name)
	}
	return nil
}

// isMultipart reports whether a form comes with files.
func isMultipart(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "multipart/form-data"
}

// Upload is a file of the posted form; nothing where none was chosen.
func (c Call) Upload(name string) ([]byte, error) {
	form := c.Request().MultipartForm
	if form == nil || len(form.File[name]) == 0 {
		return nil, nil
	}
	file, err := form.File[name][0].Open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

func (s *Console) RequestID(c Call) (string, error) {
	id := present.ApprovalID(c.Param("id"))
	if id == "" {
		return "", fault.New(fault.Missing, "there is no request with this ID in this organisation")
	}
	return id, nil
}
