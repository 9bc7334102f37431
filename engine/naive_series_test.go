package engine

// twinSeries are the samples and the counts of each interval (E57 to E59).
type twinSeries struct {
	interval int64 // ns
	points   int64 // at most
	sampled  int64 // taken
}

func newTwinSeries(duration, points int64) twinSeries {
	return twinSeries{interval: (duration + 120_000_000 - 1) / 120_000_000 * 1_000_000, points: points}
}

// passTo takes the samples of the instants before at (E9).
func (s *twinSeries) passTo(t *twin, at int64) {
	for s.sampled < s.points && (s.sampled+1)*s.interval < at {
		t.flow.inFlightPoints = append(t.flow.inFlightPoints, t.flow.inFlight)
		for _, r := range t.resources {
			r.depthPoints = append(r.depthPoints, int64(len(r.queue)))
			r.busyPoints = append(r.busyPoints, r.busy)
		}
		s.sampled++
	}
}

// count adds one to the interval (point - interval, point] of an instant; the first includes 0.
func (s *twinSeries) count(points *[]int64, at int64) {
	point := max(0, at-1) / s.interval
	if point >= s.points {
		return
	}
	for int64(len(*points)) <= point {
		*points = append(*points, 0)
	}
	(*points)[point]++
}

// result cuts the series at the first point that is not before the end of the run and of the arrivals.
func (s *twinSeries) result(t *twin) Series {
	n := min(s.points, (max(t.end, t.duration)+s.interval-1)/s.interval)
	cut := func(values []int64) []int64 {
		list := make([]int64, n)
		copy(list, values)
		return list
	}
	f := &t.flow
	result := Series{
		IntervalMs: s.interval / 1_000_000,
		Truncated:  t.end > s.points*s.interval,
		PointsMs:   make([]int64, n),
		Flow:       FlowSeries{cut(f.startedPoints), cut(f.completedPoints), cut(f.failedPoints), cut(f.inFlightPoints)},
		Resources:  []ResourceSeries{},
	}
	for i := range result.PointsMs {
		result.PointsMs[i] = int64(i+1) * result.IntervalMs
	}
	for _, id := range t.resourceIDs() {
		r := t.resources[id]
		result.Resources = append(result.Resources, ResourceSeries{
			id, cut(r.depthPoints), cut(r.busyPoints), cut(r.completedPoints), cut(r.turnedAwayPoints),
		})
	}
	return result
}
