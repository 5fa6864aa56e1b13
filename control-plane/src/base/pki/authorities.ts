/**
 * The certificate authorities that this replica trusts: one, or two while an operator replaces it. One of the two
 * signs. Created by `db/installation.ts`, which reads them again from Postgres. docs/decisions/0249
 */
import { type Authority, type Credentials } from './authority.js'

export interface AuthoritySet {
  /** Issues all certificates. */
  signing: Authority
  /** Also trusted: the next authority before a switch, and the earlier authority after it. */
  other: Authority | null
  /** Hosts get certificates of the new authority. */
  isSwitched: boolean
  /** The time at which the rotation began; null if no rotation is open. */
  begunAt: Date | null
}

export class Authorities {
  /** @param read returns the authorities of the database @param current the first authorities */
  constructor(
    private readonly read: (known: AuthoritySet) => Promise<AuthoritySet>,
    private current: AuthoritySet,
  ) {}

  /** Reads the authorities again. @throws Error if the key of a new authority cannot be decrypted */
  async refresh(): Promise<void> {
    this.current = await this.read(this.current)
  }

  get signing(): Authority {
    return this.current.signing
  }

  get isSwitched(): boolean {
    return this.current.isSwitched
  }

  get begunAt(): Date | null {
    return this.current.begunAt
  }

  /** PEM texts of the trusted authorities. The signing authority comes first. */
  get trusted(): string[] {
    const { signing, other } = this.current
    return [signing.caPem, ...(other === null ? [] : [other.caPem])]
  }

  /** Fingerprints of the trusted authorities, in the same order. */
  get fingerprints(): string[] {
    const { signing, other } = this.current
    return [signing.fingerprint, ...(other === null ? [] : [other.fingerprint])]
  }

  get caPem(): string {
    return this.trusted.join('')
  }

  /** The fingerprint of the signing authority, for join tokens. */
  get fingerprint(): string {
    return this.signing.fingerprint
  }

  /** The time at which the signing authority's certificate expires. */
  get endsAt(): Date {
    return this.signing.endsAt
  }

  /** Like `Authority.issueClient`; `caPem` contains all trusted authorities. */
  async issueClient(): Promise<Credentials> {
    const { caPem } = this
    return { ...(await this.signing.issueClient()), caPem }
  }

  /** Like `Authority.issueTunnel`; `caPem` contains all trusted authorities. */
  async issueTunnel(): Promise<Credentials> {
    const { caPem } = this
    return { ...(await this.signing.issueTunnel()), caPem }
  }

  /** Like `Authority.issueHost`. */
  issueHost(hostId: string, publicKeyPem: string): Promise<string> {
    return this.signing.issueHost(hostId, publicKeyPem)
  }
}
