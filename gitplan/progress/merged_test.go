package progress_test

import "testing"

// does is a commit of everything that does a step; file writes one line for each word.
const doingSteps = `
does() { git add -A; git commit -qm "Step $1" -m "Plan-Step: p/s$1"; git rev-parse HEAD | sed "s/^/did s$1 /"; }
says() { git add -A; git commit -qm "$1"; }
file() { f=$1; shift; mkdir -p $(dirname $f); for w; do echo $w; done >$f; }
joins() { git merge -q --no-commit "$@" >/dev/null 2>&1 || :; }
`

// A merge says nothing of steps. What it left of their work decides: dropped, it is done
// no more; and what others changed later, moved or wrote otherwise is done still.
func TestAMergeThatDropsTheWorkOfAStepReopensIt(t *testing.T) {
	const side = "file a one two three; says begin; git switch -qc side; "
	for _, c := range []struct{ name, script, want string }{
		{"the strategy ours", side + `file b x y; does 1; git switch -q work; git merge -qs ours --no-edit side`, ""},
		{"the strategy ours of three", side + `file b x y; does 1; git switch -qc more; file c x; does 2; git switch -q work; git merge -qs ours --no-edit side more`, ""},
		{"ours, against a line that took it back", `file a x; does 1; git switch -qc side; git revert --no-edit HEAD; git switch -q work; file b y; says b; git merge -qs ours --no-edit side`, " s1"},
		{"our side of a conflict", side + `file a one 2 three; does 1; git switch -q work; file a one zwei three; says a; git merge -qX ours --no-edit side`, ""},
		{"their side of a conflict", side + `file a one 2 three; says a; git switch -q work; file a one zwei three; does 1; git merge -qX theirs --no-edit side`, ""},
		{"a conflict joined in a line of its own", side + `file a one 2 three; does 1; git switch -q work; file a one zwei three; says a; joins side; file a one 2+zwei three; says merge`, " s1"},
		{"a line taken out by hand", side + `file a one two three four; does 1; git switch -q work; file a zero one two three; says a; joins side; file a zero one two three; says merge`, ""},
		{"a line of two steps taken out by hand", side + `file a one two three four; does 1; file a one two three four five; does 2; git switch -q work; file a zero one two three; says a; joins side; file a zero one two three five; says merge`, " s2"},
		{"a file taken out by hand", side + `file b x y; does 1; git switch -q work; file c x; says c; joins side; rm b; says merge`, ""},
		{"a file of both sides taken out by hand", side + `git switch -q work; file b x y; does 1; git switch -q side; git merge -q work; file c x; says c; git switch -q work; file d x; says d; joins side; rm b; says merge`, ""},
		{"one file of two", side + `file b x y; file c z; does 1; git switch -q work; file d x; says c; joins side; rm b; says merge`, " s1"},
		{"a deletion that came back", `file b x y; says b; git switch -qc side; git rm -q b; does 1; git switch -q work; file c x; says c; git merge -qs ours --no-edit side`, ""},
		{"renamed by the other side", `file a one two three four five six; says a; git switch -qc side; file a one two three four five six seven; does 1; git switch -q work; git mv a b; says b; git merge -q --no-edit side`, " s1"},
		{"a folder renamed by the other side", `file d/a one two three; file d/b x; says a; git switch -qc side; file d/c u v w; does 1; git switch -q work; git mv d e; says e; git config merge.directoryRenames true; git merge -q --no-edit side`, " s1"},
		{"changed later on its own line", side + `file a one 2 three; does 1; file a uno due tre; says more; git switch -q work; file b x; says b; git merge -q --no-edit side`, " s1"},
		{"changed back on its own line", side + `file a one 2 three; does 1; file a one two three; says "not that"; git switch -q work; file a one two three four; says a; git merge -q --no-edit side`, " s1"},
		{"changed later on the other line", side + `git switch -q work; file a one 2 three; does 1; git switch -q side; git merge -q work; file a one two three; says "not that"; git switch -q work; file b x; says b; git merge -q --no-edit side`, " s1"},
		{"the same by another commit, and more", side + `file a one 2 three; does 1; git switch -q work; file a one 2 three four; says "by hand"; git merge -q --no-edit side`, " s1"},
		{"dropped, and that reverted", side + `file b x y; does 1; git switch -q work; file c x; says c; git merge -qs ours --no-edit side; git revert --no-edit -m 2 HEAD`, " s1"},
		{"dropped, and done again", side + `file b x y; does 1; git switch -q work; git merge -qs ours --no-edit side; file b x y; does 1; filtered`, " s1"},
		{"dropped on a side", side + `git branch end; file b x y; does 1; git switch -q end; file d d; says d; git merge -qs ours --no-edit side; git switch -q work; file c x; says c; git merge -q --no-edit end; git merge -q --no-edit side`, ""},
		{"dropped, and squashed", side + `git branch end; file b x y; does 1; git switch -q end; file d d; says d; git merge -qs ours --no-edit side; git switch -q work; squash end`, ""},
		{"the copy of a merge that dropped it", side + `git branch end; file b x y; does 1; git switch -q end; file d d; says d; git merge -qs ours --no-edit side; git switch -q work; git merge -q side; git cherry-pick -m 2 end`, ""},
		{"the copy of a merge that brought it", side + `git branch end; file b x y; does 1; git switch -q end; file d d; says d; git merge -q --no-edit side; git switch -q work; git cherry-pick -m 1 end`, " s1"},
		{"in a merge that a rebase made again", side + `file b x y; does 1; git switch -q work; file c x; says c; joins side; git rm -qf b; says merge; git switch -q main; other a; git switch -q work; rebase --rebase-merges main`, " s1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPast(t)
			p.sh(doingSteps + c.script)
			if said, _ := p.derived("HEAD"); said != c.want {
				t.Errorf("done are%s, want%s\n%s", said, c.want, p.sh("git log --graph --format='%h %s%n%b' --raw -m HEAD"))
			}
		})
	}
}
