package wire

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// Remedy returns what a person does first about a fault that asking again does not cure: a whole
// command, if it is known. If the endpoint has not the model that it was asked for, it is asked
// which ones it has.
func (e *Endpoint) Remedy(ctx context.Context, f *Fault, model string) string {
	set := "git config planAgent." + e.AgentName + "."
	switch f.kind {
	case faultKey:
		if e.KeyVariable != "" {
			return "put a valid key for " + Host(e.BaseURL) + " in the environment: export " + e.KeyVariable + "=KEY"
		}
		return "name the variable that has its key: " + set + "apiKeyEnv VARIABLE"
	case faultQuota:
		return "add credit, or name an agent that goes on in its place: git config plan.executor.fallback AGENT"
	case faultNotFound:
		ctx, cancel := context.WithTimeout(ctx, reachFor)
		defer cancel()
		names := others(model, e.models(ctx, e.BaseURL+"/models"))
		if len(names) == 0 {
			return "check the name of the model and the base URL, which usually ends in /v1: " + set + "baseURL URL"
		}
		return "it has " + few(names) + ": " + set + "model " + visible.Shell(names[0])
	}
	return ""
}

// others are the names of the models in a list; none if the one that is meant is among them.
func others(model string, list []listed) (names []string) {
	for _, l := range list {
		if l.is(model) {
			return nil
		}
		names = append(names, l.shown())
	}
	return names
}

func few(names []string) string {
	const most = 5
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}
