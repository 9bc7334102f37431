package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
)

// writeCSV writes flow.csv and resources.csv (the series, one row a point) and numbers.csv (each number of the
// result by its path) into a folder; each row names its seed.
func writeCSV(dir string, results []*engine.Result, documents [][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	flow := [][]string{{"seed", "atMs", "started", "completed", "failed", "inFlight"}}
	resources := [][]string{{"seed", "atMs", "id", "depth", "busy", "completed", "turnedAway"}}
	for _, r := range results {
		s := r.Series
		for i, at := range s.PointsMs {
			flow = append(flow, row(r.Seed, at, s.Flow.Started[i], s.Flow.Completed[i], s.Flow.Failed[i], s.Flow.InFlight[i]))
			for _, res := range s.Resources {
				resources = append(resources, row(r.Seed, at, res.ID, res.Depth[i], res.Busy[i], res.Completed[i], res.TurnedAway[i]))
			}
		}
	}
	if err := writeRows(filepath.Join(dir, "flow.csv"), flow); err != nil {
		return err
	}
	if err := writeRows(filepath.Join(dir, "resources.csv"), resources); err != nil {
		return err
	}
	numbers, err := numberRows(results, documents)
	if err != nil {
		return err
	}
	return writeRows(filepath.Join(dir, "numbers.csv"), numbers)
}

// numberRows lists the numbers that a comparison has; a value that the run does not have is empty.
func numberRows(results []*engine.Result, documents [][]byte) ([][]string, error) {
	rows := [][]string{{"seed", "path", "value"}}
	for i, document := range documents {
		side := domain.StoredResult{Document: document}
		same, err := domain.CompareResults(side, side)
		if err != nil {
			return nil, err
		}
		for _, metric := range same.Metrics {
			value := ""
			if metric.Left != nil {
				value = strconv.FormatFloat(*metric.Left, 'f', -1, 64)
			}
			rows = append(rows, []string{results[i].Seed, metric.Key, value})
		}
	}
	return rows, nil
}

func row(cells ...any) []string {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		switch v := cell.(type) {
		case int64:
			texts[i] = strconv.FormatInt(v, 10)
		case float64:
			texts[i] = strconv.FormatFloat(v, 'g', -1, 64)
		default:
			texts[i] = fmt.Sprint(v)
		}
	}
	return texts
}

func writeRows(path string, rows [][]string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := csv.NewWriter(file).WriteAll(rows); err != nil {
		_ = file.Close()
		return fmt.Errorf("%s: %w", path, err)
	}
	return file.Close()
}
