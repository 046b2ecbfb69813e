//go:build !race

package gitplan

const raceDetector = false
