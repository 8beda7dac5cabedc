"""Programs that use the package as anybody could; each is one file, to be read and changed."""
