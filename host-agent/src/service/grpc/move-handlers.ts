/** HostService: phones that were enrolled at another host. */
import type { HostServiceServer } from '@phonerack/proto'
import type { Logger } from '@phonerack/shared'
import type { Registry } from '../../devices/registry.js'
import { explained } from '../../devices/supervision/care-failure.js'
import { unary } from './call.js'

export const createMoveHandlers = (
  registry: Registry,
  hostId: string,
  log: Logger,
): Pick<HostServiceServer, 'proveDevice' | 'adoptDevice' | 'forgetDevice'> => ({
  proveDevice: unary(log, 'ProveDevice', ({ serial, nonce }, progress) =>
    registry.gate(serial).prove({ nonce, hostId }, progress),
  ),
  adoptDevice: unary(log, 'AdoptDevice', async (request, progress) => {
    const { serial, fencingNumber, identity: expected, phoneId, tenant, profileJson: profile } = request
    const gate = registry.gate(serial)
    const caller = { phoneId, tenant, fencingNumber, requestId: '' }
    const adopt = () => gate.adopt(caller, { identity: expected, profile }, progress)
    const identity = await explained(log, { serial, work: 'move' }, adopt)
    return { identity, revision: BigInt(gate.fencing.custody.revision) }
  }),
  forgetDevice: unary(log, 'ForgetDevice', async ({ serial, fencingNumber }, progress) => {
    const caller = { phoneId: '', tenant: '', fencingNumber, requestId: '' }
    await registry.gate(serial).forget(caller, progress)
    return {}
  }),
})
