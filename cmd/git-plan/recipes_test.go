package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// TestRecipes does what the page on hooks tells continuous integration to do, as
// it is written there, in clones such as the two forges make: a plan that is
// finished passes, one with an open step does not.
func TestRecipes(t *testing.T) {
	clones := map[string]string{
		"GitHub": "git clone -q --no-checkout remote.git clone && cd clone && git checkout -q -B work refs/remotes/origin/work",
		// Only what is built is fetched, and no branch is checked out.
		"GitLab": "git init -q clone && cd clone && git remote add origin ../remote.git && git fetch -q origin +refs/heads/work:refs/pipelines/1 && git checkout -q --detach refs/pipelines/1",
	}
	for forge, commands := range recipes(t) {
		for doing, finished := range map[string]bool{"run --no-review": true, "step one": false} {
			t.Run(forge+" after "+doing, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				sh := shellIn(t, dir)
				if out, err := sh(`git init -q --bare remote.git && git init -q repo && cd repo && git commit -q --allow-empty -m one &&
git remote add origin ../remote.git && git push -q origin main && git switch -q -c work &&
printf '# Work\n\n## Steps\n- [ ] One {#one}\n  - Run: \140echo 1 >one.txt\140\n- [ ] Two {#two}\n  - Run: \140echo 2 >two.txt\140\n  - Check: \140test -s one.txt\140\n' | git plan new -F - --yes &&
git plan ` + doing + ` && git push -q origin work && git plan push`); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				out, err := sh("set -ex; " + clones[forge] + "\n" + strings.Join(commands, "\n"))
				if (err == nil) != finished {
					t.Errorf("%v\n%s", err, out)
				}
				if !finished && !strings.Contains(out, "approved: 2 steps") {
					t.Errorf("it ended before the state was asked for:\n%s", out)
				}
			})
		}
	}
}

// recipes are the commands of the page's jobs that fetch plans, by forge, without
// those that install the program.
func recipes(t *testing.T) map[string][]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("pages", "gitplan-hooks.7.md"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	take := func(forge, command string) {
		if command != "" && !strings.HasPrefix(command, "go install ") {
			out[forge] = append(out[forge], command)
		}
	}
	for _, e := range examplesIn(page) {
		var job struct {
			Jobs map[string]struct{ Steps []struct{ Run string } }
			Plan struct{ Script []string }
		}
		if e.language != "yaml" {
			continue
		}
		if err := yaml.Unmarshal([]byte(e.code), &job); err != nil {
			t.Fatal(err)
		}
		for _, s := range job.Jobs["plan"].Steps {
			take("GitHub", s.Run)
		}
		for _, command := range job.Plan.Script {
			take("GitLab", command)
		}
	}
	for _, forge := range []string{"GitHub", "GitLab"} {
		if len(out[forge]) < 4 {
			t.Fatalf("the recipe for %s is not found: %q", forge, out)
		}
	}
	return out
}

// shellIn runs scripts in a folder, where git plan is this program.
func shellIn(t *testing.T, dir string) func(script string) (string, error) {
	t.Helper()
	bin, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(bin, filepath.Join(dir, "git-plan")); err != nil {
		t.Fatal(err)
	}
	config := "[user]\n\tname = Someone\n\temail = someone@example.com\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(dir, ".gitconfig"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	return func(script string) (string, error) {
		cmd := exec.Command("sh", "-c", script)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "LC_ALL=C",
			"GIT_EDITOR=:", "GIT_CONFIG_NOSYSTEM=1", "GORACE=" + impatient, "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME=work"}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}
