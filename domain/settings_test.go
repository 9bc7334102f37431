package domain

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The ranges are the profile's (the page, Profile ranges): both edges, and one beyond.
func TestParseWorkspaceSettings(t *testing.T) {
	const valid = `{"simulation": {"seed": "7", "durationSeconds": 300, "warmUpSeconds": 5, "arrivalRatePerSecond": 10}}`
	got, err := ParseWorkspaceSettings([]byte(valid))
	if diff := cmp.Diff(SimulationSettings{"7", 300, 5, 10}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	const warmUp = "/simulation/warmUpSeconds"
	runChanges(t, valid, documentParser("settings", valid, ParseWorkspaceSettings).parse, []change{
		{"", "[]", here},
		{"/simulation", "", here},
		{"/simulation", "null", here},
		{"/policy", "{}", here},
		{"/simulation/colour", "1", here},
		{"/simulation/seed", `"0"`, ""},
		{"/simulation/seed", `"18446744073709551615"`, ""},
		{"/simulation/seed", `"18446744073709551616"`, here},
		{"/simulation/seed", `""`, here},
		{"/simulation/seed", `"-1"`, here},
		{"/simulation/seed", "7", here},
		{"/simulation/seed", "", here},
		{"/simulation/durationSeconds", "86400", ""},
		{"/simulation/durationSeconds", "86400.1", here},
		{"/simulation/durationSeconds", "", here},
		{"/simulation/durationSeconds", "5.001", ""},
		{"/simulation/durationSeconds", "5.0009", warmUp},
		{warmUp, "0", ""},
		{warmUp, "299.999", ""},
		{warmUp, "300", here},
		{warmUp, "-0.001", here},
		{warmUp, "", here},
		{"/simulation/arrivalRatePerSecond", "100000", ""},
		{"/simulation/arrivalRatePerSecond", "100000.1", here},
		{"/simulation/arrivalRatePerSecond", "0.001", ""},
		{"/simulation/arrivalRatePerSecond", "0", here},
		{"/simulation/arrivalRatePerSecond", "", here},
	})
	least := `{"simulation": {"seed": "7", "durationSeconds": 0.001, "warmUpSeconds": 0, "arrivalRatePerSecond": 10}}`
	runChanges(t, least, documentParser("settings", valid, ParseWorkspaceSettings).parse, []change{{"/simulation/seed", `"7"`, ""}})
}

func TestParseInstanceSettings(t *testing.T) {
	const valid, place = `{"policy": {"maxConcurrentStressRuns": 4}}`, "/policy/maxConcurrentStressRuns"
	if got, err := ParseInstanceSettings([]byte(valid)); got != 4 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
	runChanges(t, valid, documentParser("settings", valid, ParseInstanceSettings).parse, []change{
		{place, "1", ""},
		{place, "0", here},
		{place, "64", ""},
		{place, "65", here},
		{place, "1.5", here},
		{place, `"4"`, here},
		{place, "", here},
		{"/policy", "", here},
		{"/policy/colour", "1", here},
		{"/simulation", "{}", here},
	})
}

// The page, Defaults of a new profile: at most the limit of the arrival window, and a warm-up that is at least one
// second shorter.
func TestProfileDefaults(t *testing.T) {
	for _, tt := range []struct{ duration, warmUp, wantDuration, wantWarmUp float64 }{
		{300, 5, 300, 5},
		{3600, 3599, 3600, 3599},
		{3601, 5, 3600, 5},
		{86400, 80000, 3600, 3599},
		{10, 9.5, 10, 9},
		{1, 0.5, 1, 0},
		{0.5, 0.25, 0.5, 0},
		{0.001, 0, 0.001, 0},
	} {
		got := SimulationSettings{"9", tt.duration, tt.warmUp, 2}.ProfileDefaults()
		if want := (SimulationSettings{"9", tt.wantDuration, tt.wantWarmUp, 2}); got != want {
			t.Errorf("%v and %v give %v, want %v", tt.duration, tt.warmUp, got, want)
		}
	}
}

func FuzzParseWorkspaceSettings(f *testing.F) {
	f.Add([]byte(`{"simulation": {"seed": "7", "durationSeconds": 300, "warmUpSeconds": 5, "arrivalRatePerSecond": 10}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseWorkspaceSettings(data)
		if err == nil && len(CheckSimulationSettings(s.ProfileDefaults())) > 0 {
			t.Errorf("%s gives defaults that no profile may have: %v", data, s.ProfileDefaults())
		}
	})
}
