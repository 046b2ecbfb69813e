//go:build race

package race

const detector = true
