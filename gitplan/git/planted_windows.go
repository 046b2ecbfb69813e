package git

import "io/fs"

func mayHoldFolders(fs.FileInfo) bool { return true }

// number returns 0: nobody says by which number the file system knows a file.
func number(fs.FileInfo) uint64 { return 0 }
