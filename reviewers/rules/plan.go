package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
)

// unplannedDependencies finds manifests and lock files that changed although no step names them in Files or text.
func unplannedDependencies() Rule {
	return Rule{
		Name: "unplanned-dependency", Category: "plan", Severity: "medium", Confidence: Likely, Guard: true,
		Why: "What the project depends on changed, and no step of the plan says that it would.",
		End: func(c *Change) []Hit {
			if c.Plan == nil || len(c.Plan.Steps) == 0 {
				return nil
			}
			var hits []Hit
			for _, f := range c.Diff.Files {
				lock := manifests[path.Base(f.Path)] != ""
				if !lock && !isManifest(f.Path) || ForTests(f.Path) || vendoredPath.MatchString(f.Path) || announced(c.Plan, f.Path) {
					continue
				}
				if lock && slices.ContainsFunc(c.Diff.Files, func(o git.FileDiff) bool { return namesManifest(path.Base(f.Path), o.Path) }) {
					continue // the manifest beside it is the finding, or is announced
				}
				hits = append(hits, Hit{Path: f.Path, Title: "no step announces this change of what the project depends on", Key: f.Path})
			}
			return hits
		},
	}
}

// manifests names for each lock file the files that say what it locks.
var manifests = map[string]string{
	"package-lock.json": "package.json", "npm-shrinkwrap.json": "package.json", "yarn.lock": "package.json .yarnrc.yml",
	"pnpm-lock.yaml": "package.json pnpm-workspace.yaml", "bun.lock": "package.json", "bun.lockb": "package.json",
	"go.sum": "go.mod", "go.work.sum": "go.work go.mod", "Cargo.lock": "Cargo.toml", "poetry.lock": "pyproject.toml", "uv.lock": "pyproject.toml uv.toml",
	"pdm.lock": "pyproject.toml", "Pipfile.lock": "Pipfile", "composer.lock": "composer.json", "Gemfile.lock": "Gemfile gemspec",
	"mix.lock": "mix.exs", "pubspec.lock": "pubspec.yaml", "Podfile.lock": "Podfile", "flake.lock": "flake.nix",
}

func namesManifest(lock, p string) bool {
	base := path.Base(p)
	return slices.ContainsFunc(strings.Fields(manifests[lock]), func(m string) bool {
		return base == m || m == "gemspec" && Extension(p) == "gemspec"
	})
}

// isManifest reports whether a path names a file that says what a project depends on.
func isManifest(p string) bool {
	for lock := range manifests {
		if namesManifest(lock, p) {
			return true
		}
	}
	base := path.Base(p)
	return isOneOf(base, moreManifests) || strings.HasPrefix(base, "requirements") && Extension(p) == "txt"
}

// moreManifests say what a project depends on and have no lock file of their own.
const moreManifests = "pom.xml build.gradle build.gradle.kts settings.gradle setup.py setup.cfg deno.json Package.swift vcpkg.json conanfile.txt"

func announced(p *Plan, file string) bool {
	base := path.Base(file)
	return slices.ContainsFunc(p.Steps, func(s Step) bool {
		return Names(s.Files, file) || strings.Contains(s.Text, base) || firstIn(s.Text, strings.Fields(manifests[base])) != ""
	})
}

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
