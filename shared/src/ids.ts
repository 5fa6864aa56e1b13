/** Identifiers: a prefix plus 12 characters of `a-z2-7` (60 random bits). */
import { randomFillSync } from 'node:crypto'

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
  /** One rejoin of a host, which the host's subjects contain. */
  join: 'join_',
  device: 'dev_',
  operatorToken: 'opt_',
  setup: 'set_',
  checkout: 'chk_',
  handoff: 'hnd_',
  event: 'evt_',
  webhook: 'whk_',
  delivery: 'dlv_',
  notification: 'ntf_',
  step: 'stp_',
  user: 'usr_',
  /** A user's sign-in in one browser. */
  userSession: 'uss_',
  /** A way in which a user signs in: a password, or an account at another service. */
  userAccount: 'uac_',
  verification: 'vrf_',
  passkey: 'pky_',
  invitation: 'inv_',
  /** A client of OAuth that has registered itself. */
  connectorClient: 'occ_',
} as const

export type IdKind = keyof typeof idPrefixes

const suffixLength = 12
/**
 * Random bytes for many identifiers. Each request needs an identifier, and one call for many bytes costs far less than
 * many calls for few bytes.
 */
const random = Buffer.alloc(suffixLength * 256)
let used = random.length

/** A new identifier, for example `ph_k3…`. */
export function newId(kind: IdKind): string {
  if (used === random.length) {
    randomFillSync(random)
    used = 0
  }
  let id: string = idPrefixes[kind]
  for (const end = used + suffixLength; used < end; used += 1) id += alphabet.charAt((random[used] ?? 0) & 31)
  return id
}

export const idPattern = (kind: IdKind): RegExp =>
  new RegExp(`^${idPrefixes[kind]}[a-z2-7]{${suffixLength}}$`)

export const isId = (kind: IdKind, value: string): boolean => idPattern(kind).test(value)
