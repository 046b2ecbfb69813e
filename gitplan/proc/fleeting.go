package proc

import (
	"os"
	"sync"
)

// fleeting are the running programs that nobody needs once this process has ended.
var fleeting sync.Map // *os.Process

// EndFleeting kills the running programs that are Cmd.Fleeting. Call it before an exit
// that waits for nothing.
func EndFleeting() {
	fleeting.Range(func(p, _ any) bool {
		killWithGroup(p.(*os.Process))
		return true
	})
}
