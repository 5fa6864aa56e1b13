/** JSON as it is stored: deflated, unless it is short. The first byte says which. Pure. */
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'

/** Bytes below which deflating gains less than it costs. */
const short = 512
/** The first byte. */
const kinds = { plain: 0, deflated: 1 } as const

/** @param json UTF-8 */
export function pack(json: string | Uint8Array): Buffer {
  const bytes = typeof json === 'string' ? Buffer.from(json) : json
  return bytes.length < short
    ? Buffer.concat([Buffer.of(kinds.plain), bytes])
    : Buffer.concat([Buffer.of(kinds.deflated), deflateRawSync(bytes, { level: constants.Z_BEST_SPEED })])
}

/** @throws Error when it was not packed here */
export function unpack(packed: Uint8Array): Buffer {
  const [kind] = packed
  const rest = packed.subarray(1)
  if (kind === kinds.plain) return Buffer.from(rest)
  if (kind === kinds.deflated) return inflateRawSync(rest)
  throw new Error(`unknown kind of packed JSON: ${kind}`)
}

export const unpackJson = (packed: Uint8Array): unknown => JSON.parse(unpack(packed).toString('utf8'))
