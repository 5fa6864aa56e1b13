/** The protocol versions that the phone speaks, by the version of the server that was pushed. */
import { type ScrcpyProtocol } from './protocol.js'
import { protocol as v3_3_3 } from './v3_3_3/index.js'
import { protocol as v4_1 } from './v4_1/index.js'

const PROTOCOLS: readonly ScrcpyProtocol[] = [v3_3_3, v4_1]

/** @throws for an unknown version: a bug here, since `app_process` starts no other server */
export function protocolOf(serverVersion: string): ScrcpyProtocol {
  const protocol = PROTOCOLS.find(({ version }) => version === serverVersion)
  if (!protocol) throw new Error(`No protocol for scrcpy ${serverVersion}`)
  return protocol
}
