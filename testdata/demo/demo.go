// Package demo has the material of git plan demo: a small Go project, a goal for it, and the recording of
// every session on the way to a reviewed branch. The project's files have names that the go command does not
// recognise (go.mod.txt), since a folder with a go.mod cannot be embedded.
//
// The planner writes a plan of four steps; the second fails its check once; the third leaves a mistake that a
// reviewer finds, the verifier confirms and the fixer fixes; the second round has no findings. demo_test.go
// checks that.
package demo

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Goal is the goal of the recording. The recorded planner refuses any other.
const Goal = "warn when a category is over its monthly budget"

//go:embed all:project
var project embed.FS

//go:embed recording.json
var recording []byte

// WriteProject writes the project's files, without a repository, below dir.
func WriteProject(dir string) error {
	return fs.WalkDir(project, "project", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := project.ReadFile(path)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path, "project/"), ".txt")
		target := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, content, 0o644)
	})
}

// WriteRecording writes the recording to a file, for planAgent.<name>.recording, with a pause before each answer.
func WriteRecording(file string, pause time.Duration) error {
	paced := fmt.Sprintf(`{"pause": %d, "lanes":`, pause.Milliseconds())
	return os.WriteFile(file, bytes.Replace(recording, []byte(`{"lanes":`), []byte(paced), 1), 0o644)
}
