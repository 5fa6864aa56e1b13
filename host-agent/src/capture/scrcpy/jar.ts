/**
 * The scrcpy server that is pushed to phones: the released jar of 3.3.3, checked by its
 * hash before each use. Read once at start by `main.ts`.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { ApiError } from '@phonerack/shared'

/** Client and server must have exactly the same version. */
export const scrcpyVersion = '3.3.3'
/** SHA-256 of the official release's `scrcpy-server-v3.3.3`. */
export const scrcpySha256 = '7e70323ba7f259649dd4acce97ac4fefbae8102b2c6d91e2e7be613fd5354be0'

export interface Jar {
  content: Buffer
  sha256: string
}

/** Warns the operator of an agent without a jar. */
export const withoutScrcpyServer = `no scrcpy server: phones have no live view, recording or clipboard, and input is slower; put scrcpy-server ${scrcpyVersion} on this machine, set PHONERACK_SCRCPY_SERVER to its path, restart the agent and enroll the phones again`

/** @throws ApiError feature_unavailable when this agent has no jar */
export function requireJar(jar: Jar | null): Jar {
  if (jar === null)
    throw new ApiError('feature_unavailable', {
      message: 'The host of this phone has no scrcpy server, which this feature needs.',
    })
  return jar
}

/** Reads the jar and checks it. @throws Error that names the file's problem */
export async function readJar(path: string): Promise<Jar> {
  const content = await readFile(path)
  const sha256 = createHash('sha256').update(content).digest('hex')
  if (sha256 !== scrcpySha256) {
    throw new Error(
      `${path} is not scrcpy-server ${scrcpyVersion}: its sha256 is ${sha256}, expected ${scrcpySha256}`,
    )
  }
  return { content, sha256 }
}
