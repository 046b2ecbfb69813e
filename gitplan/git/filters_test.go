package git

import (
	"os/exec"
	"testing"
)

// TestConfinedCommandMeansTheSame: quoting does not turn a filter into another command than the person
// configured.
func TestConfinedCommandMeansTheSame(t *testing.T) {
	for _, c := range []struct{ command, path, want string }{
		{`printf '<%%s>' a`, "x", "<a>"},
		{`printf "<%%s>" %f %f`, "a b", "<a b><a b>"},
		{`printf "<%%s>" 'it'"'"'s' "$HOME"`, "x", "<it's></h>"},
		{`x=100%%; printf "%%s" "$x"`, "x", "100%"},
	} {
		// git replaces these, and passes the result to a shell.
		line := replaced(confinedCommand("env", c.command, "f"), c.path)
		cmd := exec.Command("sh", "-c", line)
		cmd.Env = []string{"HOME=/h", "PATH=/usr/bin:/bin"}
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != c.want {
			t.Errorf("%s: %q, %v; want %q\n%s", c.command, out, err, c.want, line)
		}
	}
}

func replaced(command, path string) (out string) {
	for i := 0; i < len(command); i++ {
		if command[i] == '%' && i+1 < len(command) && (command[i+1] == '%' || command[i+1] == 'f') {
			if i++; command[i] == '%' {
				out += "%"
			} else {
				out += quotedForShell(path)
			}
			continue
		}
		out += string(command[i])
	}
	return out
}
