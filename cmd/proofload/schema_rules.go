package main

import "github.com/proofload/proofload/domain"

// The rules of the documents that their types do not say, as words of JSON Schema.
var (
	anID         = schema{"pattern": `^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`}
	milliseconds = between(0, domain.MaxMs)
	attempts     = between(1, domain.MaxAttempts)
	workers      = between(1, domain.MaxWorkers)
	seconds      = schema{"minimum": 0}
)

// everyMember are the rules of members that mean the same wherever they stand.
var everyMember = map[string]schema{
	"id": anID, "elementId": anID, "operationId": anID, "channelId": anID, "fromChannelId": anID, "toChannelId": anID,
	"deadLetterChannelId": anID, "subscriptionId": anID, "stepId": anID, "scenarioId": anID, "target": anID,
	"measurementRef": anID, "branchId": anID,
	"timeoutMs": milliseconds, "backoffMs": milliseconds, "maxAttempts": attempts, "concurrency": workers, "consumers": workers,
	"queueCapacity": between(0, domain.MaxQueueCapacity), "probability": between(0, 1),
	"ratePerSecond": between(0, domain.MaxRatePerSecond), "toRatePerSecond": between(0, domain.MaxRatePerSecond),
	"fromSeconds": seconds, "warmUpSeconds": seconds,
	"label": words(domain.LabelDeclared, domain.LabelMeasured),
}

// memberRules are the rules of a member of one type.
var memberRules = map[string]schema{
	"Element.kind":  words(domain.KindService, domain.KindStore, domain.KindExternal),
	"Channel.kind":  words(domain.KindTopic, domain.KindQueue),
	"Step.kind":     words(domain.StepCall, domain.StepWrite, domain.StepPublish, domain.StepParallel, domain.StepBranch),
	"Step.branches": items(domain.MinBranches, domain.MaxBranches),

	"Profile.name":          {"maxLength": domain.MaxNameChars},
	"Profile.seed":          {"pattern": `^[0-9]+$`},
	"Profile.resources":     items(0, domain.MaxProfileList),
	"Profile.serviceTimes":  items(0, domain.MaxProfileList),
	"Profile.subscriptions": items(0, domain.MaxProfileList),
	"Profile.branches":      items(0, domain.MaxProfileList),
	"Profile.overrides":     items(0, domain.MaxProfileList),
	"Profile.outages":       items(0, domain.MaxOutages),

	"Arrivals.kind":            words(domain.ArrivalsConstant, domain.ArrivalsPoisson, domain.ArrivalsRamp, domain.ArrivalsBurst),
	"Arrivals.bursts":          items(1, domain.MaxBursts),
	"Arrivals.durationSeconds": {"exclusiveMinimum": 0, "maximum": domain.MaxDurationSeconds},
	"Outage.toSeconds":         {"exclusiveMinimum": 0, "maximum": domain.MaxOutageEndSeconds},

	"Time.kind":     words(domain.TimeFixed, domain.TimeExponential, domain.TimeLognormal, domain.TimeUniform),
	"Time.ms":       milliseconds,
	"Time.meanMs":   milliseconds,
	"Time.medianMs": milliseconds,
	"Time.p95Ms":    milliseconds,
	"Time.minMs":    milliseconds,
	"Time.maxMs":    milliseconds,

	"MeasuredRun.loadModel": words(domain.LoadOpen, domain.LoadClosed, domain.LoadUnknown),
}

// kindMembers are the members that a value of the kind must have.
type kindMembers struct {
	kind    string
	members []string
}

var membersOfKind = map[string][]kindMembers{
	"Step": {
		{domain.StepCall, []string{"operationId"}},
		{domain.StepWrite, []string{"elementId"}},
		{domain.StepPublish, []string{"channelId"}},
		{domain.StepParallel, []string{"branches"}},
		{domain.StepBranch, []string{"then"}},
	},
	"Arrivals": {
		{domain.ArrivalsRamp, []string{"toRatePerSecond"}},
		{domain.ArrivalsBurst, []string{"bursts"}},
	},
	"Time": {
		{domain.TimeFixed, []string{"ms"}},
		{domain.TimeExponential, []string{"meanMs"}},
		{domain.TimeLognormal, []string{"medianMs", "p95Ms"}},
		{domain.TimeUniform, []string{"minMs", "maxMs"}},
	},
}

func between(least, most int) schema { return schema{"minimum": least, "maximum": most} }
func items(least, most int) schema   { return schema{"minItems": least, "maxItems": most} }
func words(of ...string) schema      { return schema{"enum": of} }
