/** Finds outside programs and installs them where this process can; tests use it for further programs. */
export * from './apt.js'
export * from './path.js'
