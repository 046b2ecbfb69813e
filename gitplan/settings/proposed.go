package settings

import (
	"fmt"
	"strconv"
	"strings"
)

// RepositoryConfig is the file in which a repository proposes settings. Every other layer
// overrides it.
const RepositoryConfig = ".gitplan/config"

// mayPropose lists the keys that a repository may set: none can run anything, send
// anything anywhere, or make the program less careful.
var mayPropose = []string{"plan.attempts", "plan.reviewRounds", "plan.branchPrefix"}

// Refused returns why a repository may not set a key to a value, or "" if it may.
func Refused(key, value string) string {
	for _, may := range mayPropose {
		if !strings.EqualFold(may, key) {
			continue
		}
		row := rowOf(may)
		if row.Kind != Number {
			return ""
		}
		limit, _ := strconv.Atoi(row.Default)
		if n, err := strconv.Atoi(value); err != nil || n < 0 {
			return "it is not a number"
		} else if n > limit {
			return fmt.Sprintf("it is more than the default, %d", limit)
		}
		return ""
	}
	return "a repository may not set it"
}
