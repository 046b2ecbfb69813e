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
// it is written there, in clones such as the two forges make, where the program is
// only once a job has installed it: a branch whose plan is finished passes, one
// with an open step does not; nor does one that a reviewer does not answer for.
func TestRecipes(t *testing.T) {
	bin := built(t)
	for job, script := range recipes(t) {
		for doing, finished := range map[string]bool{"run --no-review": true, "step one": false} {
			t.Run(job+" after "+doing, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				sh := shellIn(t, dir, bin)
				if out, err := sh(`git init -q --bare remote.git && git init -q repo && cd repo && git commit -q --allow-empty -m one &&
git remote add origin ../remote.git && git push -q origin main && git switch -q -c work &&
printf '# Work\n\n## Steps\n- [ ] One {#one}\n  - Run: \140echo 1 >one.txt\140\n- [ ] Two {#two}\n  - Run: \140echo 2 >two.txt\140\n  - Check: \140test -s one.txt\140\n' | git plan new -F - --yes &&
git plan ` + doing + ` && git push -q origin work && git plan push &&
git config --global plan.agent fake && git config --global planAgent.fake.command 'sh "$HOME/agent.sh"' && rm ../git-plan`); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				// A reviewer that answers for a finished branch only.
				write(t, filepath.Join(dir, "agent.sh"), `test -f two.txt && printf '{"nonce": "%s", "covered": ["one.txt", "two.txt"], "findings": []}' "$GIT_PLAN_NONCE"`)
				out, err := sh("set -ex\ngo() { false; }\n" + strings.ReplaceAll(script, hasGo, "go() { ln -s '"+bin+"' \"$HOME/git-plan\"; }"))
				if (err == nil) != finished {
					t.Errorf("%v\n%s", err, out)
				}
				reached := "approved: 2 steps"
				if strings.HasSuffix(job, "review") {
					reached = "review, round 1"
				}
				if !finished && !strings.Contains(out, reached) {
					t.Errorf("it ended before what it is there for:\n%s", out)
				}
			})
		}
	}
}

// hasGo is the line of a script from where on Go is there, and what it installs is
// on PATH.
const hasGo = "# Go"

// recipes are the page's jobs as scripts, by forge and name: actions are what they do.
func recipes(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("pages", "gitplan-hooks.7.md"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range examplesIn(page) {
		var file struct {
			Jobs map[string]struct {
				Steps []struct {
					Uses, Run string
					With      map[string]any
				}
			}
			Plan struct{ Script []string }
		}
		if e.language != "yaml" {
			continue
		}
		if err := yaml.Unmarshal([]byte(e.code), &file); err != nil {
			t.Fatal(err)
		}
		for name, job := range file.Jobs {
			for _, s := range job.Steps {
				switch action, _, _ := strings.Cut(s.Uses, "@"); {
				case action == "actions/setup-go":
					s.Run = hasGo
				case action == "actions/checkout" && s.With["ref"] == "${{ github.head_ref }}" && s.With["fetch-depth"] == uint64(0):
					s.Run = "git clone -q --no-checkout remote.git clone && cd clone && git checkout -q -B work refs/remotes/origin/work"
				case action != "":
					t.Errorf("job %s uses %s with %v, which nobody plays", name, s.Uses, s.With)
				}
				out["GitHub, "+name] += s.Run + "\n"
			}
		}
		if len(file.Plan.Script) > 0 { // Only what is built is fetched, and no branch is checked out.
			out["GitLab, plan"] = hasGo + "\ngit init -q clone && cd clone && git remote add origin ../remote.git && git fetch -q origin +refs/heads/work:refs/pipelines/1 && git checkout -q --detach refs/pipelines/1\n" +
				strings.Join(file.Plan.Script, "\n")
		}
	}
	for _, job := range []string{"GitHub, plan", "GitHub, review", "GitLab, plan"} {
		if out[job] == "" {
			t.Errorf("the recipe %s is not found: %q", job, out)
		}
	}
	return out
}

// shellIn runs scripts in a folder, where git plan is this program.
func shellIn(t *testing.T, dir, bin string) func(script string) (string, error) {
	t.Helper()
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
