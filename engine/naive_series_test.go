package engine

import "math"

// twinSeries are the samples and the counts of each interval (E57 to E59).
type twinSeries struct {
	interval int64 // ns
	points   int   // at most
	ids      []string
	inFlight int64
	sampled  int                // points taken
	values   map[string][]int64 // by thing and field
}

func newTwinSeries(duration, points int64, resourceIDs []string) *twinSeries {
	return &twinSeries{
		interval: (duration + 120_000_000 - 1) / 120_000_000 * 1_000_000,
		points:   int(points), ids: resourceIDs, values: map[string][]int64{},
	}
}

// passTo takes the samples of the instants before at (E9).
func (s *twinSeries) passTo(t *twin, at int64) {
	for s.sampled < s.points && int64(s.sampled+1)*s.interval < at {
		s.put("flow.inFlight", s.sampled, s.inFlight)
		for _, id := range s.ids {
			s.put(id+".depth", s.sampled, int64(len(t.resources[id].queue)))
			s.put(id+".busy", s.sampled, t.resources[id].busy)
		}
		s.sampled++
	}
}

// count adds one to the interval (point - interval, point] of an instant; the first includes 0.
func (s *twinSeries) count(key string, at int64) {
	point := 0
	if at > 0 {
		point = int((at - 1) / s.interval)
	}
	if point < s.points {
		s.put(key, point, 1)
	}
}

func (s *twinSeries) put(key string, point int, value int64) {
	list := s.values[key]
	for len(list) <= point {
		list = append(list, 0)
	}
	list[point] += value
	s.values[key] = list
}

// result cuts the series at the first point that is not before the last instant.
func (s *twinSeries) result(last int64) Series {
	n := min(s.points, int((last+s.interval-1)/s.interval))
	result := Series{
		IntervalMs: s.interval / 1_000_000,
		Truncated:  last > int64(s.points)*s.interval,
		PointsMs:   make([]int64, n),
		Flow: FlowSeries{
			Started: s.cut("flow.started", n), Completed: s.cut("flow.completed", n),
			Failed: s.cut("flow.failed", n), InFlight: s.cut("flow.inFlight", n),
		},
		Resources: []ResourceSeries{},
	}
	for i := range result.PointsMs {
		result.PointsMs[i] = int64(i+1) * result.IntervalMs
	}
	for _, id := range s.ids {
		result.Resources = append(result.Resources, ResourceSeries{
			ID: id, Depth: s.cut(id+".depth", n), Busy: s.cut(id+".busy", n),
			Completed: s.cut(id+".completed", n), TurnedAway: s.cut(id+".turnedAway", n),
		})
	}
	return result
}

func (s *twinSeries) cut(key string, n int) []int64 {
	list := make([]int64, n)
	copy(list, s.values[key])
	return list
}

const never = math.MaxInt64
