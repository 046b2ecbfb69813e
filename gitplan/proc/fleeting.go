package proc

import (
	"os"
	"sync"
)

// fleeting are the programs under way that nobody needs once this process has ended.
var fleeting sync.Map // *os.Process

// EndFleeting ends them: for whoever is about to exit at once.
func EndFleeting() {
	fleeting.Range(func(p, _ any) bool {
		killWithGroup(p.(*os.Process))
		return true
	})
}
