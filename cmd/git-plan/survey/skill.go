package survey

import (
	"context"
	_ "embed" // for SKILL.md
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/doctor"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Skill teaches a person's own agent to work on a plan: agentskills.io.
//
//go:embed SKILL.md
var Skill string

// skillName is the skill's file below a folder of skills.
const skillName = "git-plan/SKILL.md"

// skillFolders are where agents look for skills of their person.
func skillFolders() (claude, others string) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", ""
	}
	return filepath.Join(home, ".claude", "skills"), filepath.Join(home, ".agents", "skills")
}

// missingSkill proposes to write the skill for those agents here that lack it.
func missingSkill(found []settings.Candidate) (out []Proposal) {
	claude, others := skillFolders()
	reads := func(name string, want bool) bool {
		return slices.ContainsFunc(found, func(a settings.Candidate) bool { return a.Name != "openai" && (a.Name == name) == want })
	}
	for folder, used := range map[string]bool{claude: reads("claude", true), others: reads("claude", false)} {
		file := filepath.Join(folder, filepath.FromSlash(skillName))
		if _, err := os.Lstat(file); folder == "" || !used || err == nil {
			continue
		}
		command := "mkdir -p " + visible.Shell(filepath.Dir(file)) + " && git plan skill >" + visible.Shell(file)
		out = append(out, Proposal{"your own agent can do steps, too, if it knows how", command, func(context.Context) error {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return err
			}
			f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
			if err != nil {
				return err
			}
			_, err = f.WriteString(Skill)
			return errors.Join(err, f.Close())
		}})
	}
	slices.SortFunc(out, func(a, b Proposal) int { return len(a.Command) - len(b.Command) })
	return out
}

// examineSkill reports where the skill is, and whether it is that of this program.
func examineSkill(co *checkout.Checkout) (out []doctor.Symptom) {
	claude, others := skillFolders()
	folders := []string{claude, others}
	if co.Repo.Top != "" {
		folders = append(folders, filepath.Join(co.Repo.Top, ".claude", "skills"), filepath.Join(co.Repo.Top, ".agents", "skills"))
	}
	for _, folder := range folders {
		file := filepath.Join(folder, filepath.FromSlash(skillName))
		text, err := os.ReadFile(file)
		switch {
		case folder == "" || err != nil:
		case string(text) == Skill:
			out = append(out, doctor.Symptom{About: "skill", Found: doctor.Fine, Text: file})
		default:
			out = append(out, doctor.Symptom{About: "skill", Found: doctor.Unused, Text: file + " is not that of this version", Fix: "git plan skill >" + visible.Shell(file)})
		}
	}
	return out
}
