/**
 * This host's identity: its keys and the certificates that the control plane issued.
 * Private keys are created here and never leave this machine.
 */
import { generateKeyPairSync } from 'node:crypto'
import { createUser } from 'nkeys.js'
import { isEncrypted, trustedRoots } from '@phonerack/shared'
import { z } from 'zod'
import { readJson, writeJson, type Owner } from '../base/atomic-file.js'

const identitySchema = z.object({
  hostId: z.string().regex(/^hst_[a-z2-7]{12}$/),
  /** PKCS #8 PEM, EC P-256. */
  privateKeyPem: z.string(),
  certificatePem: z.string(),
  /** The trusted authorities: one, or two while the control plane replaces its authority. docs/decisions/0249 */
  caPem: z.string(),
  controlPlaneUri: z.string(),
  natsJwt: z.string(),
  natsSeed: z.string(),
  /** Authority of the broker's certificate, PEM; null for the authority of hosts (`caPem`), or a public authority. */
  natsCaPem: z.string().nullable().default(null),
  /** Part of the host's subjects on the broker; null when the machine joined as a new host, or before decision 0202. */
  joinId: z
    .string()
    .regex(/^join_[a-z2-7]{12}$/)
    .nullable()
    .default(null),
})
export type Identity = z.infer<typeof identitySchema>

/** Null when the host has not joined. @throws when the file exists and cannot be read */
export function loadIdentity(path: string): Identity | null {
  const found = readJson(path)
  return found === null ? null : identitySchema.parse(found)
}

/** Saves the identity with mode 0600. @param owner null for the user of this process */
export const saveIdentity = (path: string, identity: Identity, owner: Owner | null = null): void =>
  writeJson(path, identity, owner)

interface NewKeys {
  privateKeyPem: string
  publicKeyPem: string
  natsPublicKey: string
  natsSeed: string
}

export function makeKeys(): NewKeys {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const nats = createUser()
  return {
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    natsPublicKey: nats.getPublicKey(),
    natsSeed: Buffer.from(nats.getSeed()).toString('latin1'),
  }
}

/**
 * Authorities that may sign the broker's certificate, PEM; none for a broker without TLS. @param caFile PEM;
 * its authorities replace the system's authorities @throws Error that names an unreadable file
 */
export function brokerAuthorities(
  { caPem, natsCaPem }: Identity,
  { natsUrl, caFile }: { natsUrl: string; caFile: string | null },
): string[] {
  if (!isEncrypted(natsUrl)) return []
  if (natsCaPem !== null) return [caPem, natsCaPem, ...(caFile === null ? [] : trustedRoots(caFile))]
  return [caPem, ...trustedRoots(caFile)]
}

/** Reads `brokerAuthorities` of the current identity, for each connection. The files are read once. */
export function liveAuthorities(
  current: () => Identity,
  broker: Parameters<typeof brokerAuthorities>[1],
): () => string[] {
  const { caPem: first } = current()
  const atStart = brokerAuthorities(current(), broker)
  return () => atStart.map((pem) => (pem === first ? current().caPem : pem))
}

/** Returns the text of a `.creds` file, as NATS clients read it. */
export const natsCreds = ({ natsJwt, natsSeed }: Pick<Identity, 'natsJwt' | 'natsSeed'>): string =>
  `-----BEGIN NATS USER JWT-----
${natsJwt}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${natsSeed}
------END USER NKEY SEED------
`
