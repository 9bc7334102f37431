package http

import (
	"encoding/json"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/projections"
)

// ProfileVersion is a version of a profile with the runs that pinned it.
type ProfileVersion struct {
	Version    int         `json:"version"`
	Name       string      `json:"name"`
	ScenarioID string      `json:"scenarioId"`
	SavedAt    time.Time   `json:"savedAt"`
	SavedBy    Author      `json:"savedBy"`
	RunCount   int         `json:"runCount"` // that pinned it and are not deleted
	Runs       []PinnedRun `json:"runs"`     // the newest of them, newest first
}

// PinnedRun is a run in the list of a version.
type PinnedRun struct {
	ID     string           `json:"id"`
	Status domain.RunStatus `json:"status"`
}

func (s *Server) getProfiles(c *gin.Context) error {
	p, err := s.pageOfProject(c)
	if err != nil {
		return err
	}
	rows, err := s.Projections.Profiles(c.Request.Context(), c.Param("projectId"), p)
	if err != nil {
		return err
	}
	return answer(c, 200, listOf(rows, func(row projections.Profile) DocumentItem {
		by := s.author(c, row.SavedBy)
		return DocumentItem{ID: row.ID, Name: row.Name, Version: row.Version, ScenarioID: row.ScenarioID, SavedAt: row.SavedAt.Time, SavedBy: by}
	}))
}

func (s *Server) getProfile(c *gin.Context) error {
	row, err := s.profileOf(c)
	if err != nil {
		return err
	}
	return s.answerDocument(c, row.ID, row.Saved)
}

// profileOf is the profile that the path names.
func (s *Server) profileOf(c *gin.Context) (projections.Profile, error) {
	return s.Projections.Profile(c.Request.Context(), c.Param("projectId"), c.Param("profileId"))
}

func (s *Server) postProfile(c *gin.Context) error { return s.saveProfile(c, "", 0) }

func (s *Server) putProfile(c *gin.Context) error {
	base, err := base(c)
	if err != nil {
		return err
	}
	return s.saveProfile(c, c.Param("profileId"), base)
}

// saveProfile saves a version; an empty id creates a profile.
func (s *Server) saveProfile(c *gin.Context, id string, base int) error {
	doc, err := readDocument(c, domain.MaxProfileBytes, domain.ParseProfile)
	if err != nil {
		return err
	}
	meta, err := s.meta(c, doc.body)
	if err != nil {
		return err
	}
	done, err := s.Commands.SaveProfile(c.Request.Context(), commands.SaveProfile{
		Meta: meta, ProjectID: c.Param("projectId"), ProfileID: id, Base: base, Document: doc.value, Raw: doc.raw,
	})
	if err != nil {
		return err
	}
	created := ""
	if id == "" {
		created = profilePath(c.Param("projectId"), done.ID)
	}
	return answerSaved(c, done, created, SavedDocument[json.RawMessage]{ID: done.ID, Version: done.Version, Document: doc.raw})
}

func profilePath(projectID, id string) string {
	return projectPath(projectID) + "/stress/profiles/" + id
}

func (s *Server) getProfileVersions(c *gin.Context) error {
	p, err := page(c)
	if err != nil {
		return err
	}
	profile, err := s.profileOf(c)
	if err != nil {
		return err
	}
	rows, err := s.Projections.ProfileVersions(c.Request.Context(), profile.ID, p)
	if err != nil {
		return err
	}
	return answer(c, 200, listOf(rows, func(row projections.ProfileVersion) ProfileVersion { return s.profileVersion(c, row) }))
}

func (s *Server) profileVersion(c *gin.Context, row projections.ProfileVersion) ProfileVersion {
	runs := make([]PinnedRun, len(row.Runs))
	for i, run := range row.Runs {
		runs[i] = PinnedRun{ID: run.ID, Status: run.Status}
	}
	return ProfileVersion{
		Version: row.Version, Name: row.Name, ScenarioID: row.ScenarioID, SavedAt: row.SavedAt.Time,
		SavedBy: s.author(c, row.SavedBy), RunCount: row.RunCount, Runs: runs,
	}
}

// ProfileVersionDocument is one version of a profile: its document, and the runs that pinned it.
type ProfileVersionDocument[D any] struct {
	ProfileVersion
	Document D `json:"document"`
}

func (s *Server) getProfileVersion(c *gin.Context) error {
	profile, err := s.profileOf(c)
	if err != nil {
		return err
	}
	version, err := wholeNumber(c.Param("version"))
	if err != nil {
		return refuse(notFound, "profile %s has no version %q", profile.ID, c.Param("version"))
	}
	row, err := s.Projections.ProfileVersion(c.Request.Context(), profile.ID, version)
	if err != nil {
		return err
	}
	raw, err := s.Blobs.Blob(c.Request.Context(), row.Blob)
	if err != nil {
		return err
	}
	c.Header("ETag", etag(row.Version))
	return answer(c, 200, ProfileVersionDocument[json.RawMessage]{ProfileVersion: s.profileVersion(c, row), Document: raw})
}
