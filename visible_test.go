package arch_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// listed is how a list of characters that are not safe to show begins.
var listed = regexp.MustCompile(`unicode\.(IsPrint|IsControl|IsGraphic|Cf|Cc|C|Co|Bidi_Control|Variation_Selector|Other_Default_Ignorable_Code_Point)\b|0x(7f|ad|200[b-f]|20[26][0-9a-f]|fe0[0-9a-f]|e00[0-9a-f]{2})\b|\\u(200[b-f]|20[26][0-9a-f]|00ad)|\\U000e`)

// elsewhere are the files with such a character for another reason.
var elsewhere = map[string]string{
	"gitplan/agent/tools/workspace.go": "the characters that HFS+ ignores in names",
	"reviewers/rules/tree.go":          "names of files that no Windows takes",
	"hooks/install/look.go":            "a path that can stand in a hook",
	"gitplan/markdown/unread.go":       "spaces that look like one and part nothing in Markdown",
	"gitplan/git/worktree/dotgit.go":   "what HFS+ leaves out of a name, as git's own list has it",
	"reviewers/secret/stream.go":       "bytes of a blob that a credential is written in",
}

// Only gitplan/visible knows what is safe to show: a second list is one that lets
// through what the first escapes.
func TestOneListOfHiddenCharacters(t *testing.T) {
	out, err := exec.Command("git", "ls-files", "-z", "*.go").Output()
	if err != nil {
		t.Skip("no git repository: ", err)
	}
	for _, name := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "gitplan/visible/") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			continue // removed, and not committed yet
		}
		found := listed.FindString(string(text))
		if _, ok := elsewhere[name]; ok == (found == "") {
			t.Errorf("%s: %q: what is safe to show is said by gitplan/visible alone (here %s)", name, found, elsewhere[name])
		}
	}
}
