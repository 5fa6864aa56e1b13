// Loaded before a process's own code. Ends the process when its standard input closes, because the test run
// was killed.
process.stdin.on('close', () => process.exit(1))
process.stdin.resume()
process.stdin.unref?.()
