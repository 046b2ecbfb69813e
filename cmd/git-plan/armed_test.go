//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/race"
)

// A session that has git execute something is called armed. These are the ways that git's manual names, as
// shell commands run in a repository that they may write to; $P is the command. Writes that a sandbox refuses
// fail, and the session continues.
var armed = []struct{ way, how string }{
	{"core.fsmonitor", `git config core.fsmonitor "$P; false"`},
	{"core.hooksPath", `mkdir -p .armed && hooks .armed && git config core.hooksPath "$PWD/.armed"`},
	{"hooks in .git", `hooks "$(git rev-parse --git-dir)/hooks"`},
	{"hooks in the tree", `hooks .githooks`},
	{"a config hook", `git config hook.armed.command "$P" && git config --add hook.armed.event pre-commit && git config --add hook.armed.event post-index-change && git config --add hook.armed.event reference-transaction`},
	{"the script of the person's configured hook", `printf '%s\n' "$P" >.lint.sh`},
	{"filter.clean", `git config filter.armed.clean "$P; cat" && echo '* filter=armed' >>.gitattributes`},
	{"filter.smudge", `git config filter.armed.smudge "$P; cat" && echo '* filter=armed' >>.gitattributes`},
	{"filter.process", `git config filter.armed.process "$P" && echo '* filter=armed' >>"$(git rev-parse --git-dir)/info/attributes"`},
	{"diff.external", `git config diff.external "$P"`},
	{"diff.command", `git config diff.armed.command "$P" && echo '* diff=armed' >>.gitattributes`},
	{"diff.textconv", `git config diff.armed.textconv "$P; cat" && echo '* diff=armed' >>.gitattributes`},
	{"merge.driver", `git config merge.armed.driver "$P; false" && echo '* merge=armed' >>.gitattributes`},
	{"core.pager", `git config core.pager "$P; cat" && git config pager.log "$P; cat" && git config pager.status true`},
	{"core.editor", `git config core.editor "$P; true" && git config sequence.editor "$P; true"`},
	{"core.askPass", `git config core.askPass "$X"`},
	{"core.sshCommand", `git config core.sshCommand "$P" && git config remote.origin.url ssh://armed.example/x && git config remote.origin.promisor true && git config extensions.partialClone origin`},
	{"ext transport", `git config protocol.ext.allow always && git config remote.origin.url "ext::sh -c $P" && git config remote.origin.promisor true`},
	{"remote.uploadpack", `git config remote.origin.url . && git config remote.origin.uploadpack "$P" && git config remote.origin.receivepack "$P"`},
	{"credential.helper", `git config credential.helper "!$P"`},
	{"gpg.program", `git config gpg.program "$X" && git config commit.gpgSign true && git config log.showSignature true`},
	{"gpg.ssh", `git config gpg.format ssh && git config gpg.ssh.program "$X" && git config gpg.ssh.defaultKeyCommand "$P" && git config commit.gpgSign true`},
	{"an alias", `git config alias.status "!$P" && git config alias.plan "!$P"`},
	{"alternate refs", `git init -q --bare .armed-alt && echo "$PWD/.armed-alt/objects" >>"$(git rev-parse --git-dir)/objects/info/alternates" && git config core.alternateRefsCommand "$P"`},
	{"uploadpack.packObjectsHook", `git config uploadpack.packObjectsHook "$P"`},
	{"gc.recentObjectsHook", `git config gc.recentObjectsHook "$P" && git config gc.auto 1`},
	{"submodule.update", `git config submodule.sub.update "!$P" && git config submodule.recurse true`},
	{"include.path", `printf '[core]\n\tfsmonitor = "%s; false"\n' "$P" >.armed-config && git config include.path "$PWD/.armed-config"`},
	{"an included file of the tree", `printf '[core]\n\tfsmonitor = "%s; false"\n\thooksPath = .githooks\n' "$P" >.shared-config`},
	{"worktree configuration", `git config extensions.worktreeConfig true && git config --worktree core.fsmonitor "$P; false"`},
	{"trailer.command", `git config trailer.armed.command "$P" && git config trailer.armed.cmd "$P" && git config trailer.armed.ifmissing add`},
	{"interactive.diffFilter", `git config interactive.diffFilter "$P; cat"`},
	{"core.worktree", `mkdir -p .armed-top && git config core.worktree "$PWD/.armed-top"`},
	{"core.gitProxy", `git config core.gitProxy "$X" && git config remote.origin.url git://armed.example/x && git config remote.origin.promisor true`},
	{"the Makefile of a hook", `printf 'all:\n\t%s\n' "$P" >Makefile`},
}

// armedIn is how a session gets into a repository to arm.
var armedIn = map[string]string{
	"the work tree":          `:`,
	"a submodule":            `cd sub`,
	"a submodule's place":    `rm -rf sub && git init -q sub && cd sub && git -c core.hooksPath=/dev/null commit -q --allow-empty -m x && echo y >y`,
	"an embedded repository": `rm -rf kept.txt && git init -q kept.txt && cd kept.txt && echo x >x && git add x && git -c core.hooksPath=/dev/null commit -qm x && echo y >y && cd .. && git add kept.txt && cd kept.txt`,
}

const armedExecutor = `
P="sh $ARMED/pwn.sh"
X=$ARMED/pwn.sh
hooks() { mkdir -p "$1"; for h in pre-commit prepare-commit-msg commit-msg post-commit post-index-change reference-transaction post-checkout post-rewrite pre-push pre-auto-gc; do printf '#!/bin/sh\n%s\n' "$P" >"$1/$h"; chmod 755 "$1/$h"; done; }
top=$PWD
echo work >work.txt
eval "$ARMED_IN"
while IFS= read -r how; do (eval "$how") >/dev/null 2>&1; done <"$ARMED/ways"
cd "$top" && touch kept.txt 2>/dev/null
exit 0
`

// TestNothingThatASessionArmsIsExecuted arms all ways at once in each place, under each sandbox, and then
// runs a person's commands. A marker outside must never appear. ARMED=all does it in clones of each place
// under each sandbox, too, arms each way alone as well, and runs more commands.
func TestNothingThatASessionArmsIsExecuted(t *testing.T) {
	race.Skip(t)
	ways := [][]string{nil}
	for _, w := range armed {
		ways[0] = append(ways[0], w.how)
		if os.Getenv("ARMED") == "all" {
			ways = append(ways, []string{w.how})
		}
	}
	for _, sandbox := range []proc.SandboxKind{proc.Bwrap, proc.Landlock, proc.Unconfined} {
		if err := proc.Works(context.Background(), sandbox); err != nil {
			t.Logf("NOT TESTED: %s does not work here: %v", sandbox, err)
			continue
		}
		for in := range armedIn {
			for _, isolation := range []string{"tree", "clone"} {
				if isolation == "clone" && (sandbox != proc.Unconfined || in != "the work tree") && os.Getenv("ARMED") != "all" {
					continue
				}
				for n, how := range ways {
					name := "all at once"
					if n > 0 {
						name = armed[n-1].way
					}
					t.Run(fmt.Sprintf("%s/%s/%s/%s", sandbox, isolation, in, name), func(t *testing.T) {
						armAndLook(t, string(sandbox), isolation, in, how)
					})
				}
			}
		}
	}
}

func armAndLook(t *testing.T, sandbox, isolation, in string, ways []string) {
	repo := begun(t, 1)
	dir, err := os.MkdirTemp("/var/tmp", "git-plan-armed-") // no sandbox allows a session to write there
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	t.Setenv("ARMED", dir)
	t.Setenv("ARMED_IN", armedIn[in])
	t.Setenv("XDG_STATE_HOME", filepath.Join(filepath.Dir(repo), "state"))
	marker := filepath.Join(dir, "marker")
	for name, text := range map[string]string{
		// What a session, a check or a confined hook runs itself is not covered here.
		"pwn.sh":      "#!/bin/sh\ncase $GIT_PLAN_SESSION in '' | commit-*) echo \"$0 in $PWD, $GIT_PLAN_SESSION\" >>'" + marker + "' ;; esac\ncat 2>/dev/null\n",
		"executor.sh": armedExecutor, "ways": strings.Join(ways, "\n") + "\n",
		"plan.md": "# Armed\n\n## Steps\n\n- [ ] **One** {#one}\n  - Run: `sh \"$ARMED/executor.sh\"`\n  - Check: `true`\n" +
			"- [ ] **Two** {#two}\n  - Needs: none\n  - Run: `sh \"$ARMED/executor.sh\"; false`\n",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	if err := os.Chmod(filepath.Join(dir, "pwn.sh"), 0o755); err != nil { // git starts some of these without a shell
		t.Fatal(err)
	}
	lib := filepath.Join(filepath.Dir(repo), "lib")
	runGit(t, filepath.Dir(repo), "init", "-q", lib)
	runGit(t, lib, "commit", "-q", "--allow-empty", "-m", "lib")
	runGit(t, repo, "switch", "-q", "main")
	runGit(t, repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "sub")
	write(t, filepath.Join(repo, "kept.txt"), "kept\n")
	write(t, filepath.Join(repo, "Makefile"), "all:\n\ttrue\n")
	runGit(t, repo, "add", ".")
	runGit(t, repo, "commit", "-qm", "begin")
	for _, kv := range [][2]string{
		{"plan.isolation", isolation}, {"plan.sandbox", sandbox}, {"plan.attempts", "1"}, {"plan.passEnv", "ARMED ARMED_IN"},
		{"core.hooksPath", ".githooks"}, {"include.path", "../.shared-config"}, // the person's own script in the tree
		{"hook.lint.command", "sh ./.lint.sh"}, {"hook.lint.event", "pre-commit"},
	} {
		runGit(t, repo, "config", kv[0], kv[1])
	}
	plan := func(args ...string) {
		cmd := exec.Command("git-plan", args...)
		cmd.Dir = repo
		out, _ := cmd.CombinedOutput() // its exit code does not matter
		if said, err := os.ReadFile(marker); err == nil {
			t.Fatalf("git plan %s had something executed:\n%s\nit said:\n%s", strings.Join(args, " "), said, out)
		}
	}
	plan("new", "-F", filepath.Join(dir, "plan.md"), "--yes")
	lines := []string{"step --no-review", "status", "approve --yes", "step two --no-review", "approve --yes", "step two --clean --no-review", "undo"}
	if len(ways) == 1 && sandbox != string(proc.Bwrap) && (strings.Contains(ways[0], "git config gpg.") ||
		sandbox == string(proc.Unconfined) && strings.Contains(ways[0], "git config filter.")) {
		lines = lines[:3] // after this a person has approved it: a signing program is never confined, a filter not without a sandbox
	} else if os.Getenv("ARMED") == "all" {
		lines = append(lines, "approve --yes", "doctor", "attempts", "verify", "review --no-fix", "next", "next --drop")
	}
	for _, line := range lines {
		plan(strings.Fields(line)...)
	}
}
