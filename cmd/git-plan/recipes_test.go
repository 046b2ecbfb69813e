package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// TestRecipes runs the jobs of gitplan-ci(7) as they are written there, in clones such as the two forges
// make, where the program exists only once a job has installed it: a branch whose plan is finished passes;
// one with an open step does not, unless the job does that step; nor does one that a reviewer does not
// approve.
func TestRecipes(t *testing.T) {
	bin := built(t)
	for job, script := range recipes(t) {
		for doing, finished := range map[string]bool{"run --no-review": true, "step one": false} {
			t.Run(job+" after "+doing, func(t *testing.T) {
				t.Parallel()
				c := inCI(t, bin, doing, `test -f two.txt && printf '{"nonce": "%s", "covered": ["one.txt", "two.txt"], "findings": []}' "$GIT_PLAN_NONCE"`)
				out, err := c.sh("set -ex\n" + script)
				rules := job == "GitHub, fork" || job == "GitHub, scanning" || job == "GitHub, comments" // reviewers find nothing
				if passes := finished || rules || strings.HasSuffix(job, ", run"); (err == nil) != passes {
					t.Errorf("%v\n%s", err, out)
				}
				reached, page := "approved: 2 steps", "    plan work-"
				switch job {
				case "GitHub, review":
					reached, page = "review, round 1", ""
				case "GitHub, run":
					page = ""
					if files, err := c.sh("git -C remote.git ls-tree --name-only work && git -C remote.git for-each-ref --format='%(subject)' refs/plans"); !strings.HasPrefix(files, "one.txt\ntwo.txt\n") || !strings.Contains(files, "review") {
						t.Errorf("it pushed %s %v\n%s", files, err, out)
					}
				case "GitLab, plan", "GitLab, run":
					page = ""
				case "GitHub, fork":
					reached, page = "OPTIONS=--rules origin/main..HEAD", ""
				case "GitHub, scanning":
					reached, page = "uploaded", ""
				case "GitHub, comments":
					reached, page = "reviewdog", ""
				}
				if !strings.Contains(out, reached) {
					t.Errorf("it ended before what it is there for:\n%s", out)
				}
				if summary, _ := os.ReadFile(filepath.Join(c.dir, "summary")); !strings.Contains(string(summary), page) {
					t.Errorf("the job's page says %q", summary)
				}
			})
		}
	}
}

// TestTheActionAnnotates: a finding is shown at its line, and no text of a finding becomes a command of the
// runner.
func TestTheActionAnnotates(t *testing.T) {
	c := inCI(t, built(t), "run --no-review", `case $GIT_PLAN_ROLE in
reviewer) printf '{"nonce": "%s", "covered": ["one.txt", "two.txt"], "findings": [{"category": "correctness", "severity": "high", "file": "one.txt", "quote": "1", "title": "100%% wrong", "detail": "it\\n::set-output name=x::y", "trigger": "always", "remedy": "fix"}]}' "$GIT_PLAN_NONCE" ;;
verifier) id=$(sed -n 's/.*"id": *"\([0-9a-f]*\)".*/\1/p' "$GIT_PLAN_FINDINGS" | head -1)
printf '{"nonce": "%s", "answers": [{"id": "%s", "answer": "confirmed", "because": "looked", "quote": "1"}]}' "$GIT_PLAN_NONCE" "$id" ;;
esac`)
	out, err := c.sh("set -ex\n" + recipes(t)["GitHub, review"])
	if err == nil || !strings.Contains(out, "\n::error file=one.txt,line=1,title=correctness::100%25 wrong%0Ait") {
		t.Errorf("%v\n%s", err, out)
	}
	if strings.Contains(out, "\n::set-output") {
		t.Errorf("a finding gave a command:\n%s", out)
	}
	if said, _ := os.ReadFile(filepath.Join(c.dir, "output")); !strings.Contains(string(said), "code=4\nstate=\n") {
		t.Errorf("the job's outputs are %q", said)
	}
}

// TestTheJobsShowFindings: findings of the rules are sent to code scanning and to reviewdog, and fail the
// job.
func TestTheJobsShowFindings(t *testing.T) {
	for job, file := range map[string]string{"GitHub, scanning": "uploaded", "GitHub, comments": "commented"} {
		t.Run(job, func(t *testing.T) {
			c := inCI(t, built(t), `run --no-review && printf '<<<<<<< a\n=======\n>>>>>>> b\n' >one.txt && git commit -qam "Merge it"`, "exit 1")
			if out, err := c.sh("set -ex\n" + recipes(t)[job]); err == nil {
				t.Errorf("the job passes\n%s", out)
			}
			got, err := os.ReadFile(filepath.Join(c.dir, file))
			if err != nil || !strings.Contains(string(got), "conflict-markers") || !strings.Contains(string(got), "one.txt") {
				t.Errorf("%v\n%s", err, got)
			}
		})
	}
}

// TestPullRequestFromAFork: its commits come only as refs/pull/1, its branch has the name of one of the
// repository's own, and there is neither a plan for it nor a key. Findings of the rules are shown at their
// lines, in the job and locally.
func TestPullRequestFromAFork(t *testing.T) {
	bin := built(t)
	for what, wrong := range map[string]bool{"fine": false, "<<<<<<< a\\n=======\\n>>>>>>> b": true} {
		t.Run(fmt.Sprintf("wrong %v", wrong), func(t *testing.T) {
			t.Parallel()
			c := inCI(t, bin, "step one", `printf '{"nonce": "%s", "covered": ["three.txt"], "findings": []}' "$GIT_PLAN_NONCE"`)
			if out, err := c.sh(`set -e; git clone -q remote.git fork; cd fork; printf '` + what + `\n' >three.txt; git add three.txt; git commit -qm three
git push -q origin HEAD:refs/pull/1/head; git push -q origin "$(git commit-tree -p origin/main -p HEAD -m merged HEAD^{tree}):refs/pull/1/merge"`); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			_, job, known := strings.Cut(recipes(t)["GitHub, fork"], " GITHUB_BASE_REF=main\n")
			out, err := c.sh("set -ex\ngit clone -q --no-checkout remote.git clone && cd clone && git fetch -q origin +refs/pull/1/merge:refs/remotes/pull/1/merge\n" +
				"git checkout -q refs/remotes/pull/1/merge && export GITHUB_REF_NAME=1/merge GITHUB_HEAD_REF=main GITHUB_BASE_REF=main\n" + job)
			if shown := strings.Contains(out, "\n::error file=three.txt,line=1,"); !known || (err == nil) == wrong || shown != wrong {
				t.Errorf("known %v, %v\n%s", known, err, out)
			}
			out, err = c.sh("PATH='" + filepath.Dir(bin) + "':$PATH; git clone -q remote.git mine && cd mine && git fetch -q origin refs/pull/1/head && git switch -q -C pull-1 FETCH_HEAD && git plan review --no-fix")
			if (err == nil) == wrong || strings.Contains(out, "three.txt:1: ") != wrong {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// ci is a folder with a remote, whose branch work has a plan of two steps, and with a home where no program
// is installed.
type ci struct {
	dir string
	sh  func(script string) (string, error)
}

// inCI makes the remote and does part of its plan; agent is the agent of the jobs.
func inCI(t *testing.T, bin, doing, agent string) ci {
	t.Helper()
	dir := t.TempDir()
	c := ci{dir, shellIn(t, dir, bin)}
	if out, err := c.sh(`git init -q --bare remote.git && git init -q repo && cd repo && git commit -q --allow-empty -m one &&
git remote add origin ../remote.git && git push -q origin main && git switch -q -c work &&
printf '# Work\n\n## Steps\n- [ ] One {#one}\n  - Run: \140echo 1 >one.txt\140\n- [ ] Two {#two}\n  - Run: \140echo 2 >two.txt\140\n  - Check: \140test -s one.txt\140\n' | git plan new -F - --yes &&
git plan ` + doing + ` && git push -q origin work && git plan push &&
git config --global plan.agent fake && git config --global planAgent.fake.command 'sh "$HOME/agent.sh"' && rm ../git-plan`); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	write(t, filepath.Join(dir, "agent.sh"), agent)
	// Go as a job has it, except that its builds are cached.
	tools := filepath.Join(dir, "tools")
	if err := os.Mkdir(tools, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(tools, "go"), "#!/bin/sh\nlast=\nfor word; do\n\tcase $last in -o) ln -s '"+bin+"' \"$word/git-plan\" ;; esac\n\tlast=$word\n"+
		"\tcase $word in *@latest) ln -s '"+bin+"' \"$HOME/git-plan\" ;; esac\ndone\n")
	write(t, filepath.Join(tools, "reviewdog"), "#!/bin/sh\ncat >\"$HOME/commented\"; ! grep -q ERROR \"$HOME/commented\"\n")
	for _, name := range []string{"go", "reviewdog"} {
		if err := os.Chmod(filepath.Join(tools, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// workflowJob is a job of a workflow, or a composite action, which has steps of the same kind.
type workflowJob struct {
	If    string
	Steps []struct {
		Uses, Run, If string
		With, Env     map[string]any
	}
}

// notForForks are the conditions of jobs that need a plan or a key, and of the one for forks.
var notForForks = map[string]string{
	"plan": "!github.event.pull_request.head.repo.fork", "review": "!github.event.pull_request.head.repo.fork",
	"fork": "github.event.pull_request.head.repo.fork",
}

// recipes are the page's jobs as scripts, by forge and name; actions are what they run.
func recipes(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("pages", "gitplan-ci.7.md"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range examplesIn(page) {
		var file struct {
			Jobs      map[string]workflowJob
			Plan, Run struct{ Script []string } // at GitLab
		}
		if e.language != "yaml" {
			continue
		}
		if err := yaml.Unmarshal([]byte(e.code), &file); err != nil {
			t.Fatal(err)
		}
		for name, j := range file.Jobs {
			out["GitHub, "+name] = j.script(t)
			if want, has := notForForks[name]; has && j.If != want {
				t.Errorf("the job %s is for pull requests from forks: if %q, want %q", name, j.If, want)
			}
		}
		for name, script := range map[string][]string{"plan": file.Plan.Script, "run": file.Run.Script} {
			if len(script) > 0 { // Only the built commit is fetched, and no branch is checked out.
				out["GitLab, "+name] = "git init -q clone && cd clone && git remote add origin ../remote.git && git fetch -q origin +refs/heads/work:refs/pipelines/1 && git checkout -q --detach refs/pipelines/1\n" +
					strings.Join(script, "\n")
			}
		}
	}
	for _, job := range []string{"GitHub, plan", "GitHub, review", "GitHub, run", "GitLab, plan", "GitLab, run"} {
		if out[job] == "" {
			t.Errorf("the recipe %s is not found: %q", job, out)
		}
	}
	return out
}

// script runs the actions of a job, in order.
func (j workflowJob) script(t *testing.T) string {
	t.Helper()
	out := ""
	for _, s := range j.Steps {
		switch action, _, _ := strings.Cut(s.Uses, "@"); {
		case action == "actions/checkout" && s.With["fetch-depth"] == uint64(0):
			out += "git clone -q --no-checkout remote.git clone && cd clone\n"
			if s.With["ref"] == "${{ github.event.pull_request.head.sha }}" {
				out += "git checkout -q --detach origin/work && export GITHUB_HEAD_REF=work GITHUB_BASE_REF=main\n"
			} else if s.With["ref"] == "${{ inputs.branch }}" {
				out += "git checkout -q -B work refs/remotes/origin/work && export GITHUB_REF_NAME=main\n"
			} else { // for a pull request: the merge that it would make
				out += "git checkout -q --detach origin/main && git merge -q --no-ff -m merged origin/work && export GITHUB_REF_NAME=1/merge GITHUB_HEAD_REF=work GITHUB_BASE_REF=main\n"
			}
		case action == "git-plan/git-plan":
			out += theAction(t, s.With)
		case action == "github/codeql-action/upload-sarif" && s.If == "always()":
			out += fmt.Sprintf("cp '%v' \"$HOME/uploaded\"\n", s.With["sarif_file"])
		case action == "reviewdog/action-setup": // inCI has it
		case s.Run != "": // after a failure only those with always() run
			out += "cat >../run.sh <<'STEP'\n" + s.Run + "\nSTEP\n[ ${failed:-0} != 0 ] || sh -ex ../run.sh || failed=$?\n"
		default:
			t.Errorf("a job uses %q with %v, which no test plays", s.Uses, s.With)
		}
	}
	return out + "exit ${failed:-0}\n"
}

// theAction runs action.yml like a runner, with the inputs of a workflow.
func theAction(t *testing.T, with map[string]any) string {
	t.Helper()
	var file struct {
		Inputs map[string]struct{ Default any }
		Runs   workflowJob
	}
	top, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(top, "action.yml"))
	if err == nil {
		err = yaml.Unmarshal(text, &file)
	}
	if err != nil {
		t.Fatal(err)
	}
	out := "export GITHUB_ACTIONS=true GITHUB_ACTION_PATH='" + top + "' GITHUB_PATH=\"$HOME/path\" GITHUB_OUTPUT=\"$HOME/output\" GITHUB_STEP_SUMMARY=\"$HOME/summary\" RUNNER_TEMP=\"$HOME\"\n"
	for _, s := range file.Runs.Steps {
		if strings.HasPrefix(s.Uses, "actions/setup-go@") {
			continue
		}
		for name, value := range s.Env {
			input := strings.TrimSuffix(strings.TrimPrefix(fmt.Sprint(value), "${{ inputs."), " }}")
			is, known := file.Inputs[input]
			if !known {
				t.Errorf("%s of action.yml has no input: %v", name, value)
			}
			given := is.Default
			if v, ok := with[input]; ok {
				given = strings.ReplaceAll(fmt.Sprint(v), "${{ github.base_ref }}", "main")
			}
			out += fmt.Sprintf("export %s='%v'\n", name, given)
		}
		out += s.Run + "\nPATH=$(cat \"$HOME/path\"):$PATH\n"
	}
	for name := range with {
		if _, known := file.Inputs[name]; !known {
			t.Errorf("action.yml has no input %s", name)
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
	without := slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), func(p string) bool { return p == filepath.Dir(bin) })
	return func(script string) (string, error) {
		cmd := exec.Command("sh", "-c", script)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + dir + ":" + filepath.Join(dir, "tools") + ":" + strings.Join(without, ":"), "HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "LC_ALL=C",
			"GIT_EDITOR=:", "GIT_CONFIG_NOSYSTEM=1", "GORACE=" + impatient, "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME=work", "CI_COMMIT_BRANCH=work", "GITLAB_USER_NAME=Someone", "GITLAB_USER_EMAIL=someone@example.com"}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}
