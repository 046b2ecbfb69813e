package codemap

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-plan/git-plan/gitplan/git"
)

// What is looked at in a commit at most: a repository that is larger is known by its upper part.
const (
	maxTrees = 4_000
	maxFiles = 100_000
	maxDepth = 40
	maxName  = 400 // bytes of a path; longer ones are left out
	maxWait  = 2 * time.Second
)

// tracked lists the files of a commit, sorted, those of upper folders first if there are too
// many. Links and submodules are left out, and names that are no text.
func tracked(ctx context.Context, r *git.Repo, head string) (files []string) {
	ctx, stop := context.WithTimeout(ctx, maxWait)
	defer stop()
	type folder struct{ name, oid string }
	level := []folder{{"", head + "^{tree}"}}
	trees := 0
	for depth := 0; len(level) > 0 && depth < maxDepth; depth++ {
		var below []folder
		for _, f := range level {
			o, err := r.Read(ctx, f.oid)
			if trees++; err != nil || o.Type != "tree" || trees > maxTrees || len(files) > maxFiles {
				continue
			}
			entries, _ := git.ParseTree(o.Data, r.Format)
			for _, e := range entries {
				switch name := f.name + e.Name; {
				case len(name) > maxName || !utf8.ValidString(name):
				case e.Mode == "40000" || e.Mode == "040000":
					below = append(below, folder{name + "/", e.OID})
				case strings.HasPrefix(e.Mode, "100"):
					files = append(files, name)
				}
			}
		}
		level = below
	}
	slices.Sort(files)
	return files
}
