package integrity

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNamedFiles(t *testing.T) {
	for command, want := range map[string][]string{
		"./tools/clean.sh":                      {"/r/tools/clean.sh"},
		"sh 'tools/a b' %f":                     {"/r/sh", "/r/tools/a", "/r/b", "/r/%f"},
		"!/r/tools/helper get":                  {"/r/tools/helper", "/r/get"},
		"$(git rev-parse --show-toplevel)/x.py": {"/r/git", "/r/rev-parse", "/r/--show-toplevel", "/r/x.py"},
		`"$PWD/tools/x.py"`:                     {"/r/tools/x.py"},
		"../elsewhere.sh":                       nil,
	} {
		if diff := cmp.Diff(want, NamedFiles(command, "/r")); diff != "" {
			t.Errorf("%s: -want +got\n%s", command, diff)
		}
	}
}
