/** The parts of `up`, for end-to-end tests and benches. */
export * from './nats/index.js'
export * from './postgres/index.js'
export { startChild, type ChildOptions, type Running } from './processes/child.js'
export { identify, isAlive, type ProcessIdentity } from './processes/identity.js'
export { isPortFree, pickPort } from './processes/ports.js'
export { stopProcess } from './processes/stop.js'
