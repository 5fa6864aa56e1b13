/** Requests a service of the adb server (AOSP `adb/OVERVIEW.TXT`, `SERVICES.TXT`). Used by `client.ts`. */
import { Protocol } from './adbkit.js'
import { AdbConnectionLost, AdbProtocolError, AdbRefused, serviceName } from './errors.js'
import type { AdbSocket } from './socket.js'

/** The maximum number of bytes; lengths have four hex digits. */
const longestText = 0xffff

/** Sends the request and reads OKAY. @throws AdbRefused with the reason, AdbConnectionLost, AdbProtocolError */
export async function requestService(socket: AdbSocket, service: string): Promise<void> {
  const encoded = Buffer.from(service)
  if (encoded.length > longestText)
    throw new AdbProtocolError(`${serviceName(service)} has ${encoded.length} bytes`)
  await socket.write(Protocol.encodeData(encoded))
  const status = (await socket.read(4)).toString('latin1')
  if (status === Protocol.OKAY) return
  if (status !== Protocol.FAIL)
    throw new AdbProtocolError(`unexpected answer ${JSON.stringify(status)} to ${serviceName(service)}`)
  throw new AdbRefused(service, await readReason(socket))
}

/** Reads one length-prefixed text. @throws AdbConnectionLost, AdbProtocolError */
export async function readText(socket: AdbSocket): Promise<string> {
  const digits = (await socket.read(4)).toString('latin1')
  if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new AdbProtocolError(`invalid length ${JSON.stringify(digits)}`)
  return (await socket.read(Protocol.decodeLength(digits))).toString('utf8')
}

async function readReason(socket: AdbSocket): Promise<string> {
  try {
    return await readText(socket)
  } catch (error) {
    if (!(error instanceof AdbConnectionLost)) throw error
    return 'no reason given'
  }
}
