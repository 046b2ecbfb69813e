package rules

import (
	"bytes"
	"go/build"
	"io"
	"path"
	"runtime"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

var tagsGiven = pattern.Of(`-tags[= ]['"]?([\w.,]+)`)

// unbuilt says why a file of Go tests is not built any more when the checks run.
func unbuilt(c *Change, f *subject, old, now []byte) string {
	context := build.Context{
		GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Compiler: "gc", CgoEnabled: true, ReleaseTags: build.Default.ReleaseTags,
		JoinPath: path.Join,
	}
	for _, check := range c.Checks {
		if m := tagsGiven.FindStringSubmatch(check); m != nil {
			context.BuildTags = append(context.BuildTags, strings.Split(m[1], ",")...)
		}
	}
	matches := func(p string, text []byte) bool {
		context.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
		ok, err := context.MatchFile(".", path.Base(p))
		return ok || err != nil // what cannot be read is told by the build
	}
	switch is, was := f.Path, f.OldPath; {
	case !built(was) || !matches(was, old):
		return ""
	case !strings.HasSuffix(is, "_test.go"):
		if !f.fixture {
			return "" // test-deleted says so
		}
		fallthrough
	case !built(is):
		return "a test file is where, or has a name by which, no test is looked for"
	case !matches(path.Base(is), old): // by its name alone
		return "a test file has the name of another system now"
	case !matches(is, now):
		return "a test file has a build constraint now, and is not built"
	}
	return ""
}

// built reports whether `go test ./...` looks at a path at all.
func built(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".") || part == "testdata" || part == "vendor" {
			return false
		}
	}
	return true
}
