export { findNats } from './find.js'
export { startNats, type Nats, type NatsOptions } from './server.js'
