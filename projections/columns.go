package projections

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
)

// Time is an instant, kept as Unix microseconds so that both databases sort and round it alike.
type Time struct{ time.Time }

// Value implements driver.Valuer.
func (t Time) Value() (driver.Value, error) { return t.UnixMicro(), nil }

// Scan implements sql.Scanner.
func (t *Time) Scan(src any) error {
	micros, ok := src.(int64)
	if !ok {
		return fmt.Errorf("a time is a number of microseconds, not %T", src)
	}
	t.Time = time.UnixMicro(micros).UTC()
	return nil
}

// JSON is a value that a text column holds as JSON.
type JSON[T any] struct{ V T }

// Value implements driver.Valuer.
func (j JSON[T]) Value() (driver.Value, error) {
	data, err := json.Marshal(j.V)
	return string(data), err
}

// Scan implements sql.Scanner.
func (j *JSON[T]) Scan(src any) error {
	switch text := src.(type) {
	case string:
		return json.Unmarshal([]byte(text), &j.V)
	case []byte:
		return json.Unmarshal(text, &j.V)
	}
	return fmt.Errorf("a JSON column is text, not %T", src)
}
