/** Identifiers: a prefix plus 12 characters of `a-z2-7` (60 random bits). */
import { randomBytes } from 'node:crypto'

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

export const idPrefixes = {
  phone: 'ph_',
  session: 'ses_',
  upload: 'upl_',
  recording: 'rec_',
  install: 'ins_',
  /** A stored file, as `storage_id`. */
  file: 'sto_',
  request: 'req_',
  snapshot: 'snp_',
  project: 'proj_',
  owner: 'own_',
  key: 'key_',
  host: 'hst_',
  device: 'dev_',
  operatorToken: 'opt_',
  setup: 'set_',
  checkout: 'chk_',
  handoff: 'hnd_',
} as const

export type IdKind = keyof typeof idPrefixes

/** A new identifier, for example `ph_k3…`. */
export function newId(kind: IdKind): string {
  let suffix = ''
  for (const byte of randomBytes(12)) suffix += alphabet.charAt(byte & 31)
  return idPrefixes[kind] + suffix
}

export const idPattern = (kind: IdKind): RegExp => new RegExp(`^${idPrefixes[kind]}[a-z2-7]{12}$`)

export const isId = (kind: IdKind, value: string): boolean => idPattern(kind).test(value)
