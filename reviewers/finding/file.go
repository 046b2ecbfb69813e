package finding

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/git-plan/git-plan/gitplan/disk"
)

// TempFile writes findings to a file that a verifier or fixer can read, outside of any work
// tree.
func TempFile(findings []Finding) (file string, remove func(), err error) {
	dir, remove, err := disk.TempFolder("findings")
	if err != nil {
		return "", nil, err
	}
	data, err := json.MarshalIndent(findings, "", "  ")
	if err == nil {
		file = filepath.Join(dir, "findings.json")
		err = os.WriteFile(file, append(data, '\n'), 0o600)
	}
	if err != nil {
		remove()
		return "", nil, err
	}
	return file, remove, nil
}
