package agent

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// tempFolder is a folder for a session's files outside the tree, of mode 0700. It is
// named after the session, so that it can be found after a crash.
func tempFolder(session string) (string, error) {
	return os.MkdirTemp("", tempPrefix(session))
}

func tempPrefix(session string) string {
	return "git-plan-" + strings.NewReplacer("/", "-", `\`, "-").Replace(session) + "-"
}

// RemoveTemp removes the folders of a session that was killed.
func RemoveTemp(session string) {
	if session == "" {
		return
	}
	found, _ := filepath.Glob(filepath.Join(os.TempDir(), tempPrefix(session)+"*"))
	for _, dir := range found {
		_ = proc.RemoveTree(dir)
	}
}
