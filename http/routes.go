package http

import (
	"net/http"

	"github.com/proofload/proofload/domain"
)

// The documents that pass as they are stored, as the table describes them.
type (
	modelDocument    = Document[domain.Model]
	scenarioDocument = Document[domain.Scenario]
	profileDocument  = Document[domain.Profile]
	savedModel       = SavedDocument[domain.Model]
	savedScenario    = SavedDocument[domain.Scenario]
	savedProfile     = SavedDocument[domain.Profile]
	oneRun           = Run[domain.Profile, map[string]any]
)

// Routes is the route table.
func Routes() []Route {
	var all []Route
	for _, some := range [][]Route{
		serverRoutes(), sessionRoutes(), tokenRoutes(), workspaceRoutes(), settingsRoutes(), projectRoutes(), modelRoutes(),
		branchRoutes(), objectivesRoutes(), profileRoutes(), runRoutes(), stressRoutes(), logRoutes(),
	} {
		all = append(all, some...)
	}
	return all
}

func serverRoutes() []Route {
	return []Route{
		{
			Name: "getHealth", Method: http.MethodGet, Path: "/healthz", Role: Anyone,
			Summary: "Says that the process answers",
			Answers: answers(200, Health{}), handle: (*Server).getHealth,
		},
		{
			Name: "getReadiness", Method: http.MethodGet, Path: "/readyz", Role: Anyone,
			Summary: "Says whether the read models follow the event stream",
			Answers: answers(200, Readiness{}), Refusals: words(notReady), handle: (*Server).getReadiness,
		},
		{
			Name: "getOpenAPI", Method: http.MethodGet, Path: "/openapi.json", Role: Anyone,
			Summary: "This document",
			Answers: answers(200, map[string]any{}), handle: (*Server).getOpenAPI,
		},
	}
}

func modelRoutes() []Route {
	const model, scenarios = "/api/projects/{projectId}/model", "/api/projects/{projectId}/scenarios"
	return []Route{
		{
			Name: "getModel", Method: http.MethodGet, Path: model, Role: Viewer,
			Summary: "The model of a branch", Params: params(versionParam, branchParam),
			Answers: answers(200, modelDocument{}), Refusals: words(validationError, notFound), handle: (*Server).getModel,
		},
		{
			Name: "putModel", Method: http.MethodPut, Path: model, Role: Editor,
			Summary: "Saves the next version of the model of a branch", Params: params(ifMatchParam, keyParam, branchParam),
			Body: body(domain.MaxModelBytes, domain.Model{}), Answers: answers(200, savedModel{}),
			Refusals: words(validationError, notFound, conflict, stale, preconditionRequired, idempotencyMismatch), handle: (*Server).putModel,
		},
		{
			Name: "getScenarios", Method: http.MethodGet, Path: scenarios, Role: Viewer,
			Summary: "The scenarios of the project, the oldest first", Params: list(),
			Answers: answers(200, List[DocumentItem]{}), Refusals: words(validationError, notFound), handle: (*Server).getScenarios,
		},
		{
			Name: "postScenario", Method: http.MethodPost, Path: scenarios, Role: Editor,
			Summary: "A new scenario", Params: params(keyParam), Body: body(domain.MaxScenarioBytes, domain.Scenario{}),
			Answers:  answers(201, savedScenario{}),
			Refusals: words(validationError, notFound, conflict, idempotencyMismatch), handle: (*Server).postScenario,
		},
		{
			Name: "getScenario", Method: http.MethodGet, Path: scenarios + "/{scenarioId}", Role: Viewer,
			Summary: "One scenario", Params: params(versionParam),
			Answers: answers(200, scenarioDocument{}), Refusals: words(validationError, notFound), handle: (*Server).getScenario,
		},
		{
			Name: "putScenario", Method: http.MethodPut, Path: scenarios + "/{scenarioId}", Role: Editor,
			Summary: "Saves the next version of a scenario", Params: params(ifMatchParam, keyParam),
			Body: body(domain.MaxScenarioBytes, domain.Scenario{}), Answers: answers(200, savedScenario{}),
			Refusals: words(validationError, notFound, conflict, stale, preconditionRequired, idempotencyMismatch), handle: (*Server).putScenario,
		},
		{
			Name: "getTrace", Method: http.MethodGet, Path: scenarios + "/{scenarioId}/trace", Role: Viewer,
			Summary: "The tree of steps that can happen in a scenario, and all its issues", Params: params(branchParam),
			Answers: answers(200, domain.Trace{}), Refusals: words(notFound), handle: (*Server).getTrace,
		},
	}
}

func profileRoutes() []Route {
	const stress = "/api/projects/{projectId}/stress"
	const profiles = stress + "/profiles"
	return []Route{
		{
			Name: "getRequirements", Method: http.MethodGet, Path: stress + "/requirements", Role: Viewer,
			Summary: "What a profile for a scenario must state",
			Params:  params(branchParam, Param{Name: "scenarioId", In: "query", Type: "string", Required: true, About: "The scenario."}),
			Answers: answers(200, domain.Requirements{}), Refusals: words(validationError, notFound, stressRefused), handle: (*Server).getRequirements,
		},
		{
			Name: "getProfiles", Method: http.MethodGet, Path: profiles, Role: Viewer,
			Summary: "The stress profiles of the project, the oldest first", Params: list(),
			Answers: answers(200, List[DocumentItem]{}), Refusals: words(validationError, notFound), handle: (*Server).getProfiles,
		},
		{
			Name: "postProfile", Method: http.MethodPost, Path: profiles, Role: Editor,
			Summary: "A new stress profile", Params: params(keyParam), Body: body(domain.MaxProfileBytes, domain.Profile{}),
			Answers:  answers(201, savedProfile{}),
			Refusals: words(validationError, notFound, conflict, idempotencyMismatch), handle: (*Server).postProfile,
		},
		{
			Name: "getProfile", Method: http.MethodGet, Path: profiles + "/{profileId}", Role: Viewer,
			Summary: "One stress profile", Params: params(),
			Answers: answers(200, profileDocument{}), Refusals: words(notFound), handle: (*Server).getProfile,
		},
		{
			Name: "putProfile", Method: http.MethodPut, Path: profiles + "/{profileId}", Role: Editor,
			Summary: "Saves the next version of a stress profile", Params: params(ifMatchParam, keyParam),
			Body: body(domain.MaxProfileBytes, domain.Profile{}), Answers: answers(200, savedProfile{}),
			Refusals: words(validationError, notFound, conflict, stale, preconditionRequired, idempotencyMismatch), handle: (*Server).putProfile,
		},
		{
			Name: "getProfileVersions", Method: http.MethodGet, Path: profiles + "/{profileId}/versions", Role: Viewer,
			Summary: "The versions of a stress profile with the runs that pinned them, the newest first", Params: list(),
			Answers: answers(200, List[ProfileVersion]{}), Refusals: words(validationError, notFound), handle: (*Server).getProfileVersions,
		},
		{
			Name: "getProfileVersion", Method: http.MethodGet, Path: profiles + "/{profileId}/versions/{version}", Role: Viewer,
			Summary: "One version of a stress profile with the runs that pinned it", Params: params(),
			Answers: answers(200, ProfileVersionDocument[domain.Profile]{}), Refusals: words(notFound), handle: (*Server).getProfileVersion,
		},
	}
}

func runRoutes() []Route {
	const stress = "/api/projects/{projectId}/stress"
	return []Route{
		{
			Name: "postRun", Method: http.MethodPost, Path: stress + "/profiles/{profileId}/runs", Role: Editor,
			Summary: "Runs a profile and waits for the outcome, at most 60 s",
			Params: params(keyParam, branchParam,
				Param{Name: "Prefer", In: "header", Type: "string", About: "respond-async: answer 202 at once."}),
			Answers:  []Answer{{Status: 201, Type: oneRun{}}, {Status: 202, Type: RequestedRun{}}},
			Refusals: words(validationError, notFound, conflict, runCancelled, stressRefused, stressTooLarge, idempotencyMismatch, rateLimited, busy, runFailed),
			handle:   (*Server).postRun,
		},
		{
			Name: "getProfileRuns", Method: http.MethodGet, Path: stress + "/profiles/{profileId}/runs", Role: Viewer,
			Summary: "The stored runs of a profile, at most 20, the newest first", Params: params(),
			Answers: answers(200, List[RunItem]{}), Refusals: words(notFound), handle: (*Server).getProfileRuns,
		},
		{
			Name: "getRuns", Method: http.MethodGet, Path: stress + "/runs", Role: Viewer,
			Summary: "All runs of the project, the newest first",
			Params: list(
				Param{Name: "status", In: "query", Type: "string", About: "queued, running, completed, refused, failed or cancelled."},
				Param{Name: "outdated", In: "query", Type: "boolean", About: "Only runs that are, or are not, outdated."}),
			Answers: answers(200, List[RunItem]{}), Refusals: words(validationError, notFound), handle: (*Server).getRuns,
		},
		{
			Name: "getRun", Method: http.MethodGet, Path: stress + "/runs/{runId}", Role: Viewer,
			Summary: "One run with its profile and result", Params: params(),
			Answers: answers(200, oneRun{}), Refusals: words(notFound), handle: (*Server).getRun,
		},
	}
}
