//go:build !race

package reviewers

const raceDetector = false
