package prompt

import (
	"fmt"
	"strings"
)

// parts holds a value for each variable of a template: a section with its heading, or "".
type parts map[string]string

// Section returns a section of a prompt, or "" if its text is blank.
func Section(title, text string) string {
	if text = strings.TrimRight(text, "\n"); strings.TrimSpace(text) == "" {
		return ""
	}
	return fmt.Sprintf("## %s\n\n%s\n\n", title, text)
}

// framed returns a section whose text is framed.
func framed(as standing, title, kind, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return Section(title, frame(as, kind, text))
}

// bullets returns a section with one bullet for each item.
func bullets(title string, items []string) string {
	if len(items) == 0 {
		return ""
	}
	return Section(title, "- "+strings.Join(items, "\n- "))
}

// facts returns lines "name: value" for the end of a prompt, for programs that answer in
// a model's place. It skips empty values.
func facts(pairs ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", pairs[i], pairs[i+1])
		}
	}
	return b.String()
}

// indent returns a text as the body of a listed step.
func indent(text string) string {
	return "     " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n     ")
}
