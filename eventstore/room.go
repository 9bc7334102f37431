package eventstore

import (
	"errors"
	"fmt"
)

// reserve is what stays free on the disk of the data folder, in bytes. A server that meets a full disk in the middle of a
// write refuses everything until its streams are opened again; it needs room for its own files, and the read models too.
const reserve = 64 << 20

// errReserved: the server was not asked.
var errReserved = errors.New("nothing more is written")

// hasRoom says as ErrFull that nothing should be written at the moment.
func (s *Store) hasRoom() error {
	if s.room == nil {
		return nil
	}
	if err := s.room(); err != nil {
		return fmt.Errorf("%w: %w", errReserved, err)
	}
	return nil
}

// Room says as ErrFull that the disk of the data folder is nearly full. What cannot be found out is not refused.
func (e *Embedded) Room() error {
	free, err := freeBytes(e.dir)
	if err == nil && free < reserve {
		return fmt.Errorf("%d MB are free on the disk of %s, and %d MB must stay free: %w", free>>20, e.dir, reserve>>20, ErrFull)
	}
	return nil
}
