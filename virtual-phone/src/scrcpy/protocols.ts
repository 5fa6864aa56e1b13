/** Finds the protocol version of the phone by the version of the pushed server. */
import { type ScrcpyProtocol } from './protocol.js'
import { protocol as v3_3_3 } from './v3_3_3/index.js'
import { protocol as v4_1 } from './v4_1/index.js'

const PROTOCOLS: readonly ScrcpyProtocol[] = [v3_3_3, v4_1]

/** @throws for an unknown version, which is a bug, since `app_process` starts no other server */
export function protocolOf(serverVersion: string): ScrcpyProtocol {
  const protocol = PROTOCOLS.find(({ version }) => version === serverVersion)
  if (!protocol) throw new Error(`No protocol for scrcpy ${serverVersion}`)
  return protocol
}
