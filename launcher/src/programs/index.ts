/** Finds external programs and installs them where this process can. Tests use it for further programs. */
export * from './apt.js'
export * from './path.js'
