package http

// Values in the examples that stand for those of a server: a scenario, a token, a member's name.
const (
	exampleScenario = "4qtxu5h2ykcdjrw7n3oe6vlgza"
	exampleToken    = "a-token-that-the-server-gave"
)

// examples is a body for each route that takes one. The OpenAPI document shows them; a test sends them.
var examples = map[string]string{
	"postSession":          `{"token":"` + exampleToken + `"}`,
	"postToken":            `{"name":"build server"}`,
	"postWorkspace":        `{"name":"Payments"}`,
	"postMember":           `{"name":"ann","role":"editor"}`,
	"putMember":            `{"role":"owner"}`,
	"putWorkspaceSettings": `{"simulation":{"seed":"1","durationSeconds":300,"warmUpSeconds":5,"arrivalRatePerSecond":10}}`,
	"putInstanceSettings":  `{"policy":{"maxConcurrentStressRuns":8}}`,
	"postProject":          `{"name":"Shop"}`,
	"putProject":           `{"name":"Web shop"}`,
	"postBranch":           `{"kind":"draft","name":"With a cache"}`,
	"putModel": `{"elements":[{"id":"api","name":"API","kind":"service"}],
		"operations":[{"id":"order","elementId":"api","name":"POST /orders","timeoutMs":2000,"retry":{"maxAttempts":2,"backoffMs":100}}],
		"channels":[],"bindings":[],"subscriptions":[]}`,
	"postScenario":  `{"name":"A customer orders","steps":[{"id":"s-order","kind":"call","operationId":"order"}]}`,
	"putScenario":   `{"name":"A customer orders","description":"Once","steps":[{"id":"s-order","kind":"call","operationId":"order"}]}`,
	"putObjectives": `[{"name":"fast","expect":"flow.p99 < 250ms"}]`,
	"postProfile":   exampleProfile,
	"putProfile":    exampleProfile,
}

const exampleProfile = `{"name":"A busy hour","scenarioId":"` + exampleScenario + `","seed":"1",
	"arrivals":{"kind":"poisson","ratePerSecond":50,"durationSeconds":120,"warmUpSeconds":10},
	"resources":[{"elementId":"api","concurrency":4,"queueCapacity":100}],
	"serviceTimes":[{"target":"order","time":{"kind":"exponential","meanMs":60}}],
	"subscriptions":[],"branches":[],"overrides":[],"outages":[]}`
