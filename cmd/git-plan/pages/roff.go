//go:build manual

package pages

import (
	"fmt"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
)

func init() {
	roff = func(p Page) []byte { // with the title that man shows at the top and bottom
		title := fmt.Sprintf("# \"%s\" \"%d\" \"%s\" \"git-plan %s\" \"Git Plan Manual\"\n\n",
			strings.ToUpper(p.Name), p.section, p.of.Day, p.of.Version)
		return md2man.Render([]byte(title + p.markdown()))
	}
}
