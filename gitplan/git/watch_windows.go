package git

import "io/fs"

func mayHoldFolders(fs.FileInfo) bool { return true }
