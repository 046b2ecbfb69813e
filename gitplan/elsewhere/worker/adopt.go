package worker

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/git-plan/git-plan/gitplan/elsewhere/wire"
	"github.com/git-plan/git-plan/gitplan/git"
)

// adopt takes over the variables and settings of a job: those that can be of one. Others would have
// this process, or git, do something else than it is for.
func adopt(job wire.Work) error {
	if job.Do == wire.Check && len(job.Env)+len(job.Settings) > 0 {
		return errors.New("it is sent variables or settings for checks, which are given none")
	}
	var flat []string
	for _, kv := range job.Env {
		if name, _, _ := strings.Cut(kv, "="); !wire.MayPass(name) {
			return fmt.Errorf("it is sent the variable %.60q, which no job sets", name)
		}
	}
	for _, kv := range job.Settings {
		if !wire.MaySet(kv[0]) {
			return fmt.Errorf("it is sent the setting %.60q, which no job has", kv[0])
		}
		flat = append(flat, kv[0], kv[1])
	}
	if err := set(job.Env, ""); err != nil {
		return err
	}
	return set(git.WithSettings(os.Environ(), flat...), "GIT_CONFIG_")
}

// set sets the variables whose names begin so.
func set(env []string, with string) error {
	for _, kv := range env {
		if name, value, _ := strings.Cut(kv, "="); strings.HasPrefix(name, with) {
			if err := os.Setenv(name, value); err != nil {
				return fmt.Errorf("it is sent what cannot be set: %w", err)
			}
		}
	}
	return nil
}
