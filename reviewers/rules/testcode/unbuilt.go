package testcode

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

// Unbuilt says why a file of Go tests, which was at one path and is at another, is no longer
// built when the checks run. fixture says that it is one now.
func Unbuilt(checks []string, was, is string, fixture bool, old, now []byte) (found Found, ok bool) {
	context := build.Context{
		GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Compiler: "gc", CgoEnabled: true, ReleaseTags: build.Default.ReleaseTags,
		JoinPath: path.Join,
	}
	for _, check := range checks {
		if m := tagsGiven.FindStringSubmatch(check); m != nil {
			context.BuildTags = append(context.BuildTags, strings.Split(m[1], ",")...)
		}
	}
	matches := func(p string, text []byte) bool {
		context.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
		ok, err := context.MatchFile(".", path.Base(p))
		return ok || err != nil // what cannot be read fails the build
	}
	switch {
	case !Built(was) || !matches(was, old):
		return found, false
	case !strings.HasSuffix(is, "_test.go"):
		if !fixture {
			return found, false // test-deleted says so
		}
		fallthrough
	case !Built(is):
		return Found{Title: "a test file is where, or has a name by which, no test is looked for"}, true
	case !matches(path.Base(is), old): // by its name alone
		return Found{Title: "a test file has the name of another system now"}, true
	case !matches(is, now):
		context.BuildTags = append(context.BuildTags, "ignore")
		if matches(is, now) {
			return ignoring(now), true
		}
		return Found{Title: "a test file has a build constraint now, and is not built"}, true
	}
	return found, false
}

// ignoring is about a file that got the constraint which by custom no build meets:
// programs that are run by name have it, but no test.
func ignoring(now []byte) Found {
	h := Found{Never: true, Title: "a test file has a build constraint that no build meets"}
	n := 0
	for l := range strings.Lines(string(now)) {
		if n++; strings.HasPrefix(l, "//") && strings.Contains(l, "build") && strings.Contains(l, "ignore") {
			h.Line, h.Quote = n, strings.TrimRight(l, "\r\n")
			break
		}
	}
	return h
}

// Built reports whether `go test ./...` looks at a path at all.
func Built(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".") || part == "testdata" || part == "vendor" {
			return false
		}
	}
	return true
}
