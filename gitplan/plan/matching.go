package plan

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// fewAlternatives reports whether the braces of a pattern stand for few enough texts to try
// them all: {a,b} thirty times over stands for a billion.
func fewAlternatives(pattern string) bool {
	const braces, texts = 4, 256
	all, here := 1, 1
	for _, c := range []byte(pattern) {
		switch c {
		case '{':
			all, here = all*here, 1
		case ',':
			here++
		}
		if all*here > texts {
			return false
		}
	}
	return strings.Count(pattern, "{") <= braces
}

// MatchesAny reports whether a path matches one of the patterns, or is below one.
func MatchesAny(patterns []string, path string) bool {
	for _, p := range patterns {
		p = strings.TrimSuffix(strings.TrimPrefix(p, "./"), "/")
		if path == p || strings.HasPrefix(path, p+"/") {
			return true
		}
		if !fewAlternatives(p) {
			continue
		}
		if ok, _ := doublestar.Match(p, path); ok {
			return true
		}
	}
	return false
}

// Literals are the names of files that are no patterns.
func Literals(files []string) (out []string) {
	for _, f := range files {
		if !strings.ContainsAny(f, "*?[{") {
			out = append(out, path.Clean(f))
		}
	}
	return out
}
