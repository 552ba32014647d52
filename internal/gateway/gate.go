package gateway

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/countersign/countersign/client"
)

// Gate decides about calls: the server, or a test.
type Gate interface {
	// Ask says whether a call may run. held is told once when people are asked. An
	// error means that nobody knows.
	Ask(ctx context.Context, call client.Call, by client.Program, held func(client.Approval)) (client.Outcome, error)
	// Open is the rest of the API, and where held calls are noted. Its error is a
	// sentence for the person who can repair the settings.
	Open() (API, Memory, error)
}

// API is what a gateway needs besides: of client.Client, or of a test.
type API interface {
	Get(ctx context.Context, approval string) (client.Approval, error)
	Report(ctx context.Context, approval string, succeeded bool, detail string) error
	Cancel(ctx context.Context, approval string) error
	Tools(ctx context.Context, server string, tools json.RawMessage) (client.Imported, error)
}

// expires is after which time nobody can approve: who was told to call again comes
// back within an hour, or not at all. Where somebody gave it more time, it is remembered.
const (
	expires    = time.Hour
	remembered = 2 * expires
)

// Server is the gate of the settings file. The file is read again for every call
// until it is good, so who repairs it needs to restart nothing.
type Server struct {
	Getenv func(string) string
	Wait   time.Duration // how long a call may be held

	mu     sync.Mutex
	client *client.Client
	memory Memory
}

// setupError says that the settings are missing or wrong.
type setupError struct{ error }

// Open reads the settings.
func (s *Server) Open() (API, Memory, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil {
		set, err := client.Load(s.Getenv)
		if err == nil {
			s.client, err = client.New(set)
		}
		if err != nil {
			return nil, Memory{}, setupError{err}
		}
		s.memory = Memory{dir: set.Dir, of: set.URL + "\n" + string(set.Key)}
	}
	return s.client, s.memory, nil
}

// Ask submits, waits, proves and spends.
func (s *Server) Ask(ctx context.Context, call client.Call, by client.Program, held func(client.Approval)) (client.Outcome, error) {
	if _, _, err := s.Open(); err != nil {
		return client.Outcome{}, err
	}
	g := client.Gate{Client: s.client, Patience: s.Wait, Expires: expires, Program: by, Held: held}
	return g.Ask(ctx, call)
}
