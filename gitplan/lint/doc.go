// Package lint finds what is wrong or weak in the text of a plan, by the text, the work tree and
// the history. It only reads.
//
//	Plan         everything that is wrong or weak, in line order      lint.go, surroundings.go
//	Imported     the same, by the lines of what was imported
//	rules        the table: what each step is judged by               step.go
//	  checks     it has none, or none of its own                      checks.go
//	  vague      it would fit any program                             vague.go
//	  size       it is too much for a session                         size.go
//	facts        what the repository says of the files of steps       facts.go
//	commands     the programs that commands need, and their targets   command.go, target.go, shell.go
//	proofs       commands that cannot fail, or pass already           proves.go
//	named files  which step makes a path                              namedfiles.go
package lint
