/** The broker's keys and configuration: for the launcher, and for `phonerack-control-plane nats-config`. */
export { reissued, revokeUsers, type BrokerAdmin } from './revocations.js'
export { rotateBrokerKeys, writeBrokerConfig, type BrokerConfig, type BrokerOptions } from './config.js'
