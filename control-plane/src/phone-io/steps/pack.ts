/** Packs JSON for storage: deflated, unless it is short. The first byte shows which. Pure. */
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'

/** Below this number of bytes, deflating saves less than it costs. */
const short = 512
/** The values of the first byte. */
const kinds = { plain: 0, deflated: 1 } as const

/** @param json UTF-8 */
export function pack(json: string | Uint8Array): Buffer {
  const bytes = typeof json === 'string' ? Buffer.from(json) : json
  return bytes.length < short
    ? Buffer.concat([Buffer.of(kinds.plain), bytes])
    : Buffer.concat([Buffer.of(kinds.deflated), deflateRawSync(bytes, { level: constants.Z_BEST_SPEED })])
}

/** @throws Error when `pack` did not make the bytes */
export function unpack(packed: Uint8Array): Buffer {
  const [kind] = packed
  const rest = packed.subarray(1)
  if (kind === kinds.plain) return Buffer.from(rest)
  if (kind === kinds.deflated) return inflateRawSync(rest)
  throw new Error(`unknown kind of packed JSON: ${kind}`)
}

export const unpackJson = (packed: Uint8Array): unknown => JSON.parse(unpack(packed).toString('utf8'))
