package git

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// confinedIn is the variable by which filters learn the bounds of their sandbox.
const confinedIn = "GIT_PLAN_FILTERS"

// Filter is a configured command that git passes the contents of files through:
// filter.NAME.clean, smudge or process, or merge.NAME.driver.
type Filter struct{ Key, Command string }

// ConfineFilters makes later gits of r, except those that run the person's hooks, run some
// filters in a sandbox: by program, which is this one, within the bounds that spec describes.
// git then fails if such a filter fails, instead of using its input unfiltered, which may be
// what should have been encrypted.
func (r *Repo) ConfineFilters(config *Config, program, spec string, filters []Filter) {
	for _, f := range filters {
		dot := strings.LastIndexByte(f.Key, '.')
		name, variable := f.Key[:dot], f.Key[dot+1:]
		if strings.HasPrefix(strings.ToLower(name), "filter.") {
			r.filters = append(r.filters, name+".required", "true")
			for _, other := range []string{".clean", ".smudge"} { // a required filter needs both
				if v, _ := config.Get(name + other); v == "" {
					r.filters = append(r.filters, name+other, "cat")
				}
			}
		}
		r.filters = append(r.filters, f.Key, confinedCommand(program, f.Command, placeholders[variable]))
	}
	r.confined = []string{confinedIn + "=" + spec}
}

// placeholders lists the letters that git replaces in such a command, by its variable.
var placeholders = map[string]string{"clean": "f", "smudge": "f", "driver": "OABLP", "process": ""}

// confinedCommand returns a command line that runs another one in the sandbox. What git
// replaces in it becomes an argument, since within the quotes it could become another command.
func confinedCommand(program, command, letters string) string {
	var args []string
	if letters != "" {
		command = regexp.MustCompile("%[%"+letters+"]").ReplaceAllStringFunc(command, func(at string) string {
			if at == "%%" {
				return "%"
			}
			args = append(args, at)
			return fmt.Sprintf(`"${%d}"`, len(args))
		})
		command, program = strings.ReplaceAll(command, "%", "%%"), strings.ReplaceAll(program, "%", "%%")
	}
	return strings.Join(append([]string{fmt.Sprintf(`%s="$%s"`, proc.ConfinedVariable, confinedIn), quotedForShell(program),
		"sh -c", quotedForShell(command), "sh"}, args...), " ")
}

func quotedForShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
