#!/bin/sh
# An agent that really edits files: it is the planAgent.<name>.command of
# `real.sh`. It reads the prompt on standard input only to see whether the step
# failed together with commits of others.
set -eu
together=$(grep -c 'others committed on the branch\|redeclared' || true)
cd diffmatchpatch

edit() { # edit FILE SED-PROGRAM
	sed "$2" "$1" >"$1.new" && mv "$1.new" "$1"
}

done_() { printf '{"status":"done","summary":"%s"}' "$1" >"$GIT_PLAN_RESULT"; }

case $GIT_PLAN_STEP-$GIT_PLAN_ATTEMPT in
builder-1)
	# A mistake: the first session takes the wrong side, which the module's tests detect.
	edit diff.go '/^func (dmp \*DiffMatchPatch) DiffText[12]/,/^}/s/bytes\.Buffer/strings.Builder/'
	edit diff.go '/DiffText1(diffs/,/^}/s/!= DiffInsert/!= DiffDelete/'
	done_ 'strings.Builder in both' ;;
builder-*)
	edit diff.go '/DiffText1(diffs/,/^}/s/!= DiffDelete/!= DiffInsert/'
	done_ 'DiffText1 leaves out insertions again' ;;
similarity-*)
	cat >similarity.go <<'GO'
package diffmatchpatch

import "unicode/utf8"

// DiffSimilarity is the share of characters that are equal on both sides, from
// 0 to 1. Two empty texts are equal.
func (dmp *DiffMatchPatch) DiffSimilarity(diffs []Diff) float64 {
	equal, longer := 0, [2]int{}
	for _, d := range diffs {
		n := utf8.RuneCountInString(d.Text)
		if d.Type != DiffInsert {
			longer[0] += n
		}
		if d.Type != DiffDelete {
			longer[1] += n
		}
		if d.Type == DiffEqual {
			equal += n
		}
	}
	total := max(longer[0], longer[1])
	if total == 0 {
		return 1
	}
	return float64(equal) / float64(total)
}
GO
	cat >similarity_test.go <<'GO'
package diffmatchpatch

import "testing"

func TestDiffSimilarity(t *testing.T) {
	dmp := New()
	for _, c := range []struct {
		a, b string
		want float64
	}{{"", "", 1}, {"abcd", "abcd", 1}, {"abcd", "", 0}, {"ab\u00fcd", "ab\u00fcx", 0.75}} {
		if got := dmp.DiffSimilarity(dmp.DiffMain(c.a, c.b, false)); got != c.want {
			t.Errorf("%q and %q: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
GO
	done_ 'DiffSimilarity counts characters, not bytes' ;;
text1-* | text2-*)
	edit diff.go "/^func (dmp \*DiffMatchPatch) DiffT${GIT_PLAN_STEP#t}(/,/^}/s/bytes\.Buffer/strings.Builder/" ;
	done_ 'a strings.Builder' ;;
patch-*)
	edit patch.go '/) PatchToText(/,/^}/s/bytes\.Buffer/strings.Builder/'
	done_ 'a strings.Builder' ;;
inserted-* | deleted-*)
	# Both give their helper the same name, which compiles alone and not together.
	case $GIT_PLAN_STEP in inserted) name=DiffInserted kind=DiffInsert ;; *) name=DiffDeleted kind=DiffDelete ;; esac
	helper=characters
	[ "$together" = 0 ] || helper=${GIT_PLAN_STEP}Characters
	cat >"$GIT_PLAN_STEP.go" <<GO
package diffmatchpatch

import "unicode/utf8"

// $name counts the characters that are $GIT_PLAN_STEP.
func (dmp *DiffMatchPatch) $name(diffs []Diff) int { return $helper(diffs, $kind) }

func $helper(diffs []Diff, kind Operation) (n int) {
	for _, d := range diffs {
		if d.Type == kind {
			n += utf8.RuneCountInString(d.Text)
		}
	}
	return n
}
GO
	done_ 'characters, not bytes' ;;
rename-*)
	for f in *.go; do
		edit "$f" 's/\([^A-Za-z.]\)\(min\|max\)(/\1\2Int(/g'
	done
	done_ 'minInt and maxInt in all files' ;;
*)
	exit 1 ;;
esac
