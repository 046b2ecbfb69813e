//go:build manual

package main

import (
	"fmt"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
)

func init() {
	roff = func(p page) []byte { // with the title that man shows at the top and bottom
		title := fmt.Sprintf("# \"%s\" \"%d\" \"%s\" \"git-plan %s\" \"Git Plan Manual\"\n\n",
			strings.ToUpper(p.name), p.section, day, versionText())
		return md2man.Render([]byte(title + p.markdown()))
	}
}
