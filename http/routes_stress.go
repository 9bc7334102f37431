package http

import (
	"net/http"

	"github.com/proofload/proofload/domain"
)

type (
	objectivesDocument = Document[[]domain.Objective]
	savedObjectives    = SavedDocument[[]domain.Objective]
	exportedBundle     = Bundle[domain.Model, *domain.Scenario, domain.Profile, []domain.Objective]
)

func branchRoutes() []Route {
	const branches = "/api/projects/{projectId}/branches"
	return []Route{
		{
			Name: "getBranches", Method: http.MethodGet, Path: branches, Role: Viewer,
			Summary: "The branches of the model, main first, then the oldest", Params: list(),
			Answers: answers(200, List[Branch]{}), Refusals: words(validationError, notFound), handle: (*Server).getBranches,
		},
		{
			Name: "postBranch", Method: http.MethodPost, Path: branches, Role: Editor,
			Summary: "A new draft or variant, whose version 1 is what main is now", Params: params(keyParam),
			Body: body(maxSmallBody, NewBranch{}), Answers: answers(201, OpenedBranch{}),
			Refusals: words(validationError, notFound, conflict, idempotencyMismatch), handle: (*Server).postBranch,
		},
	}
}

func objectivesRoutes() []Route {
	const scenario = "/api/projects/{projectId}/scenarios/{scenarioId}"
	return []Route{
		{
			Name: "deleteScenario", Method: http.MethodDelete, Path: scenario, Role: Editor,
			Summary: "Deletes a scenario. Profiles that name it stay, their runs are refused", Params: params(keyParam),
			Answers: answers(204, nil), Refusals: words(notFound, conflict), handle: (*Server).deleteScenario,
		},
		{
			Name: "getObjectives", Method: http.MethodGet, Path: scenario + "/objectives", Role: Viewer,
			Summary: "The objectives of a scenario", Params: params(),
			Answers: answers(200, objectivesDocument{}), Refusals: words(notFound), handle: (*Server).getObjectives,
		},
		{
			Name: "putObjectives", Method: http.MethodPut, Path: scenario + "/objectives", Role: Editor,
			Summary: "Saves the next version of the objectives; the version of the scenario stays", Params: params(ifMatchParam, keyParam),
			Body: body(domain.MaxObjectivesBytes, []domain.Objective{}), Answers: answers(200, savedObjectives{}),
			Refusals: words(validationError, notFound, conflict, stale, preconditionRequired, idempotencyMismatch), handle: (*Server).putObjectives,
		},
	}
}

func stressRoutes() []Route {
	const stress = "/api/projects/{projectId}/stress"
	side := func(name string) Param {
		return Param{Name: name, In: "query", Type: "string", Required: true, About: "The id of a stored run."}
	}
	return []Route{
		{
			Name: "getExport", Method: http.MethodGet, Path: "/api/projects/{projectId}/export", Role: Viewer,
			Summary: "A profile with its scenario, its objectives and the model of a branch, as a bundle that the command line runs",
			Params:  params(branchParam, Param{Name: "profileId", In: "query", Type: "string", Required: true, About: "The profile."}),
			Answers: answers(200, exportedBundle{}), Refusals: words(validationError, notFound), handle: (*Server).getExport,
		},
		{
			Name: "getDefaults", Method: http.MethodGet, Path: stress + "/defaults", Role: Viewer,
			Summary: "What a new profile starts with: seed, durationSeconds, warmUpSeconds and arrivalRatePerSecond", Params: params(),
			Answers: answers(200, domain.SimulationSettings{}), Refusals: words(notFound), handle: (*Server).getDefaults,
		},
		{
			Name: "deleteProfile", Method: http.MethodDelete, Path: stress + "/profiles/{profileId}", Role: Editor,
			Summary: "Deletes a stress profile and its runs; those in progress are cancelled", Params: params(keyParam),
			Answers: answers(204, nil), Refusals: words(notFound, conflict), handle: (*Server).deleteProfile,
		},
		{
			Name: "cancelRun", Method: http.MethodPost, Path: stress + "/runs/{runId}/cancel", Role: Editor,
			Summary: "Cancels a run that has not ended", Params: params(keyParam),
			Answers: answers(202, RequestedRun{}), Refusals: words(notFound, conflict), handle: (*Server).cancelRun,
		},
		{
			Name: "deleteRun", Method: http.MethodDelete, Path: stress + "/runs/{runId}", Role: Editor,
			Summary: "Deletes one run; one that has not ended is cancelled first", Params: params(keyParam),
			Answers: answers(204, nil), Refusals: words(notFound, conflict), handle: (*Server).deleteRun,
		},
		{
			Name: "getComparison", Method: http.MethodGet, Path: stress + "/compare", Role: Viewer,
			Summary: "What two stored runs differ in: inputs, pins first, then each number. No verdict",
			Params:  params(side("left"), side("right")),
			Answers: answers(200, Comparison{}), Refusals: words(validationError, notFound), handle: (*Server).getComparison,
		},
	}
}
