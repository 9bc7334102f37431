package commands

import (
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// The instance has one aggregate, outside of all workspaces.
const (
	noWorkspace = "_"
	theInstance = "instance"
)

func instance() target[domain.Instance] {
	return target[domain.Instance]{
		Aggregate: eventstore.Aggregate{Workspace: noWorkspace, Type: domain.AggregateInstance, ID: theInstance},
		evolve:    domain.EvolveInstance,
	}
}

func workspace(id string) target[domain.Workspace] {
	return target[domain.Workspace]{
		Aggregate: eventstore.Aggregate{Workspace: id, Type: domain.AggregateWorkspace, ID: id},
		evolve:    domain.EvolveWorkspace,
	}
}

func admission(workspace string) target[domain.Admissions] {
	return target[domain.Admissions]{
		Aggregate: eventstore.Aggregate{Workspace: workspace, Type: domain.AggregateAdmission, ID: workspace},
		evolve:    domain.EvolveAdmissions,
		last:      true,
	}
}

func project(workspace, id string) target[domain.Project] {
	return target[domain.Project]{
		Aggregate: eventstore.Aggregate{Workspace: workspace, Type: domain.AggregateProject, ID: id},
		evolve:    domain.EvolveProject,
	}
}

func branch(workspace, id string) target[domain.Branch] {
	return target[domain.Branch]{
		Aggregate: eventstore.Aggregate{Workspace: workspace, Type: domain.AggregateBranch, ID: id},
		evolve:    domain.EvolveBranch,
	}
}

func scenario(workspace, id string) target[domain.ScenarioState] {
	return target[domain.ScenarioState]{
		Aggregate: eventstore.Aggregate{Workspace: workspace, Type: domain.AggregateScenario, ID: id},
		evolve:    domain.EvolveScenario,
	}
}

func profile(workspace, id string) target[domain.ProfileState] {
	return target[domain.ProfileState]{
		Aggregate: eventstore.Aggregate{Workspace: workspace, Type: domain.AggregateProfile, ID: id},
		evolve:    domain.EvolveProfile,
	}
}

func run(workspace, id string) target[domain.Run] {
	return target[domain.Run]{
		Aggregate: eventstore.Aggregate{Workspace: workspace, Type: domain.AggregateRun, ID: id},
		evolve:    domain.EvolveRun,
	}
}

// claimed is the state of a key that is kept by itself: whether it is.
type claimed bool

func key(id string) target[claimed] {
	return target[claimed]{
		Aggregate: eventstore.Aggregate{Workspace: noWorkspace, Type: domain.AggregateKey, ID: id},
		evolve:    func(claimed, domain.Event) claimed { return true },
	}
}
