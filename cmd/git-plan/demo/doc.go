// Package demo is git plan demo: a whole run in a throwaway repository, from a goal to a guarded
// push. The program, the tools, the checks and the commits are real, only the model's words are
// recorded: testdata/demo has them, and the project.
package demo
