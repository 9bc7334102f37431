package domain

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"testing"

	"github.com/go-json-experiment/json"
)

// Examples of RFC 8785: order of members by UTF-16, shortest numbers, minimal escapes, no white space.
func TestCanonical(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"white space", " {\n \"a\" : [ 1 , 2 ] }\t", `{"a":[1,2]}`},
		{"order", `{"b": 1, "a": 2, "B": 3, "": 4, "aa": 5}`, `{"":4,"B":3,"a":2,"aa":5,"b":1}`},
		{"order by UTF-16", "{\"\ufb33\": 1, \"\U0001F600\": 2, \"\u20ac\": 3}", "{\"\u20ac\":3,\"\U0001F600\":2,\"\ufb33\":1}"},
		{"order inside", `[{"b": {"d": 1, "c": 2}, "a": 3}]`, `[{"a":3,"b":{"c":2,"d":1}}]`},
		{
			"numbers", `[1.0, 1e3, 1E-7, 0.000001, -0, 333333333.33333329, 4.50, 2e-3, 1e15]`,
			`[1,1000,1e-7,0.000001,0,333333333.3333333,4.5,0.002,1000000000000000]`,
		},
		{"escapes", `["\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/"]`, "[\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"]"},
		{"literals", ` [ null, true, false ] `, `[null,true,false]`},
		{"a number alone", " 5 ", "5"},
	}
	for _, c := range cases {
		got, err := Canonical([]byte(c.text))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

// The number texts of the second implementation, as far as a document may hold them (up to 2^53).
func TestCanonicalNumbers(t *testing.T) {
	var vectors struct {
		ES6 [][2]string `json:"es6"`
	}
	if err := json.Unmarshal(readFile(t, casesDir+"/vectors.json"), &vectors); err != nil {
		t.Fatal(err)
	}
	tested := 0
	for _, v := range vectors.ES6 {
		bits, err := hex.DecodeString(v[0])
		if err != nil {
			t.Fatal(err)
		}
		x := math.Float64frombits(binary.BigEndian.Uint64(bits))
		if math.Abs(x) > 1<<53 {
			continue
		}
		tested++
		got, err := Canonical([]byte(strconv.FormatFloat(x, 'e', 25, 64)))
		if err != nil || string(got) != v[1] {
			t.Errorf("%s: got %s, %v; want %s", v[0], got, err, v[1])
		}
	}
	if tested == 0 {
		t.Error("no vector was tested")
	}
}

// The input is left as it is.
func TestCanonicalKeepsItsInput(t *testing.T) {
	const text = `{"b": 1, "a": 2}`
	data := []byte(text)
	if _, err := Canonical(data); err != nil || string(data) != text {
		t.Errorf("input became %s, %v", data, err)
	}
}
