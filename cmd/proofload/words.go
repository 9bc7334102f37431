package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/proofload/proofload/engine"
)

// A result holds codes; this file words them for a person at a terminal.

// bottleneckWords says which resource gives way first and by what sign, and what the rule does not say.
func bottleneckWords(r *engine.Result) string {
	if r.Bottleneck.ResourceID == nil {
		return "The saturation rule names no resource. This does not say that the flow has no bottleneck."
	}
	id := *r.Bottleneck.ResourceID
	res := resource(r, id)
	return fmt.Sprintf("%s gives way first: it is at %s utilisation and %s.", id, percent(res.Utilisation), reasons(res.SaturatedBecause, res))
}

// resource finds an element or a subscription of a result.
func resource(r *engine.Result, id string) engine.ResourceResult {
	for _, e := range r.Elements {
		if e.ID == id {
			return e.ResourceResult
		}
	}
	for _, s := range r.Subscriptions {
		if s.ID == id {
			return s.ResourceResult
		}
	}
	return engine.ResourceResult{}
}

func reasons(codes []string, res engine.ResourceResult) string {
	words := make([]string, len(codes))
	for i, code := range codes {
		switch code {
		case engine.TurnsWorkAway:
			words[i] = fmt.Sprintf("turns work away (%s)", count(res.TurnedAway))
		case engine.ReachesNoiseBound:
			words[i] = fmt.Sprintf("its queue reaches %s, beyond what chance explains (noise bound %s)", count(res.Depth.Max), count(res.Noise.Bound))
		default:
			words[i] = code
		}
	}
	return strings.Join(words, " and ")
}

// confidenceWords gives the level and its rule; the level is no probability.
func confidenceWords(c engine.Confidence) string {
	rules := map[string]string{
		"declared": "a service time on the path of the flow is declared, not measured",
		"in-doubt": "a service time on the path is measured, but its measurement is in doubt",
		"measured": "each service time on the path of the flow is measured and no measurement is in doubt",
	}
	rule, known := rules[c.Rule]
	if !known {
		rule = c.Rule
	}
	return fmt.Sprintf("%s: %s.", c.Level, rule)
}

// percent formats a share with one decimal.
func percent(share float64) string { return fmt.Sprintf("%.1f %%", share*100) }

// count formats a whole number with thin groups of three: 12 345.
func count(n int64) string {
	if n < 0 {
		return "-" + count(-n)
	}
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + " " + text[at:]
	}
	return text
}

// millis formats milliseconds with the digits that matter; a missing value is a dash.
func millis(ms *float64) string {
	switch {
	case ms == nil:
		return "-"
	case *ms >= 10_000:
		return fmt.Sprintf("%.2f s", *ms/1000)
	case *ms >= 100:
		return fmt.Sprintf("%.0f ms", *ms)
	case *ms >= 10:
		return fmt.Sprintf("%.1f ms", *ms)
	case *ms < 0.1 && *ms > 0:
		return fmt.Sprintf("%.3g µs", *ms*1000)
	}
	return fmt.Sprintf("%.2f ms", *ms)
}

// perSecond formats a rate; a slow one keeps digits that matter.
func perSecond(rate float64) string {
	if rate > 0 && rate < 0.1 {
		return fmt.Sprintf("%.3g/s", rate)
	}
	return fmt.Sprintf("%.2f/s", rate)
}

// number formats a number with six digits, and with all digits that stand before the point.
func number(v float64) string {
	if size := math.Abs(v); size < 1e15 && (v == math.Trunc(v) || size >= 1e6) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}
