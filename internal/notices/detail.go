package notices

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring"
)

// Which channels say more than level, agent and link. The policy lists them, so that letting
// another one say more, or the same one at another address, is a weakening like any other:
// somebody else accepts it, or the waiting time passes (docs/notices.md).

// maxShownTo bounds what the policy has of where a channel leads, in bytes.
const maxShownTo = 300

// detailed reports whether a channel says more, with the settings that it has with their
// secrets.
func (s *Service) detailed(p scoring.NoticeSettings, tenant string, c Channel) (bool, error) {
	if c.Person != "" {
		return p.DetailToPeople, nil
	}
	sum, err := s.settingsOf(tenant, c)
	return err == nil && p.Detailed(c.ID, sum), err
}

// asDetailed is what the policy has of a channel that says more.
func (s *Service) asDetailed(tenant string, c Channel, shown string) (d scoring.DetailedChannel, err error) {
	d = scoring.DetailedChannel{Channel: c.ID, Name: c.Name, To: shown[:min(len(shown), maxShownTo)]}
	d.To = strings.ToValidUTF8(d.To, "")
	d.Settings, err = s.settingsOf(tenant, c)
	return d, err
}

// settingsOf is the digest of what somebody typed about a channel: what the server made
// itself, as the secret of a webhook, says nothing of where it leads.
func (s *Service) settingsOf(tenant string, c Channel) (string, error) {
	all := map[string]string{"kind": c.Kind}
	if sender, ok := s.senders[c.Kind]; ok {
		for _, f := range sender.About().Form {
			if !f.Made {
				all["field "+f.Name] = c.Settings.Fields[f.Name] + c.Settings.Secrets[f.Name]
			}
		}
	}
	return s.sealer.sum(tenant, c.ID, all)
}
