package hooks_test

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/git-plan/git-plan/testdata/hooked"
	"github.com/git-plan/git-plan/testdata/race"
)

// shaped is a project with a branch for each way in which a push may contain something bad, and the other
// kinds of refs that a repository has.
func shaped(t *testing.T) bench {
	b := project(t)
	main := hooked.Git(t, b.Repo, "rev-parse", "main")
	object := func(stdin string, args ...string) string {
		e := hooked.Run(t, b.Repo, stdin, "git", args...)
		if e.Code != 0 {
			t.Fatalf("git %v: %s", args, e.Stderr)
		}
		return strings.TrimSpace(e.Stdout)
	}
	tree := func(name, content string) string {
		return object("100644 blob "+object(content, "hash-object", "-w", "--stdin")+"\t"+name+"\n", "mktree")
	}
	commit := func(branch, tree, message, author string, parents ...string) {
		head := "tree " + tree + "\n"
		for _, p := range parents {
			head += "parent " + p + "\n"
		}
		head += "author " + author + " 1700000000 +0000\ncommitter A <a@example.org> 1700000000 +0000\n\n" + message
		hooked.Git(t, b.Repo, "update-ref", "refs/heads/"+branch, object(head, "hash-object", "-t", "commit", "-w", "--stdin", "--literally"))
	}
	const me = "A <a@example.org>"
	wide := ""
	for _, u := range utf16.Encode([]rune("key = " + token() + "\r\n")) {
		wide += string([]byte{byte(u), byte(u >> 8)})
	}
	for branch, content := range map[string]string{
		"nul": "\x00\n" + token() + "\n", "little": "\xff\xfe" + wide, "big": "\xfe\xff\x00" + strings.TrimSuffix(wide, "\x00"),
		"binary": "\x7fELF\x00\x01" + token() + "\x00\xff", "line": strings.Repeat("x ", 64<<10) + token() + "\n",
		"large": strings.Repeat("a line of text\n", 200_000) + token() + "\n", "plain": token() + "\n",
	} {
		commit(branch, tree("file", content), "Add a file", me, main)
	}
	good := tree("file", "good\n")
	commit("author", good, "Add a file", token()+" <a@example.org>", main)
	commit("mail", good, "Add a file", "A <"+token()+"@example.org>", main)
	commit("message", good, "Use "+token(), me, main)
	commit("hidden", good, "Add a file\x00\n"+token(), me, main)
	commit("name", tree(token()+".txt", "x\n"), "Add a file", me, main)
	commit("undone", good, "Take it back", me, hooked.Git(t, b.Repo, "rev-parse", "plain"))
	commit("orphan", good, "Begin", me)
	commit("plan", tree("plan.md", "# A plan\n"), "created", me)
	commit("talk", tree("plan.md", "# A plan\n\nUse "+token()+"\n"), "created", me)
	commit("mixed", tree("plan.md", "# A plan\n"), "created", me, hooked.Git(t, b.Repo, "rev-parse", "orphan"))
	hooked.Git(t, b.Repo, "update-ref", "refs/plan-attempts/p/one/1", "feature")
	hooked.Git(t, b.Repo, "update-ref", "refs/plan-attempts/p/one/2", "plain")
	hooked.Git(t, b.Repo, "update-ref", "refs/plan-tasks/p", "plain")
	hooked.Git(t, b.Repo, "tag", "light", "main")
	hooked.Git(t, b.Repo, "tag", "-a", "-m", "One", "noted", "main")
	hooked.Git(t, b.Repo, "tag", "-a", "-m", "One", "work", "feature")
	hooked.Git(t, b.Repo, "tag", "-a", "-m", "Use "+token(), "bad", "main")
	hooked.Git(t, b.Repo, "tag", "-a", "-m", "All files", "files", "plain^{tree}")
	hooked.Git(t, b.Repo, "tag", "-a", "-m", "One file", "single", "plain:file")
	hooked.Git(t, b.Repo, "notes", "add", "-m", "Well done", "main")
	return b
}

// The result of a shape: it always passes, is stopped if plan.prePush is block, or is always stopped.
const goesAll, blocks, stopsAll = 0, 1, 2

// shape is a form of push, with the gate's answer.
type shape struct {
	push string
	ends int
	says string
}

// args are those of git push.
func (s shape) args() (args []string) {
	for _, ref := range strings.Fields(s.push) {
		args = append(args, ref)
		if strings.HasPrefix(ref, "--") {
			args = []string{ref, "origin"}
		} else if len(args) == 1 {
			args = []string{"origin", ref}
		}
	}
	return args
}

// believed is printed under block about what refs/remotes says the remote has.
const believed = "none of it was checked, because refs/remotes/origin says that the remote has all of it"

func shapes() []shape {
	const unreviewed, secret, stays, baseless = "no review has passed", "GitHub token (ghp_", "stays here", "has no base to compare it with"
	return []shape{
		{"feature", blocks, unreviewed},
		{"+feature:refs/heads/x", blocks, unreviewed},
		{"HEAD", blocks, unreviewed},
		{"feature~0:refs/heads/x", blocks, unreviewed},
		{"feature:refs/for/main", blocks, unreviewed},
		{"feature:refs/changes/01/1/1", blocks, unreviewed},
		{"feature:refs/pull/1/head", blocks, unreviewed},
		{"feature:refs/tags/x", blocks, unreviewed},
		{"feature:refs/notes/x", blocks, unreviewed},
		{"feature:refs/remotes/origin/x", blocks, unreviewed},
		{"feature:refs/stash", blocks, unreviewed},
		{"feature:refs/replace/x", blocks, unreviewed},
		{"feature:refs/original/x", blocks, unreviewed},
		{"feature:refs/bisect/x", blocks, unreviewed},
		{"feature:refs/plans/x", blocks, unreviewed},
		{"feature:refs/plan-remotes/origin/x", blocks, unreviewed},
		{"feature:refs/plan-else/x", blocks, unreviewed},
		{"work", blocks, unreviewed},
		{"work feature", blocks, unreviewed},
		{"feature main:copy", blocks, unreviewed},
		{"orphan", blocks, baseless},
		{"orphan:refs/plans/x", blocks, baseless},
		{"mixed:refs/plans/x", blocks, baseless},
		{"orphan:refs/tags/x", blocks, baseless},
		{"orphan:refs/notes/x", blocks, baseless},
		{"orphan:refs/stash", blocks, baseless},

		{"main", blocks, "git named nothing to push here"}, // it is up to date, and HEAD is not
		{"main:copy", goesAll, believed},
		{":main", goesAll, ""},
		{"light", goesAll, believed},
		{"noted", goesAll, believed},
		{"refs/notes/commits", goesAll, ""},
		{"plan:refs/plans/x", goesAll, ""},
		{"plan:refs/plan-remotes/origin/x", goesAll, ""},

		{"plain", stopsAll, secret},
		{"plain:refs/tags/x", stopsAll, secret},
		{"plain:refs/notes/x", stopsAll, secret},
		{"plain:refs/remotes/x/y", stopsAll, secret},
		{"plain:refs/plans/x", stopsAll, secret},
		{"talk:refs/plans/x", stopsAll, secret},
		{"plain^{tree}:refs/tags/x", stopsAll, "it names no commit"},
		{"files", stopsAll, "it names no commit"},
		{"single", stopsAll, "it names no commit"},
		{"nul", stopsAll, secret},
		{"little", stopsAll, secret},
		{"big", stopsAll, secret},
		{"binary", stopsAll, secret},
		{"line", stopsAll, secret},
		{"large", stopsAll, secret},
		{"author", stopsAll, secret},
		{"mail", stopsAll, secret},
		{"message", stopsAll, secret},
		{"hidden", stopsAll, secret},
		{"name", stopsAll, secret},
		{"undone", stopsAll, secret},
		{"bad", stopsAll, secret},
		{"main:refs/heads/" + token(), stopsAll, secret},
		{"main:refs/tags/" + token(), stopsAll, secret},
		{"refs/plan-attempts/p/one/1", stopsAll, stays},
		{"feature:refs/plan-attempts/x", stopsAll, stays},
		{"main:copy refs/plan-attempts/p/one/1", stopsAll, stays},
		{"refs/plan-attempts/p/one/2:refs/mirror/p/one/2", stopsAll, stays},
		{"refs/plan-tasks/p:refs/backup/p", stopsAll, stays},
		{"--mirror", stopsAll, "refs/plan-attempts/p/one/1: "},
		{"--all", stopsAll, secret},
	}
}

// TestShapesOfPushes: which pushes pass and stop, by their content and ref names.
func TestShapesOfPushes(t *testing.T) {
	race.Skip(t)
	b := shaped(t)
	for _, row := range shapes() {
		for _, mode := range []string{"warn", "block"} {
			hooked.Git(t, b.Repo, "config", "plan.prePush", mode)
			d := b.push(t, row.args()...)
			all := strings.Join(d.Lines, "\n")
			if stop := row.ends == stopsAll || row.ends == blocks && mode == "block"; d.Stop != stop || stop && !strings.Contains(all, row.says) {
				t.Errorf("%s, %s: stops %v, want %v with %q:\n%s", row.push, mode, d.Stop, stop, row.says, all)
			}
			if row.ends == goesAll && (all != "" && (mode != "block" || row.says == "") || mode == "block" && !strings.Contains(all, row.says)) || strings.Contains(all, token()) {
				t.Errorf("%s, %s: says\n%s", row.push, mode, all)
			}
		}
	}
}

func TestKeptAttemptsStay(t *testing.T) {
	b := shaped(t)
	d := b.push(t, "origin", "refs/plan-attempts/p/one/1", "feature:x")
	hooked.Contains(t, strings.Join(d.Lines, "\n"), "git push --all and git push --tags leave it here; git push --no-verify sends it")
}

// With a configured base, a ref that had none can be reviewed and passes.
func TestPushPassesOnceABaseIsNamed(t *testing.T) {
	b := shaped(t)
	hooked.Git(t, b.Repo, "config", "plan.prePush", "block")
	hooked.Git(t, b.Repo, "switch", "--quiet", "orphan")
	hooked.Commit(t, b.Repo, "b.txt", "two\n", "Go on")
	stops(t, b.push(t, "origin", "orphan"), "orphan: it has no base to compare it with, so no review has passed it, and plan.prePush is block: git config plan.base REF, then git plan review; or, if you answer for it: git -c plan.prePush=warn push")
	hooked.Git(t, b.Repo, "config", "plan.base", hooked.Git(t, b.Repo, "rev-parse", "orphan~1"))
	stops(t, b.push(t, "origin", "orphan"), "orphan: no review has passed these commits, and plan.prePush is block: git plan review")
	b.verdictFrom(t, "orphan~1", "orphan")
	goes(t, b.push(t, "origin", "orphan"))
}

// A file that declares where history ends lets no additional push pass.
func TestForgedShallowFileHidesNothing(t *testing.T) {
	b := shaped(t)
	hooked.Git(t, b.Repo, "config", "plan.prePush", "block")
	hooked.Write(t, filepath.Join(b.Repo, ".git", "shallow"), hooked.Git(t, b.Repo, "rev-parse", "feature")+"\n"+hooked.Git(t, b.Repo, "rev-parse", "plain")+"\n", 0o644)
	for _, branch := range []string{"feature", "plain"} {
		if d := b.push(t, "origin", branch); !d.Stop {
			t.Errorf("%s passes: %v", branch, d.Lines)
		}
	}
}
