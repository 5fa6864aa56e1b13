/** Finding outside programs, and installing them where that may be done; for tests that need one more. */
export * from './apt.js'
export * from './path.js'
