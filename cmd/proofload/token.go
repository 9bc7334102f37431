package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/eventstore"
	api "github.com/proofload/proofload/http"
)

func tokenCommand(io streams) *cobra.Command {
	var o serverOptions
	cmd := &cobra.Command{
		Use:   "token",
		Short: "List, issue and revoke the tokens of members",
		Long: "Tokens are those of the member whose token is used: the administrator's of the data folder, or the one in\n" +
			tokenVariable + ". The administrator sees and issues those of others too, with --member.",
	}
	o.flags(cmd)
	cmd.AddCommand(tokenListCommand(&o, io), tokenIssueCommand(&o, io), tokenRevokeCommand(&o, io), tokenAdminCommand(io))
	return cmd
}

// through connects, runs an action and disconnects.
func (o *serverOptions) through(ctx context.Context, action func(*serverClient) error) error {
	client, err := o.connect(ctx)
	if err != nil {
		return err
	}
	return errors.Join(action(client), client.close())
}

func tokenListCommand(o *serverOptions, io streams) *cobra.Command {
	var member string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the tokens of a member that are not revoked", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.through(cmd.Context(), func(client *serverClient) error {
				tokens, err := listTokens(cmd.Context(), client, member)
				switch {
				case err != nil:
					return err
				case asJSON:
					return writeJSON(io.out, map[string]any{"tokens": tokens})
				}
				table(io.out, tokenRows(tokens))
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&member, "member", "", "the name of the member; empty: the one whose token is used")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// listTokens reads all pages.
func listTokens(ctx context.Context, client *serverClient, member string) ([]api.Token, error) {
	all := []api.Token{}
	query := url.Values{"limit": {"200"}}
	if member != "" {
		query.Set("member", member)
	}
	for {
		var page api.List[api.Token]
		if err := client.call(ctx, http.MethodGet, "/api/tokens?"+query.Encode(), nil, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if page.NextCursor == "" {
			return all, nil
		}
		query.Set("cursor", page.NextCursor)
	}
}

func tokenRows(tokens []api.Token) [][]string {
	rows := [][]string{{"id", "member", "name", "issued", "expires"}}
	for _, t := range tokens {
		expires := "never"
		if t.ExpiresAt != nil {
			expires = t.ExpiresAt.Format(time.RFC3339)
		}
		rows = append(rows, []string{t.ID, t.Member.Name, t.Name, t.IssuedAt.Format(time.RFC3339), expires})
	}
	return rows
}

func tokenIssueCommand(o *serverOptions, io streams) *cobra.Command {
	var body api.NewToken
	var expires time.Duration
	var asJSON bool
	cmd := &cobra.Command{
		Use: "issue", Short: "Issue a token and print it, this once", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if expires != 0 {
				body.ExpiresAt = new(time.Now().Add(expires).UTC().Truncate(time.Second))
			}
			return o.through(cmd.Context(), func(client *serverClient) error {
				var issued api.IssuedToken
				err := client.call(cmd.Context(), http.MethodPost, "/api/tokens", body, &issued)
				switch {
				case err != nil:
					return err
				case asJSON:
					return writeJSON(io.out, issued)
				}
				_, err = fmt.Fprintln(io.out, issued.Token)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&body.Member, "member", "", "the name of the member; empty: the one whose token is used")
	cmd.Flags().StringVar(&body.Name, "name", "", "what the token is for")
	cmd.Flags().DurationVar(&expires, "expires", 0, "how long it can be used, as in 720h; 0: for ever")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON: the id and the token")
	return cmd
}

func tokenRevokeCommand(o *serverOptions, io streams) *cobra.Command {
	var member string
	var all bool
	cmd := &cobra.Command{
		Use: "revoke ID | --all", Short: "Revoke a token, or all of a member: they open nothing from then on",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case all:
				return arguments()(cmd, args)
			case member != "":
				return errors.New("--member goes with --all; a token has its ID")
			}
			return arguments("ID")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.through(cmd.Context(), func(client *serverClient) error {
				path, what := "/api/tokens", "all tokens of the member that asks"
				if member != "" {
					path, what = path+"?"+url.Values{"member": {member}}.Encode(), "all tokens of "+member
				}
				if !all {
					path, what = "/api/tokens/"+url.PathEscape(args[0]), args[0]
				}
				if err := client.call(cmd.Context(), http.MethodDelete, path, nil, nil); err != nil {
					return err
				}
				if _, err := fmt.Fprintln(io.out, "revoked", what); err != nil {
					return err
				}
				var refused *answerError
				err := client.call(cmd.Context(), http.MethodGet, "/api/session", nil, nil)
				if errors.As(err, &refused) && refused.status == http.StatusUnauthorized {
					_, _ = fmt.Fprintln(io.err, "proofload: the token that this command used opens nothing any more;", o.waysBack())
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&member, "member", "", "with --all: the name of the member; empty: the one whose token is used")
	cmd.Flags().BoolVar(&all, "all", false, "all tokens of the member at once, also the one that is used when they are your own")
	return cmd
}

// waysBack says how commands get in again once their token is revoked.
func (o *serverOptions) waysBack() string {
	file := filepath.Join(o.data, tokenFile)
	if _, err := os.Stat(file); err == nil && o.server == "" && os.Getenv(tokenVariable) == "" {
		return "the next start of the server of the folder, or without one the next command, writes another to " + file
	}
	return "another is issued with a token that is left, with token issue; for the administrator by a start of a server on its own data folder, " +
		"or with token admin in the log of an external NATS"
}

// tokenAdminCommand is for a cluster, whose log needs no data folder and whose first server needs a token.
func tokenAdminCommand(io streams) *cobra.Command {
	var nats natsOptions
	cmd := &cobra.Command{
		Use: "admin --nats URL", Short: "Issue a token of the administrator in the log of an external NATS and print it", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !nats.external() {
				return errors.New("--nats is missing; for a data folder use token issue, or, when the token in it is revoked, start its server again: that writes another")
			}
			if err := nats.check(); err != nil {
				return err
			}
			token, err := administratorToken(cmd.Context(), nats)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(io.out, token)
			return err
		},
	}
	nats.flags(cmd.Flags())
	nats.replicasFlag(cmd.Flags())
	return cmd
}

func administratorToken(ctx context.Context, nats natsOptions) (string, error) {
	store, release, err := nats.open(ctx, eventstore.Options{})
	if err != nil {
		return "", err
	}
	defer func() { _ = release() }()
	c := commands.New(store, time.Now)
	first, err := c.Bootstrap(ctx)
	if err != nil {
		return "", err
	}
	issued, err := c.IssueToken(ctx, commands.IssueToken{
		Meta: commands.Meta{Member: first.MemberID}, MemberID: first.MemberID, Name: "proofload token admin",
	})
	return issued.Text, err
}
