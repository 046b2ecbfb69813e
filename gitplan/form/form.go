package form

// Form is a format in which plans are written down.
type Form string

// The forms that are read. Those of Export are also written.
const (
	Own       Form = "md"        // this program's own
	Ralphex   Form = "ralphex"   // a heading `### Task 1: title` is a step, its boxes are the checklist
	Planner   Form = "planner"   // the same, with **File**, **Action**, **Command** and so on
	JSON      Form = "json"      // an object with steps
	YAML      Form = "yaml"      // the same in YAML
	Queue     Form = "queue"     // a folder of scope.md, rules.md and tasks/NN-*.md
	SpecKit   Form = "spec-kit"  // boxes `T001 [P] [US1] text` under headings of phases
	OpenSpec  Form = "openspec"  // boxes `1.1 text` under numbered headings
	Checklist Form = "checklist" // boxes
)

// Forms returns the forms that can be read.
func Forms() []Form {
	return []Form{Own, Ralphex, Planner, JSON, YAML, Queue, SpecKit, OpenSpec, Checklist}
}
