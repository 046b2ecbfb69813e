package proc

import (
	"path/filepath"
	"strings"
)

// Within reports whether path is dir or lies below it. Both are clean.
func Within(dir, path string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+string(filepath.Separator))
}
