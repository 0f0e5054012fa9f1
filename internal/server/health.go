package server

import (
	"context"
	_ "embed" // of the description
	"errors"
	"net/http"
	"time"

	"github.com/weft-flow/weft/executor/durable"
)

// Description is the OpenAPI document of the API.
//
//go:embed openapi.yaml
var Description []byte

func (s *Server) description(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(Description) // who asked may have gone
	return nil
}

// state answers how the server is.
type state struct {
	Status string `json:"status"`
}

// health tells that the process answers.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, state{"ok"})
}

// readyTimeout is how long the store may take to answer.
const readyTimeout = 2 * time.Second

// ready tells whether the server can do its work: it is not being closed, its store
// answers and holds all that runs are kept in, and its node may send.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) error {
	select {
	case <-s.closing:
		return &problem{Title: "The server is being closed", Status: http.StatusServiceUnavailable}
	default:
	}
	if err := s.options.Runs.Health(); err != nil {
		return &problem{Title: "The node may not send", Status: http.StatusServiceUnavailable, Detail: "it could not reach the store in time"}
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	if _, err := s.options.Runs.List(ctx, durable.Filter{Limit: 1}); err != nil {
		return err
	}
	err := s.options.Runs.Check(ctx)
	if errors.Is(err, durable.ErrIncomplete) {
		return &problem{Title: "The store is not whole", Status: http.StatusServiceUnavailable, Detail: err.Error()}
	}
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, state{"ok"})
}
