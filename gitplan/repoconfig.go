package gitplan

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// repositoryConfig is the file in which a repository proposes settings, the
// lowest layer of all.
const repositoryConfig = ".gitplan/config"

// mayPropose are the keys that a repository may set: none of them can run
// anything, send anything anywhere, or make the program less careful.
var mayPropose = []string{"plan.attempts", "plan.promptBudget", "plan.reviewRounds", "plan.branchPrefix"}

// ReadProposals takes what the repository proposes, settings and prompts, as
// the base commit has it, so that a branch cannot change its own rules. It
// returns a warning for each key that is ignored. Where the repository has no
// folder .gitplan it costs no process.
func (c *Checkout) ReadProposals(ctx context.Context, base string) (warnings []string, err error) {
	if base == "" {
		return nil, nil
	}
	if folder, err := c.Repo.Read(ctx, base+":.gitplan"); err != nil || folder.Type != "tree" {
		return nil, nil
	}
	warnings, err = c.readConfig(ctx, base)
	return warnings, cmp.Or(err, c.readPrompts(ctx, base))
}

func (c *Checkout) readConfig(ctx context.Context, base string) (warnings []string, err error) {
	o, err := c.Repo.Read(ctx, base+":"+repositoryConfig)
	if err != nil || o.Type != "blob" {
		return nil, nil
	}
	var out bytes.Buffer
	err = c.Repo.Run(ctx, git.Command{
		Args: []string{"config", "--file", "-", "--no-includes", "--list", "-z"}, Stdin: bytes.NewReader(o.Data), Stdout: &out,
	})
	if err != nil {
		return []string{fmt.Sprintf("%s of %s is no configuration: %v", repositoryConfig, visible.OneLine(base, 100), err)}, nil
	}
	proposed := map[string]string{}
	for _, entry := range strings.Split(strings.TrimSuffix(out.String(), "\x00"), "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		if why := refused(key, value); why != "" {
			warnings = append(warnings, fmt.Sprintf("%s: %s is ignored: %s", repositoryConfig, visible.OneLine(key, 100), why))
			continue
		}
		proposed[key] = value
	}
	c.Config.proposed = proposed
	return warnings, nil
}

// refused says why a repository may not set a key so, or nothing.
func refused(key, value string) string {
	for _, may := range mayPropose {
		if !strings.EqualFold(may, key) {
			continue
		}
		limit, err := strconv.Atoi(defaultOf(may))
		if err != nil {
			return "" // no number
		}
		if n, err := strconv.Atoi(value); err != nil || n < 0 {
			return "it is no number"
		} else if n > limit {
			return fmt.Sprintf("it is more than the default, %d", limit)
		}
		return ""
	}
	return "a repository may not set it"
}
