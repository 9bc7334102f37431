package http

import (
	"database/sql"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
)

// Damaged read models refuse, also where only the name of a member is damaged, and /readyz says what to do.
func TestDamagedReadModelsRefuse(t *testing.T) {
	w := newWorld(t)
	w.shop()
	w.damageMembers()
	w.server.authors.Clear()
	got := w.send(request{method: http.MethodGet, path: w.at("/model")})
	if p := got.problem(t); p.Type != "unavailable" || strings.Contains(p.Detail, "(11)") {
		t.Errorf("the model: %+v", p)
	}
	ready := w.send(request{method: http.MethodGet, path: "/readyz"})
	if p := ready.problem(t); p.Type != "not_ready" || !strings.Contains(p.Detail, "delete "+w.viewsPath) {
		t.Errorf("/readyz: %+v", p)
	}
}

// damageMembers overwrites the first page of the table of members below the read models that are open.
func (w *world) damageMembers() {
	w.t.Helper()
	db, err := sql.Open("sqlite", w.viewsPath)
	must(w.t, err)
	var page, size, busy, frames, moved int64
	must(w.t, db.QueryRow(`SELECT rootpage FROM sqlite_schema WHERE name = 'members'`).Scan(&page))
	must(w.t, db.QueryRow(`PRAGMA page_size`).Scan(&size))
	must(w.t, db.QueryRow(`PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &frames, &moved))
	must(w.t, db.Close())
	file, err := os.OpenFile(w.viewsPath, os.O_WRONLY, 0)
	must(w.t, err)
	_, err = file.WriteAt([]byte(strings.Repeat("x", int(size))), (page-1)*size)
	must(w.t, errors.Join(err, file.Close()))
}
