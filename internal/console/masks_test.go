package console

import (
	"net/http"
	"testing"

	"github.com/countersign/countersign/internal/auth"
)

// Who adds a mask is told that it works at once, and sees where it waits; saving it again asks
// once more.
func TestAMaskThatWaits(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam, amy := s.join("adam", auth.Admin), s.join("amy", auth.Admin)
	const chip = "be approved until another admin accepts it"
	page := adam.press("patterns", "add", adam.get(settingsPath+"patterns"))
	page = adam.press("patterns", "put", page, "edit-id", "account-number", "edit-action", "redact", "edit-description", "An account number", "edit-regex", `\b[0-9]{4}-[0-9]{3}\b`, "edit-match", "4471-229", "edit-not", "4471").want(t, http.StatusOK, "1 change").without(t, chip)
	adam.press("patterns", "review", page).want(t, http.StatusOK, "What it masks is masked right away")
	sent := adam.saveList("patterns", page)
	amy.get(sent.location()).want(t, http.StatusOK, "Patterns that wait mask already", "Accept as version")
	page = adam.get(settingsPath+"patterns").want(t, http.StatusOK, chip)

	page = adam.press("patterns", "edit:account-number", page)
	page = adam.press("patterns", "put", page).want(t, http.StatusOK, "1 change").without(t, chip)
	adam.press("patterns", "review", page).want(t, http.StatusOK, "a second admin must agree").without(t, "What it masks is masked right away")
}
