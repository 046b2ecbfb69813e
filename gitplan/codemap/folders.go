package codemap

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// folders lists the folders of files, as deep as there is room for, and the files at the top. It
// counts nothing, so that it stays as it is while steps add files.
func folders(files []string, room int) string {
	var at []string // the files at the top
	depth := 0
	below := map[string]bool{}
	for _, f := range files {
		dir := path.Dir(f)
		if dir == "." {
			at = append(at, visible.OneLine(f, maxName))
			continue
		}
		for ; dir != "." && !below[dir]; dir = path.Dir(dir) {
			below[dir], depth = true, max(depth, 1+strings.Count(dir, "/"))
		}
	}
	for ; depth > 0; depth-- {
		var lines []string
		for dir := range below {
			if strings.Count(dir, "/") < depth {
				lines = append(lines, visible.OneLine(dir, maxName)+"/")
			}
		}
		slices.Sort(lines)
		if text := strings.Join(append(lines, at...), "\n"); size(text) <= room {
			return text
		}
		if text := strings.Join(lines, "\n"); size(text) <= room {
			return text
		}
	}
	if text := strings.Join(at, "\n"); size(text) <= room {
		return text
	}
	return fmt.Sprintf("(%d files in %d folders: too many to list)", len(files), len(below))
}
