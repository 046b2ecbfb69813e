package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
)

// Drift returns the changed paths, sorted, that none of files names, and that do not follow from the work.
func Drift(d *git.Diff, files []string) []string {
	return slices.DeleteFunc(Outside(d, files), func(p string) bool { return ClassOf(p) == Lock })
}

// Outside returns the changed paths, sorted, that none of files names, except tests of named files.
func Outside(d *git.Diff, files []string) []string {
	var out []string
	for _, f := range d.Files {
		for _, p := range slices.Compact([]string{f.OldPath, f.Path}) {
			if p == "" || p == f.OldPath && f.Status == 'C' {
				continue
			}
			tested := path.Join(path.Dir(p), subjectOf(p)+path.Ext(p)) // store/user.go by store/user_test.go
			if !Names(files, p) && !(IsTest(p) && Names(files, tested)) {
				out = append(out, p)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Names reports whether one of files (paths, folders or globs) names the path.
func Names(files []string, p string) bool {
	return slices.ContainsFunc(files, func(f string) bool {
		f = strings.TrimPrefix(path.Clean(strings.Trim(f, "` ")), "/")
		ok, err := disk.Match(f, p)
		return f == "." || f == p || strings.HasPrefix(p, f+"/") || ok && err == nil
	})
}
