package codemap

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// What is read for the files near a step at most.
const (
	maxRead      = 300     // files
	maxReadBytes = 4 << 20 // of all of them
	maxDeclared  = 14      // names that are listed of a file
)

// near lists files that a step is likely to meet, each with what it declares, in at most room
// bytes: first those beside the files that it names, then those whose name or folder its words
// name. What is shown elsewhere is left out.
func near(root *os.Root, files []string, step Step, shown func(string) bool, room int) string {
	found := ranked(files, step)
	var b strings.Builder
	read, folder, left := 0, "", 0
	for n, f := range found {
		if shown(f) {
			continue
		}
		names := ""
		if n < maxRead && read < maxReadBytes && declares(f) {
			if text, err := readText(root, f); err == nil {
				read += len(text)
				names = listed(declared(f, text))
			}
		}
		line := "  " + visible.OneLine(path.Base(f), maxName) + names
		if dir := path.Dir(f); dir != folder {
			line = visible.OneLine(dir, maxName) + "/\n" + line
		}
		if size(b.String()+line)+len("\n(and 100000 more files)") > room {
			left++
			continue
		}
		folder = path.Dir(f)
		b.WriteString(line + "\n")
	}
	if left > 0 && b.Len() > 0 {
		fmt.Fprintf(&b, "(and %d more files)\n", left)
	}
	return b.String()
}

// listed returns names as the end of a file's line.
func listed(names []string) string {
	if len(names) == 0 {
		return ""
	}
	more := ""
	if n := len(names) - maxDeclared; n > 0 {
		names, more = names[:maxDeclared], fmt.Sprintf(" and %d more", n)
	}
	return ": " + strings.Join(names, ", ") + more
}

var word = regexp.MustCompile(`[\pL\pN_]{3,}`)

// ranked returns the files near a step, nearest first; of equally near ones those that declare
// something before others, and those of one folder together.
func ranked(files []string, step Step) (found []string) {
	beside, words := map[string]bool{}, map[string]bool{}
	for _, glob := range step.Globs {
		fixed, _, isGlob := strings.Cut(strings.NewReplacer("?", "*", "[", "*", "{", "*").Replace(glob), "*")
		if isGlob && !strings.Contains(fixed, "/") {
			continue // it may be anywhere
		}
		beside[path.Dir(path.Clean(fixed+"x"))] = true
	}
	for _, w := range word.FindAllString(strings.ToLower(step.Words), 2000) {
		words[w] = true
	}
	rank := map[string]int{}
	for _, f := range files {
		dir, base := path.Dir(f), strings.ToLower(path.Base(f))
		stem, _, _ := strings.Cut(base, ".")
		n := 0
		if beside[dir] {
			n += 4
		}
		if words[stem] {
			n += 2
		}
		if words[strings.ToLower(path.Base(dir))] {
			n++
		}
		known := dir == "." && !declares(f) || !words[stem] && test.MatchString(base) // at the top, or as what it tests
		if n > 0 && !known {
			if n *= 2; declares(f) {
				n++
			}
			rank[f], found = n, append(found, f)
		}
	}
	slices.SortFunc(found, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank[b], rank[a]), cmp.Compare(path.Dir(a), path.Dir(b)), cmp.Compare(a, b))
	})
	return found
}
