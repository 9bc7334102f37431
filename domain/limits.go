package domain

// Limits of what is read. Sizes are bytes of JSON text, counts are entries.
const (
	MaxProfileBytes    = 256 << 10
	MaxObjectivesBytes = 256 << 10
	MaxSettingsBytes   = 64 << 10
	MaxModelBytes      = 1 << 20
	MaxScenarioBytes   = 1 << 20
	MaxBundleBytes     = 16 << 20 // a file of the command line: the documents above and any measurements

	MaxJSONNesting  = 128
	MaxModelEntries = 2000 // elements, operations, channels, bindings and subscriptions together
	MaxProfileList  = 200  // entries of one list of a profile
	MaxOutages      = 50
	MaxBursts       = 20
	MinBranches     = 2 // of a parallel step
	MaxBranches     = 16
	MaxNameChars    = 200 // of a name
	MaxExpectChars  = 1000
	MaxIDChars      = 64

	// maxIssues bounds the answer to a document of 1 MB (capped).
	maxIssues = 500
	// maxWhole is the greatest whole number that a double holds with all smaller ones: 2^53.
	maxWhole = 1 << 53
)

// Ranges of values (spec 1, Model document; the page, Profile ranges).
const (
	MaxMs               = 3_600_000 // a timeout, backoff or service time
	MaxAttempts         = 10
	MaxDurationSeconds  = 86_400
	MaxOutageEndSeconds = 90_000
	MaxRatePerSecond    = 100_000
	MaxWorkers          = 10_000 // also consumers
	MaxQueueCapacity    = 1_000_000
)

// document is what the reader has to know of a kind of document before it reads one.
type document struct {
	name     string // with its article, for sentences
	code     string // of its issues
	maxBytes int
}

var (
	modelDocument       = document{"a model", CodeInvalidModel, MaxModelBytes}
	scenarioDocument    = document{"a scenario", CodeInvalidScenario, MaxScenarioBytes}
	profileDocument     = document{"a stress profile", CodeInvalidProfile, MaxProfileBytes}
	measurementDocument = document{"a measurement", CodeInvalidMeasurement, MaxBundleBytes}
	objectivesDocument  = document{"a list of objectives", CodeInvalidObjectives, MaxObjectivesBytes}
	settingsDocument    = document{"a settings document", CodeInvalidSettings, MaxSettingsBytes}
	anyDocument         = document{"it", CodeInvalidDocument, MaxBundleBytes}
	bundleDocument      = document{"a bundle", CodeInvalidBundle, MaxBundleBytes}
)
