/**
 * The certificate authorities that this replica trusts: one, or two while an operator replaces it. One of them signs.
 * Created by `db/installation.ts`, which reads them again from Postgres. docs/decisions/0249
 */
import { type Authority, type Credentials } from './authority.js'

export interface AuthoritySet {
  /** Issues all certificates. */
  signing: Authority
  /** Trusted too: the next one before a switch, and the earlier one after it. */
  other: Authority | null
  /** Hosts get certificates of the new authority. */
  isSwitched: boolean
  /** When the rotation began; null: none is open. */
  begunAt: Date | null
}

export class Authorities {
  /** @param read returns those of the database @param current the first ones */
  constructor(
    private readonly read: (known: AuthoritySet) => Promise<AuthoritySet>,
    private current: AuthoritySet,
  ) {}

  /** Reads them again. @throws Error when the key of a new one cannot be decrypted */
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

  /** PEM texts; the signing one comes first. */
  get trusted(): string[] {
    const { signing, other } = this.current
    return [signing.caPem, ...(other === null ? [] : [other.caPem])]
  }

  /** The same as fingerprints. */
  get fingerprints(): string[] {
    const { signing, other } = this.current
    return [signing.fingerprint, ...(other === null ? [] : [other.fingerprint])]
  }

  get caPem(): string {
    return this.trusted.join('')
  }

  /** The fingerprint of the signing one, for join tokens. */
  get fingerprint(): string {
    return this.signing.fingerprint
  }

  /** When the certificate of the signing one ends. */
  get endsAt(): Date {
    return this.signing.endsAt
  }

  /** Like `Authority.issueClient`; `caPem` has all trusted ones. */
  async issueClient(): Promise<Credentials> {
    const { caPem } = this
    return { ...(await this.signing.issueClient()), caPem }
  }

  /** Like `Authority.issueTunnel`; `caPem` has all trusted ones. */
  async issueTunnel(): Promise<Credentials> {
    const { caPem } = this
    return { ...(await this.signing.issueTunnel()), caPem }
  }

  /** Like `Authority.issueHost`. */
  issueHost(hostId: string, publicKeyPem: string): Promise<string> {
    return this.signing.issueHost(hostId, publicKeyPem)
  }
}
