package domain

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBlobsOf(t *testing.T) {
	got, err := BlobsOf([]byte(`{"blob":"a","modelBlob":"b","blobs":"no","hash":"no","nested":[{"deepBlob":"c","x":"blob"},["no"]],"noBlob":null,"emptyBlob":"","blobber":"no","name":"blob"}`))
	if diff := cmp.Diff([]string{"a", "b", "c"}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if _, err := BlobsOf([]byte(`{"blob":`)); err == nil {
		t.Error("half a payload was read")
	}
}

// Every event of the program names its blobs in members that BlobsOf finds.
func TestBlobsOfAllEvents(t *testing.T) {
	found := 0
	for key, payload := range fixtures(t) {
		name, _, _ := strings.Cut(key, ".")
		event, err := Decode(name, events.newest(name), payload)
		if err != nil {
			continue // an older schema: the newest has a fixture too
		}
		v := reflect.New(reflect.TypeOf(event)).Elem()
		var want []string
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.Type.Kind() == reflect.String && strings.Contains(strings.ToLower(field.Name), "blob") {
				want = append(want, fmt.Sprint(name, i))
				v.Field(i).SetString(want[len(want)-1])
			}
		}
		data, err := json.Marshal(v.Interface())
		if err != nil {
			t.Fatal(err)
		}
		got, err := BlobsOf(data)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v: %v", name, got, want, err)
		}
		found += len(want)
	}
	if found < 8 {
		t.Errorf("only %d members", found)
	}
}
