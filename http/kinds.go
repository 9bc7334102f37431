package http

import (
	"net/http"

	"github.com/proofload/proofload/domain"
)

// kind is a kind of problem: the type word that clients tell apart, and its status.
type kind struct {
	Type   string
	Status int
	Title  string
}

// The kinds of problems, in the order of their status.
var (
	validationError      = kind{"validation_error", http.StatusBadRequest, "The request is not valid"}
	unauthenticated      = kind{"unauthenticated", http.StatusUnauthorized, "The request needs a valid token"}
	forbidden            = kind{"forbidden", http.StatusForbidden, "Your role does not allow it"}
	forbiddenPeer        = kind{"forbidden_peer", http.StatusForbidden, "The server answers through its proxy only"}
	crossOrigin          = kind{"cross_origin", http.StatusForbidden, "Another site must not send this request"}
	forbiddenHost        = kind{"forbidden_host", http.StatusForbidden, "The server does not answer to this host name"}
	notFound             = kind{"not_found", http.StatusNotFound, "There is no such thing"}
	methodNotAllowed     = kind{"method_not_allowed", http.StatusMethodNotAllowed, "The route has no such method"}
	runCancelled         = kind{"run_cancelled", http.StatusConflict, "The run was cancelled"}
	conflict             = kind{"conflict", http.StatusConflict, "A limit or a state does not allow it"}
	stale                = kind{"stale", http.StatusPreconditionFailed, "Another version was saved meanwhile"}
	bodyTooLarge         = kind{"body_too_large", http.StatusRequestEntityTooLarge, "The body is too large"}
	unsupportedMediaType = kind{"unsupported_media_type", http.StatusUnsupportedMediaType, "The body is not plain JSON"}
	idempotencyMismatch  = kind{"idempotency_mismatch", http.StatusUnprocessableEntity, "The key was used with another request"}
	stressRefused        = kind{domain.StressRefused, http.StatusUnprocessableEntity, "The run is refused"}
	stressTooLarge       = kind{domain.StressTooLarge, http.StatusUnprocessableEntity, "The run is over a limit"}
	preconditionRequired = kind{"precondition_required", http.StatusPreconditionRequired, "The request needs If-Match"}
	rateLimited          = kind{"rate_limited", http.StatusTooManyRequests, "The workspace has too many runs"}
	busy                 = kind{"busy", http.StatusTooManyRequests, "The instance has too many runs"}
	runFailed            = kind{"run_failed", http.StatusInternalServerError, "The run failed by an error of the program"}
	internalError        = kind{"about:blank", http.StatusInternalServerError, "Internal Server Error"}
	notReady             = kind{"not_ready", http.StatusServiceUnavailable, "The server is not ready"}
	projectionBehind     = kind{"projection_behind", http.StatusServiceUnavailable, "The read models are behind"}
	unavailable          = kind{"unavailable", http.StatusServiceUnavailable, "The server cannot answer now"}
	unknownOutcome       = kind{"unknown_outcome", http.StatusServiceUnavailable, "It is unknown whether it was done"}
)

func (k kind) problem(detail string) Problem {
	return Problem{Type: k.Type, Title: k.Title, Status: k.Status, Detail: detail}
}
