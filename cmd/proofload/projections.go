package main

import (
	"context"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	api "github.com/proofload/proofload/http"
	"github.com/proofload/proofload/projections"
)

func projectionsCommand(io streams) *cobra.Command {
	var o serverOptions
	cmd := &cobra.Command{
		Use:   "projections",
		Short: "Show how far the read models are, and make them again from the log",
		Long:  "Read models are the tables that lists and pages are read from. They hold nothing that the log does not hold.",
	}
	o.flags(cmd)
	cmd.AddCommand(projectionsStatusCommand(&o, io), projectionsRebuildCommand(&o, io))
	return cmd
}

func projectionsStatusCommand(o *serverOptions, io streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "status", Short: "Show how far the read models are and what stops them", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.through(cmd.Context(), func(client *serverClient) error {
				var models api.List[api.ReadModel]
				if err := client.call(cmd.Context(), http.MethodGet, "/api/projections", nil, &models); err != nil {
					return err
				}
				return showReadModels(io, models.Items, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func projectionsRebuildCommand(o *serverOptions, io streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "rebuild [NAME]", Short: "Make the read models again from the log, beside those that are read meanwhile",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := projections.Views
			if len(args) > 0 {
				name = args[0]
			}
			return o.through(cmd.Context(), func(client *serverClient) error {
				model, err := rebuild(cmd.Context(), client, name)
				if err != nil {
					return err
				}
				return showReadModels(io, []api.ReadModel{model}, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func rebuild(ctx context.Context, client *serverClient, name string) (api.ReadModel, error) {
	var model api.ReadModel
	err := client.call(ctx, http.MethodPost, "/api/projections/"+url.PathEscape(name)+"/rebuild", nil, &model)
	return model, err
}

func showReadModels(io streams, models []api.ReadModel, asJSON bool) error {
	if asJSON {
		return writeJSON(io.out, map[string]any{"projections": models})
	}
	rows := [][]string{{"name", "position", "log", "trouble"}}
	for _, m := range models {
		rows = append(rows, []string{m.Name, m.Position, m.End, m.Trouble})
	}
	table(io.out, rows)
	return nil
}
