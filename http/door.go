package http

import (
	"context"
	"net/http"
)

// doorKey marks requests that came in by the door.
type doorKey struct{}

// Door is the handler for a listener on loopback of which only processes of this machine know. Whoever the API answers
// to else, there it answers to this machine: under a name of it, with a token, and to no user header.
func (s *Server) Door() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), doorKey{}, true)))
	})
}

// atDoor says whether a request came in by the door.
func atDoor(r *http.Request) bool { return r.Context().Value(doorKey{}) != nil }
