//go:build linux

package proc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A link that a program could have created grants nothing: its target becomes neither readable nor writable.
func TestLinksOfProgramsGrantNothing(t *testing.T) {
	for _, k := range kinds(t) {
		dir, rules := house(t, k)
		in := func(p string) string { return filepath.Join(dir, p) }
		rules.Hidden = []string{in("home")}
		rules.Writable = []string{in("tree"), in("tree/cache")}
		rules.ReadOnly = []string{in("tree/.git"), in("tree/settings")}
		rules.Readable = []string{in("tree/tools")}
		for _, name := range []string{"cache", "settings", "tools"} {
			if err := os.Symlink("../home/.ssh", in("tree/"+name)); err != nil {
				t.Fatal(err)
			}
		}
		for _, line := range []string{"cat cache/id", "cat settings/id", "cat tools/id", "echo mine >cache/id", "cat ../home/.ssh/id"} {
			if may, said := confined(t, dir, rules, line); may || strings.Contains(said, "SECRET") {
				t.Errorf("%s: %q may: %s", k, line, said)
			}
		}
		rules.Readable = append(rules.Readable, in("home/keys")) // a link of the person's
		if may, said := confined(t, dir, rules, "cat ../home/.ssh/id && cat ../home/keys/id && ! cat ../home/.netrc"); !may {
			t.Errorf("%s: what is named cannot be read: %s", k, said)
		}
	}
}
