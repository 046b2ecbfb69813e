package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Class is the kind of a file, by its path alone, since a branch could write any header or attribute into its files.
type Class string

const (
	Source    Class = "source"
	Test      Class = "test"
	Docs      Class = "docs"
	CI        Class = "ci"
	Config    Class = "config"
	Lock      Class = "lock"
	Generated Class = "generated"
	Vendored  Class = "vendored"
	Other     Class = "other"
)

var (
	vendoredPath  = visible.NewPattern(`(?:^|/)(?:vendor|node_modules|third_party|bower_components|Godeps|Pods|Carthage/Checkouts)/`)
	generatedPath = visible.NewPattern(`(?i)(?:\.pb(?:\.gw)?\.go|_grpc\.pb\.go|\.pb\.(?:cc|h)|` +
		`_pb2(?:_grpc)?\.pyi?|_pb\.(?:js|d\.ts)|\.g\.dart|\.freezed\.dart|\.min\.(?:js|css)|\.bundle\.js|` +
		`\.(?:js|css)\.map|\.designer\.cs|[._]gen(?:erated)?\.(?:go|ts|js|rs|cs)|(?:^|` +
		`/)zz_generated\.[^/]*\.go|\.snap)$`)
	ciPath = visible.NewPattern(`(?i)^(?:\.github/(?:workflows|actions)/|\.circleci/|\.buildkite/|` +
		`\.gitlab-ci\.ya?ml$|\.travis\.ya?ml$|azure-pipelines[^/]*\.ya?ml$|jenkinsfile|` +
		`bitbucket-pipelines\.ya?ml$|\.drone\.ya?ml$|appveyor\.ya?ml$|\.ci/)`)
	testFolder    = visible.NewPattern(`(?:^|/)(?:tests?|__tests__|spec|specs|e2e)/`)
	fixtureFolder = visible.NewPattern(`(?i)(?:^|/)(?:testdata|fixtures?|__fixtures__|__snapshots__|cassettes|mocks?)/`)
)

// testName matches the names of test files in any folder, without ambiguous ones: check_*.c may be a monitor's probe.
var testName = visible.NewPattern(`_test\.(?:go|exs|dart)$|` +
	// test.c; elsewhere commands/test.ts is what runs them
	`(?:^|/)tests?\.(?:c|cc|cpp|cxx|pl|sh|bash)$|(?:^|/)tests\.(?:py|rs)$|^tests?\.[cm]?[jt]sx?$|` +
	`(?:^|/)test[_-][^/]*\.(?:c|cc|cpp|cxx|py|rb|pl|lua|ml|jl|sh|bash)$|` + // test_words.c
	`[_-](?:unit)?test\.(?:c|cc|cpp|cxx|py|rb|rs|pl|lua|sh|bash|[cm]?[jt]sx?|clj[cs]?)$|` + // words_test.c, words_unittest.cc
	`[_-](?:unit)?tests\.(?:c|cc|cpp|cxx|rs|erl)$|` + // words_tests.cpp; run-tests.sh only starts them
	`[.](?:test|spec|cy|e2e)\.[cm]?[jt]sx?$|_spec\.(?:rb|lua)$|` + // words.test.ts
	`(?:Test|Tests|TestCase|IT|Spec)\.(?:java|kt|scala|groovy|cs|swift|php)$|(?:Test|Tests|Spec)\.(?:c|cc|cpp|cxx|mm?|hs)$|` + // WordsTest.java
	`(?:^|/)Test[A-Z0-9][^/]*\.(?:java|kt|scala|groovy)$|` + // TestWords.java
	`\.(?:t|bats|phpt|Tests\.ps1)$|(?:^|/)t/(?:[^/]+/)*[^/]+\.sh$|` + // t/words.t, t/t0001-words.sh
	`_SUITE\.erl$|(?:^|/)tst_[^/]*\.(?:cpp|qml)$`)

const (
	lockNames = `package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lockb bun.lock go.sum
		go.work.sum Cargo.lock poetry.lock Pipfile.lock uv.lock pdm.lock composer.lock Gemfile.lock mix.lock
		pubspec.lock Podfile.lock packages.lock.json flake.lock deno.lock gradle.lockfile .terraform.lock.hcl
		Package.resolved`
	sourceExt = `go py rb rs js jsx ts tsx mjs cjs mts cts java kt kts scala groovy clj c h cc cpp cxx hpp hh m
		mm swift cs fs vb php pl pm lua dart ex exs erl hrl hs ml mli elm r jl sh bash zsh fish ps1 bat sql vue svelte
		astro html css scss sass less proto graphql tf hcl zig nim v sol nix mk cmake gradle`
	docsExt   = "md markdown mdx rst adoc asciidoc txt org tex pod 1 2 3 5 7 8"
	configExt = "json jsonc json5 yaml yml toml ini cfg conf properties xml env plist editorconfig"
)

// ClassOf returns the class of a path with slashes.
func ClassOf(p string) Class {
	base, ext := path.Base(p), Extension(p)
	switch {
	case isOneOf(base, lockNames):
		return Lock
	case vendoredPath().MatchString(p):
		return Vendored
	case generatedPath().MatchString(p):
		return Generated
	case ciPath().MatchString(p):
		return CI
	case IsTest(p):
		return Test
	case isOneOf(ext, docsExt):
		return Docs
	case isOneOf(ext, sourceExt) || base == "Makefile" || base == "Dockerfile":
		return Source
	case isOneOf(ext, configExt):
		return Config
	}
	return Other
}

// IsTest reports whether a path is a test by its name, or source code in a folder of tests.
func IsTest(p string) bool {
	if fixtureFolder().MatchString(p) || vendoredPath().MatchString(p) {
		return false
	}
	return testName().MatchString(p) || testFolder().MatchString(p) && isOneOf(Extension(p), sourceExt)
}

// ForTests reports whether a path is a test or belongs to tests.
func ForTests(p string) bool {
	return IsTest(p) || testFolder().MatchString(p) || fixtureFolder().MatchString(p)
}

// Extension returns the extension of a path in lower case, without the dot.
func Extension(p string) string { return strings.TrimPrefix(strings.ToLower(path.Ext(p)), ".") }

// Drift returns the changed paths, sorted, that match none of files, except lock files and tests of named files.
func Drift(d *git.Diff, files []string) []string {
	return slices.DeleteFunc(Outside(d, files), func(p string) bool { return ClassOf(p) == Lock })
}

// Outside returns the changed paths, sorted, that match none of files, except tests of named files.
func Outside(d *git.Diff, files []string) []string {
	var out []string
	for _, f := range d.Files {
		for _, p := range slices.Compact([]string{f.OldPath, f.Path}) {
			if p == "" || p == f.OldPath && f.Status == 'C' {
				continue
			}
			tested := path.Join(path.Dir(p), subjectOf(p)+path.Ext(p)) // store/user.go by store/user_test.go
			if !plan.MatchesAny(files, p) && !(IsTest(p) && plan.MatchesAny(files, tested)) {
				out = append(out, p)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
