package main

import (
	"bytes"
	"math"
	"testing"
)

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1 000", 12_345: "12 345", 999_999: "999 999", 1_000_000: "1 000 000",
		-1: "-1", -1000: "-1 000", math.MaxInt64: "9 223 372 036 854 775 807",
	} {
		if got := count(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{0: "0.0 %", 0.0004: "0.0 %", 0.0006: "0.1 %", 0.2: "20.0 %", 0.9996: "100.0 %", 1: "100.0 %"} {
		if got := percent(share); got != want {
			t.Errorf("%v: got %q, want %q", share, got, want)
		}
	}
}

func TestMillis(t *testing.T) {
	for ms, want := range map[float64]string{
		0: "0.00 ms", 0.000001: "0.001 µs", 0.0123: "12.3 µs", 0.0999: "99.9 µs", 0.1: "0.10 ms", 1.234: "1.23 ms", 12.34: "12.3 ms",
		123.4: "123 ms", 9999: "9999 ms", 10_000: "10.00 s", 3_600_000: "3600.00 s",
	} {
		if got := millis(&ms); got != want {
			t.Errorf("%v: got %q, want %q", ms, got, want)
		}
	}
	if got := millis(nil); got != "-" {
		t.Errorf("no value: got %q", got)
	}
}

func TestPerSecond(t *testing.T) {
	for rate, want := range map[float64]string{0: "0.00/s", 0.00123: "0.00123/s", 0.1: "0.10/s", 49.9: "49.90/s", 100_000: "100000.00/s"} {
		if got := perSecond(rate); got != want {
			t.Errorf("%v: got %q, want %q", rate, got, want)
		}
	}
}

// All digits before the point stay: a count of millions is not rounded.
func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", -3: "-3", 1_234_567: "1234567", 1_234_567.8: "1234568", 248.753678: "248.754", 0.1: "0.1", 0.000012345678: "1.23457e-05",
		-0.25: "-0.25", 1e15: "1e+15", math.Copysign(0, -1): "-0",
	} {
		if got := number(v); got != want {
			t.Errorf("%v: got %q, want %q", v, got, want)
		}
	}
}

// A table aligns by characters, not by bytes: every line is as wide.
func TestTable(t *testing.T) {
	var out bytes.Buffer
	table(&out, [][]string{{"thing", "time"}, {"a", "12.3 µs"}, {"größer", "1.23 ms"}, {"b", ""}})
	want := "" +
		"  thing      time\n" +
		"  a       12.3 µs\n" +
		"  größer  1.23 ms\n" +
		"  b              \n\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}
