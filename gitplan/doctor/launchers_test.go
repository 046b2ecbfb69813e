package doctor

import (
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/elsewhere"
	"github.com/git-plan/git-plan/gitplan/elsewhere/wire"
)

// A clock that is another is named; one that is late only because of the way is not.
func TestWhatIsThere(t *testing.T) {
	for apart, want := range map[time.Duration]string{
		time.Hour: "ahead by 1h", -time.Hour: "behind by 1h", -time.Second: "", 3 * time.Second: "",
	} {
		got := there(elsewhere.Tried{Apart: apart, Machine: wire.Machine{Cache: "/c"}})
		if !strings.Contains(got, want) || want == "" && strings.Contains(got, "clock") || !strings.Contains(got, "none on its PATH") {
			t.Errorf("%s apart: %s", apart, got)
		}
	}
}
