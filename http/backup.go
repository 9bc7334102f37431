package http

import (
	"bufio"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
)

// BackupLine is a line of a log that is sent: one of its members is there.
type BackupLine struct {
	_       struct{}       `additionalProperties:"false" minProperties:"1" maxProperties:"1"`
	Begin   *BackupStream  `json:"begin,omitempty"`   // of a stream
	Message *BackupMessage `json:"message,omitempty"` // of the stream
	End     *BackupTotals  `json:"end,omitempty"`     // of the stream
	Error   string         `json:"error,omitempty"`   // what ended it; nothing follows
}

// BackupStream is what stands before the messages of a stream.
type BackupStream struct {
	Format  int       `json:"format"`
	Stream  string    `json:"stream"` // EVT, then BLOB
	Created time.Time `json:"created"`
	Last    string    `json:"last"`  // decimal digits
	Bytes   int64     `json:"bytes"` // that the server counts for it
}

// BackupMessage is a commit or a blob.
type BackupMessage struct {
	Seq     string              `json:"seq"` // decimal digits
	Time    time.Time           `json:"time"`
	Subject string              `json:"subject"`
	Header  map[string][]string `json:"header,omitempty"`
	Text    string              `json:"text,omitempty"`   // the data, where they are UTF-8
	Base64  string              `json:"base64,omitempty"` // the data, where they are not
}

// BackupTotals are what was sent of a stream.
type BackupTotals struct {
	Stream   string    `json:"stream"`
	Created  time.Time `json:"created"`
	First    string    `json:"first"` // decimal digits
	Last     string    `json:"last"`  // decimal digits
	Messages int64     `json:"messages"`
	Bytes    int64     `json:"bytes"`
	Digest   string    `json:"digest"`
}

// sendBuffer is how much of a log is gathered before it is sent, in bytes.
const sendBuffer = 64 << 10

// getBackup sends the log while it is read. What fails behind the first line is said in the last one.
func (s *Server) getBackup(c *gin.Context) error {
	c.Header("Content-Type", Answer{Lines: true}.contentType())
	if c.Request.Method == http.MethodHead {
		c.Status(http.StatusOK)
		return nil
	}
	out := bufio.NewWriterSize(c.Writer, sendBuffer)
	err := s.SendLog(c.Request.Context(), out)
	if err != nil && out.Buffered() == 0 && !c.Writer.Written() {
		return err
	}
	if err != nil {
		s.Logger.ErrorContext(c.Request.Context(), "the log was not sent to its end", "id", c.GetString(keyRequestID), "err", err)
	}
	return out.Flush()
}
