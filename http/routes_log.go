package http

import "net/http"

func logRoutes() []Route {
	const models = "/api/projections"
	return []Route{
		{
			Name: "getLog", Method: http.MethodGet, Path: "/api/log", Role: Member,
			Summary: "The log of the workspaces in which you have a role, as far as your role goes, in its order; a cursor is a position. That of the instance: the administrator",
			Params:  list(), Answers: answers(200, List[LogEntry[EventPayload]]{}), Refusals: words(validationError), handle: (*Server).getLog,
		},
		{
			Name: "getBackup", Method: http.MethodGet, Path: "/api/log/backup", Role: Administrator,
			Summary: "The whole log with its documents and results, of all workspaces, for proofload backup: a line of JSON for each message",
			Params:  params(), Answers: []Answer{{Status: 200, Type: BackupLine{}, Lines: true}}, handle: (*Server).getBackup,
		},
		{
			Name: "getProjections", Method: http.MethodGet, Path: models, Role: Administrator,
			Summary: "The read models and how far they are", Params: params(),
			Answers: answers(200, List[ReadModel]{}), handle: (*Server).getProjections,
		},
		{
			Name: "postRebuild", Method: http.MethodPost, Path: models + "/{projection}/rebuild", Role: Administrator,
			Summary: "Makes read models again from the log, beside those that are read meanwhile", Params: params(),
			Answers: answers(200, ReadModel{}), Refusals: words(notFound, notReady), handle: (*Server).postRebuild,
		},
	}
}
