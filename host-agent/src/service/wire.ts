/**
 * The parts of the agent that face the control plane, without the parts that face phones. Synthetic agents
 * (`bench/src/synthetic`) use these parts, so that they behave on the wire like this agent.
 */
export { WipeLevel, type HostServiceServer } from '@phonerack/proto'
export {
  assigned,
  cleanFor,
  custodySchema,
  enrolled,
  mayAssign,
  wiped,
  written,
  type Asked,
  type Custody,
} from '../custody/custody.js'
export { FencingRefused } from '../custody/fencing.js'
export { callerOf, unary } from './grpc/call.js'
export { createIdentityHandlers } from './grpc/identity-handlers.js'
export { startGrpcServer, type Handlers } from './grpc/server.js'
export { liveAuthorities, natsCreds } from './identity.js'
export { joinOnce } from './join.js'
export { runIdentity } from './renewal.js'
export { openEpoch } from './status/epoch.js'
export { startHeartbeats } from './status/heartbeat.js'
