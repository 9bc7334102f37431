package main

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proofload/proofload/domain"
)

// Student's quantiles of 0.975 are 12.706204736 for 1 degree of freedom and 2.776445105 for 4 (any printed table).
func TestSpreadOf(t *testing.T) {
	tests := []struct {
		values []float64
		want   spread
	}{
		// The deviation of 1 to 5 is the root of 2.5, the half width 2.776445105 · √2.5 / √5.
		{[]float64{5, 1, 3, 2, 4}, spread{Runs: 5, Mean: 3, Least: 1, Greatest: 5, Low95: 3 - 1.963243161, High95: 3 + 1.963243161}},
		// The deviation is √8, the half width 12.706204736 · √8 / √2.
		{[]float64{10, 14}, spread{Runs: 2, Mean: 12, Least: 10, Greatest: 14, Low95: 12 - 25.412409472, High95: 12 + 25.412409472}},
		{[]float64{7, 7, 7}, spread{Runs: 3, Mean: 7, Least: 7, Greatest: 7, Low95: 7, High95: 7}},
		// One value has no interval.
		{[]float64{-2.5}, spread{Runs: 1, Mean: -2.5, Least: -2.5, Greatest: -2.5, Low95: -2.5, High95: -2.5}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, spreadOf("", test.values), cmpopts.EquateApprox(0, 1e-7)); diff != "" {
			t.Errorf("%v: %s", test.values, diff)
		}
	}
}

// The refusal of the lowest seed counts, whichever ended first.
func TestFirstFailure(t *testing.T) {
	late, early := domain.TooLarge("queued", 1, ""), domain.TooLarge("pending", 1, "")
	err := firstFailure([]string{"7", "8", "9"}, []error{nil, early, late})
	var refused *domain.RefusedError
	if !errors.As(err, &refused) || refused != early || refused.Title != "The run is too large (seed 8)" {
		t.Errorf("got %v", err)
	}
	if err := firstFailure([]string{"7"}, []error{late}); !errors.Is(err, late) || late.Title != "The run is too large" {
		t.Errorf("a single run: got %v", err)
	}
	if err := firstFailure([]string{"7", "8"}, []error{nil, nil}); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestSeedsFrom(t *testing.T) {
	of := func(seed string, n int) ([]string, error) {
		return runOptions{seeds: n}.seedsFrom(domain.Bundle{Profile: domain.Profile{Seed: seed}})
	}
	got, err := of("18446744073709551613", 3) // the last three there are
	want := []string{"18446744073709551613", "18446744073709551614", "18446744073709551615"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if _, err := of("18446744073709551614", 3); err == nil {
		t.Errorf("more seeds than up to %d are not refused", uint64(math.MaxUint64))
	}
}
