// Package lint finds what is wrong or weak in the text of a plan, by the text and the work tree. It only reads.
//
//	Plan         everything that is wrong or weak, in line order    lint.go
//	Imported     the same, by the lines of what was imported
//	inStep       what each step is judged by
//	checks       steps and requirements that nothing checks         checks.go
//	commands     the programs that commands need, and commands that
//	             pass whatever they find                            checks.go
//	surroundings what the repository says of the files of steps     lint.go
package lint
