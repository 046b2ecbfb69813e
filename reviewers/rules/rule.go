package rules

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// Rule is something to look for. It is made for one change, so its functions may remember what they saw. They
// are optional, and called in this order: File for each file, Line for its lines, End once.
type Rule struct {
	Name     string
	Category string
	Severity string // of its hits, unless a hit says otherwise
	Blocks   bool   // its hits may block; else they only advise
	Guard    bool   // looked for after each step
	Gate     bool   // certain enough to stop a push
	Why      string

	// File judges a file by its names, modes and blobs; its hunks may be incomplete.
	File func(c *Change, f *File) []Hit
	// Wants chooses the files whose added lines Line sees; nil: all.
	Wants func(f *File) bool
	Line  func(p *Line) []Hit
	// Moves says that moved lines are not hits: Line sees removed lines, too.
	Moves bool
	// End judges the change as a whole. The files of c.Diff have no hunks then.
	End func(c *Change) []Hit
}

// Hit is one place that a rule found.
type Hit struct {
	Rule        string // set by the pass
	Category    string // set by the pass
	Severity    string // critical, high, medium or low; set by the pass if the rule leaves it open
	Path        string // empty for a hit about commits
	Line        int    // in the new version, from 1; 0 if the hit is about the whole file
	Quote       string // the line, or what may be shown of it
	Title       string // one line
	Why         string // set by the pass: the reason of the rule
	Key         string // separates hits whose quotes may be equal: never shown
	Ask         bool   // only a person can settle it, not a change of the code
	NonBlocking bool   // set by the pass: the rule does not block
	Explain     bool   // it fails a step unless its session gave a reason for changing the file

	Moved string // if a removed line holds this, the hit is nothing new
}

// String returns the hit in one line, safe to show.
func (h Hit) String() string {
	at := visible.OneLine(secret.Mask(h.Path), 200)
	switch {
	case h.Path == "":
		return visible.OneLine(h.Title, 200)
	case h.Line > 0:
		at += fmt.Sprintf(":%d", h.Line)
	}
	return at + ": " + visible.OneLine(h.Title, 200)
}

// MaxHits is how many hits of one rule are kept; more are counted.
const MaxHits = 1000

// File is a file, and what its path says about it.
type File struct {
	FileDiff *git.FileDiff
	Ext      string
	Class    Class
	Code     bool // program text
	Test     bool
	ForTests bool // a test, or what tests need
	Fixture  bool
}

func about(f *git.FileDiff) *File {
	s := &File{FileDiff: f, Ext: Extension(f.Path), Class: ClassOf(f.Path), Test: IsTest(f.Path),
		ForTests: ForTests(f.Path), Fixture: fixtureFolder.MatchString(f.Path)}
	s.Code = s.Class == Source || s.Class == Test || s.Class == CI
	return s
}

// IsNew reports whether the change creates the file, or moves it to its path.
func IsNew(f *git.FileDiff) bool { return f.Status == 'A' || f.Status == 'C' || f.Status == 'R' }

// Line is one line of a hunk, with the lines around it.
type Line struct {
	Change *Change
	File   *File
	Hunk   []git.DiffLine
	At     int
}

func (p *Line) This() *git.DiffLine { return &p.Hunk[p.At] }

func (p *Line) Text() string { return p.Hunk[p.At].Text }

// Hit returns a hit at this line, which is nothing new if the change removes the same line elsewhere.
func (p *Line) Hit(title string) []Hit {
	l := p.This()
	return []Hit{{Path: p.File.FileDiff.Path, Line: l.New, Quote: l.Text, Title: title, Moved: strings.TrimSpace(l.Text)}}
}

// Replaces reports whether the hunk removes a line with the same match: the line was only edited.
func (p *Line) Replaces(find func(string) string) bool {
	if p.This().Kind != '+' {
		return false
	}
	found := find(p.Text()) // "" for a form that find does not know
	return found != "" &&
		slices.ContainsFunc(p.Hunk, func(l git.DiffLine) bool { return l.Kind == '-' && find(l.Text) == found })
}

// All is the table of rules, made for one change.
func All() []Rule {
	return []Rule{
		conflictMarkers(), secrets(), credentialFiles(), credentialURLs(),
		testsDeleted(), testsLeftOut(), testsSkipped(), testsFocused(), testsEmptied(), testsRemoved(),
		fewer(AssertionsRemoved, "low", "assertion", func(*File) bool { return true }, asserts), assertionsWeakened(),
		checksAltered(), suppressions(), hiddenText(), elisions(),
		symlinksOutside(), embeddedRepositories(), automationChanged(),
		fixupCommits(),
	}
}

// Guard and Gate return the rules of the places that they serve, made for one change; a review has all.
func Guard() []Rule { return Those(func(r Rule) bool { return r.Guard }) }
func Gate() []Rule  { return Those(func(r Rule) bool { return r.Gate }) }

func Those(chosen func(Rule) bool) []Rule {
	return slices.DeleteFunc(All(), func(r Rule) bool { return !chosen(r) })
}

// Digest identifies the rules. Raise the number when one finds something else, so that what passed is judged again.
func Digest() string {
	s := "26"
	for _, r := range All() {
		s += " " + r.Name + ":" + r.Severity
		if !r.Blocks {
			s += "?"
		}
	}
	return s
}

// Change is what rules judge. Only Diff is required.
type Change struct {
	Diff    *git.Diff
	Commits []git.Commit // base..head, newest first
	Plan    *plan.Plan   // nil without a plan
	OfStep  bool         // what one session did, before its commit: a review sees it later, too
	// Read returns the bytes of the blob with this object name; if it is nil or fails, whole files are not judged.
	Read func(oid string) ([]byte, error)
	// Stream hands the bytes of a blob of any size to read; without it, binary and very large files are not judged.
	Stream func(oid string, read func(io.Reader) error) error
	// Paths lists all files of the new side; without it, only the files that changed are known.
	Paths func() ([]string, error)
	// Checks are the command lines that must pass, and Old reads a file of the old side; a folder exists there
	// without bytes. Without them check-altered reports nothing.
	Checks []string
	Old    func(path string) (data []byte, exists bool)
	// Measures are those of Checks whose own programs no step is meant to write, in any language.
	Measures []string
}

// Blob reads one side of a file; false if it does not exist or cannot be read.
func (c *Change) Blob(oid string) ([]byte, bool) {
	if c.Read == nil || !IsObject(oid) {
		return nil, false
	}
	data, err := c.Read(oid)
	return data, err == nil
}

// IsObject reports whether an object name is that of an object rather than the zeros that mean none.
func IsObject(oid string) bool { return strings.Trim(oid, "0") != "" }

// Class is the kind of a file, by its path alone: a branch could write any header or attribute into its own files.
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
	generatedPath = visible.NewPattern(`(?i)(?:\.pb(?:\.gw)?\.go|_grpc\.pb\.go|\.pb\.(?:cc|h)|_pb2(?:_grpc)?\.pyi?|_pb\.(?:js|d\.ts)|\.g\.dart|\.freezed\.dart|\.min\.(?:js|css)|\.bundle\.js|\.(?:js|css)\.map|\.designer\.cs|[._]gen(?:erated)?\.(?:go|ts|js|rs|cs)|(?:^|/)zz_generated\.[^/]*\.go|\.snap)$`)
	ciPath        = visible.NewPattern(`(?i)^(?:\.github/(?:workflows|actions)/|\.circleci/|\.buildkite/|\.gitlab-ci\.ya?ml$|\.travis\.ya?ml$|azure-pipelines[^/]*\.ya?ml$|jenkinsfile|bitbucket-pipelines\.ya?ml$|\.drone\.ya?ml$|appveyor\.ya?ml$|\.ci/)`)
	testFolder    = visible.NewPattern(`(?:^|/)(?:tests?|__tests__|spec|specs|e2e)/`)
	fixtureFolder = visible.NewPattern(`(?i)(?:^|/)(?:testdata|fixtures?|__fixtures__|__snapshots__|cassettes|mocks?)/`)
)

// testName matches files of tests in any folder. An ambiguous name (check_*.c is also a monitor's probe) is not here.
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
	lockNames = "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lockb bun.lock go.sum go.work.sum Cargo.lock poetry.lock Pipfile.lock uv.lock pdm.lock composer.lock Gemfile.lock mix.lock pubspec.lock Podfile.lock packages.lock.json flake.lock deno.lock gradle.lockfile .terraform.lock.hcl Package.resolved"
	sourceExt = "go py rb rs js jsx ts tsx mjs cjs mts cts java kt kts scala groovy clj c h cc cpp cxx hpp hh m mm swift cs fs vb php pl pm lua dart ex exs erl hrl hs ml mli elm r jl sh bash zsh fish ps1 bat sql vue svelte astro html css scss sass less proto graphql tf hcl zig nim v sol nix mk cmake gradle"
	docsExt   = "md markdown mdx rst adoc asciidoc txt org tex pod 1 2 3 5 7 8"
	configExt = "json jsonc json5 yaml yml toml ini cfg conf properties xml env plist editorconfig"
)

// ClassOf returns the class of a path with slashes.
func ClassOf(p string) Class {
	base, ext := path.Base(p), Extension(p)
	switch {
	case isOneOf(base, lockNames):
		return Lock
	case vendoredPath.MatchString(p):
		return Vendored
	case generatedPath.MatchString(p):
		return Generated
	case ciPath.MatchString(p):
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
	if fixtureFolder.MatchString(p) || vendoredPath.MatchString(p) {
		return false
	}
	return testName.MatchString(p) || testFolder.MatchString(p) && isOneOf(Extension(p), sourceExt)
}

// ForTests reports whether a path serves tests: a test or a fixture.
func ForTests(p string) bool {
	return IsTest(p) || testFolder.MatchString(p) || fixtureFolder.MatchString(p)
}

// Extension returns how a path ends, without the dot, in small letters.
func Extension(p string) string { return strings.TrimPrefix(strings.ToLower(path.Ext(p)), ".") }

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
			if !plan.MatchesAny(files, p) && !(IsTest(p) && plan.MatchesAny(files, tested)) {
				out = append(out, p)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
