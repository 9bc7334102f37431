package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	api "github.com/proofload/proofload/http"
)

// logEntry is a commit whose payloads pass as they are stored.
type logEntry = api.LogEntry[jsontext.Value]

func eventsCommand(io streams) *cobra.Command {
	var o serverOptions
	var after uint64
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "events",
		Short: "Print the log, a line for each event: position, time, who, what it is about, what happened",
		Long: "Print the log of the workspaces in which the member whose token is used has a role; who is a member and the settings are\n" +
			"the owner's to see. The administrator's has all of them, and the instance's too. Hashes and what the line says already are left out; --json prints all, a line for each commit.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			show := func(e logEntry) error { return printEntry(io, e) }
			if asJSON {
				show = func(e logEntry) error { return writeJSON(io.out, e) }
			}
			return o.through(cmd.Context(), func(client *serverClient) error {
				return eachEntry(cmd.Context(), client, after, show)
			})
		},
	}
	o.flags(cmd)
	cmd.Flags().Uint64Var(&after, "after", 0, "the position to begin behind")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, a line for each commit")
	return cmd
}

// eachEntry reads the log page by page to its end.
func eachEntry(ctx context.Context, client *serverClient, after uint64, show func(logEntry) error) error {
	query := url.Values{"limit": {"200"}}
	if after > 0 {
		query.Set("cursor", strconv.FormatUint(after, 10))
	}
	for {
		var page api.List[logEntry]
		if err := client.call(ctx, http.MethodGet, "/api/log?"+query.Encode(), nil, &page); err != nil {
			return err
		}
		for _, entry := range page.Items {
			if err := show(entry); err != nil {
				return err
			}
		}
		if page.NextCursor == "" {
			return nil
		}
		query.Set("cursor", page.NextCursor)
	}
}

func printEntry(io streams, e logEntry) error {
	for _, event := range e.Events {
		said, err := payloadWords(event.Data, e.AggregateID, e.WorkspaceID)
		if err != nil {
			return fmt.Errorf("position %s: %w", e.Position, err)
		}
		line := []string{e.Position, e.At.Format(time.RFC3339), oneWord(e.Member.Name), e.Aggregate + "/" + e.AggregateID, event.Name}
		if _, err := fmt.Fprintln(io.out, strings.Join(append(line, said...), " ")); err != nil {
			return err
		}
	}
	return nil
}

// payloadWords are the members of a payload that are one value, as name=value in the order of the names. Hashes are
// left out, and the ids that the line has already.
func payloadWords(payload jsontext.Value, known ...string) ([]string, error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(payload, &members); err != nil {
		return nil, err
	}
	words := []string{}
	for name, value := range members {
		kind := value.Kind()
		if lower := strings.ToLower(name); kind == '{' || kind == '[' || kind == 'n' || strings.HasSuffix(lower, "blob") || strings.HasSuffix(lower, "hash") {
			continue
		}
		text := string(bytes.TrimSpace(value))
		if kind == '"' {
			if err := json.Unmarshal(value, &text); err != nil {
				return nil, err
			}
		}
		if slices.Contains(known, text) {
			continue
		}
		words = append(words, name+"="+oneWord(text))
	}
	slices.Sort(words)
	return words, nil
}

// oneWord quotes a text that could not be told from what stands beside it, or that would steer a terminal.
func oneWord(text string) string {
	if quoted := strconv.Quote(text); text == "" || strings.ContainsAny(text, " =") || quoted != `"`+text+`"` {
		return quoted
	}
	return text
}
