package git

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// confinedIn is the variable in which filters find how they are confined.
const confinedIn = "GIT_PLAN_FILTERS"

// Filter is a command of the configuration through which git sends what it reads and
// writes: filter.NAME.clean, smudge or process, or merge.NAME.driver.
type Filter struct{ Key, Command string }

// ConfineFilters has the later gits of this value, which do not run the person's hooks,
// run some filters confined: by program, which is this one, as spec says. One that fails
// there may not pass its input on as it is, which may be what is to be encrypted.
func (r *Repo) ConfineFilters(config *Config, program, spec string, filters []Filter) {
	for _, f := range filters {
		dot := strings.LastIndexByte(f.Key, '.')
		name, variable := f.Key[:dot], f.Key[dot+1:]
		if strings.HasPrefix(strings.ToLower(name), "filter.") {
			r.filters = append(r.filters, name+".required", "true")
			for _, other := range []string{".clean", ".smudge"} { // then both are needed
				if v, _ := config.Get(name + other); v == "" {
					r.filters = append(r.filters, name+other, "cat")
				}
			}
		}
		r.filters = append(r.filters, f.Key, confinedCommand(program, f.Command, placeholders[variable]))
	}
	r.confined = []string{confinedIn + "=" + spec}
}

// placeholders are what git replaces in such a command.
var placeholders = map[string]string{"clean": "f", "smudge": "f", "driver": "OABLP", "process": ""}

// confinedCommand returns a command that runs another one confined. What git replaces in it
// becomes an argument: it would not come out of the quotes as it went in.
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
