package projections

// Page asks for a part of a list. After is the Cursor of the item before it, 0 for the first page.
type Page struct {
	After int64
	Limit int
}

// Items is a page of a list. Next is the After of the next page, 0 when there is none.
type Items[T any] struct {
	Items []T
	Next  int64
}

// item is a row that a list is ordered by.
type item interface{ Cursor() int64 }

// cut makes a page of rows that were read with one more than the limit.
func cut[T item](rows []T, limit int) Items[T] {
	if len(rows) <= limit {
		return Items[T]{Items: rows}
	}
	return Items[T]{Items: rows[:limit], Next: rows[limit-1].Cursor()}
}
