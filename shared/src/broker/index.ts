/** The broker's keys and configuration. Used by the launcher and by `phonerack-control-plane nats-config`. */
export { reissued, revokeUsers, type BrokerAdmin } from './revocations.js'
export { rotateBrokerKeys, writeBrokerConfig, type BrokerConfig, type BrokerOptions } from './config.js'
