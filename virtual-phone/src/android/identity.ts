/** The phone's identity, which a wipe does not change. Kept in `identity.json` of the phone's data folder. */
import { randomBytes } from 'node:crypto'
import { arch } from 'node:os'

export interface Identity {
  /** `ro.serialno`. */
  serialNumber: string
}

export function newIdentity(): Identity {
  return { serialNumber: `VP${randomBytes(5).toString('hex').toUpperCase()}` }
}

/** The only model. */
export const model = {
  maker: 'Phonerack',
  name: 'Virtual Phone',
  /** `ro.product.name` and `ro.product.device`. */
  product: 'virtual_phone',
  device: 'vphone',
  release: '14',
  sdk: 34,
  width: 1080,
  height: 2400,
  density: 420,
  buildId: 'UP1A.231005.007',
  securityPatch: '2023-10-05',
} as const

export const abi = arch() === 'arm64' ? 'arm64-v8a' : 'x86_64'

/**
 * ABIs that `pm install` accepts: as in Google's emulator images, packages for the processor of most phones
 * are accepted, too.
 */
export const supportedAbis: readonly string[] = [...new Set([abi, 'arm64-v8a'])]

export const fingerprint = `${model.maker}/${model.product}/${model.device}:${model.release}/${model.buildId}/1:user/release-keys`
