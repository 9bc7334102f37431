package eventstore

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// restoringKey is the member of the metadata of the stream of events that says from which backup it is being restored.
// It is there from before the first message until everything is in place.
const restoringKey = "proofload-restoring"

// RestoringError says that a log is not complete.
type RestoringError struct{ Backup string } // the id of the backup

func (e *RestoringError) Error() string {
	return fmt.Sprintf("%v: give the same proofload restore command again, it goes on where it was (backup %s), or delete the streams %s and %s",
		ErrRestoring, e.Backup, StreamEvents, StreamBlobs)
}

// Unwrap makes it an ErrRestoring.
func (e *RestoringError) Unwrap() error { return ErrRestoring }

// RestoreOptions say what is restored.
type RestoreOptions struct {
	Replicas int    // of the streams, as in Options
	Backup   string // tells one backup from another
}

// Restore writes the streams of a log anew. Nobody can open the log before Finish.
type Restore struct {
	*Store  // to read what is there
	streams map[string]*restoredStream
}

// StartRestore makes the streams, marked as not complete. Streams that have that mark, of the same backup, are gone on
// with; others are left alone: ErrNotEmpty, or a RestoringError.
func StartRestore(ctx context.Context, conn *nats.Conn, opts RestoreOptions) (*Restore, error) {
	if err := checkServer(conn); err != nil {
		return nil, err
	}
	js, err := jetstream.New(conn, jetstream.WithPublishAsyncTimeout(requestWait))
	if err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	if err := checkJetStream(ctx, js); err != nil {
		return nil, err
	}
	r := &Restore{Store: &Store{js: js, embedded: conn.Opts.InProcessServer != nil}, streams: map[string]*restoredStream{}}
	if err := checkTarget(ctx, js, opts.Backup); err != nil {
		return nil, err
	}
	events := streamConfig(StreamEvents, "evt.>", maxEventBytes, max(opts.Replicas, 1))
	events.Metadata = map[string]string{restoringKey: opts.Backup}
	if r.events, err = r.open(ctx, events); err != nil { // the first, so that the mark covers the other
		return nil, err
	}
	if err := markedBy(r.events.CachedInfo(), opts.Backup); err != nil {
		return nil, err
	}
	r.blobs, err = r.open(ctx, streamConfig(StreamBlobs, "blob.>", maxBlobBytes, max(opts.Replicas, 1)))
	return r, err
}

// checkTarget refuses a server with a log on it.
func checkTarget(ctx context.Context, js jetstream.JetStream, backup string) error {
	events, err := js.Stream(ctx, StreamEvents)
	if err == nil {
		return markedBy(events.CachedInfo(), backup)
	}
	if !errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("stream %s: %w", StreamEvents, readError(ctx, err))
	}
	_, err = js.Stream(ctx, StreamBlobs)
	switch {
	case err == nil:
		return fmt.Errorf("stream %s: %w", StreamBlobs, ErrNotEmpty)
	case !errors.Is(err, jetstream.ErrStreamNotFound):
		return fmt.Errorf("stream %s: %w", StreamBlobs, readError(ctx, err))
	}
	return nil
}

// markedBy makes sure that the stream is of this restore.
func markedBy(events *jetstream.StreamInfo, backup string) error {
	switch mark := events.Config.Metadata[restoringKey]; mark {
	case backup:
		return nil
	case "":
		return fmt.Errorf("stream %s: %w", StreamEvents, ErrNotEmpty)
	default:
		return fmt.Errorf("of another backup: %w", &RestoringError{Backup: mark})
	}
}

// checkRestored refuses a log that is not complete.
func checkRestored(info *jetstream.StreamInfo) error {
	if mark := info.Config.Metadata[restoringKey]; mark != "" {
		return &RestoringError{Backup: mark}
	}
	return nil
}

// open finds or makes a stream, and notes where it ends.
func (r *Restore) open(ctx context.Context, want jetstream.StreamConfig) (jetstream.Stream, error) {
	stream, err := r.js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = createStream(ctx, r.js, want)
	}
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", want.Name, openError(ctx, err, want))
	}
	if err := checkStream(stream.CachedInfo().Config, want); err != nil {
		return nil, fmt.Errorf("stream %s: %w", want.Name, err)
	}
	r.streams[want.Name] = &restoredStream{js: r.js, stream: stream, name: want.Name, last: stream.CachedInfo().State.LastSeq}
	return stream, nil
}

// Write stores a message at its sequence. They come in order from the first; those that are there already are passed
// over. What was written is stored once Flush has returned.
func (r *Restore) Write(ctx context.Context, stream string, m Message) error {
	return r.streams[stream].write(ctx, m)
}

// Flush waits until everything that was written to a stream is stored.
func (r *Restore) Flush(ctx context.Context, stream string) error {
	return r.streams[stream].flush(ctx)
}

// Finish takes the mark away: from now on the log can be opened.
func (r *Restore) Finish(ctx context.Context) error {
	info, err := r.events.Info(ctx)
	if err != nil {
		return fmt.Errorf("stream %s: %w", StreamEvents, readError(ctx, err))
	}
	config := info.Config
	config.Metadata = maps.Clone(config.Metadata)
	delete(config.Metadata, restoringKey)
	if _, err := r.js.UpdateStream(ctx, config); err != nil {
		return fmt.Errorf("stream %s: %w", StreamEvents, readError(ctx, err))
	}
	return nil
}
