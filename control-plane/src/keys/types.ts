import { type Caller } from '../core/caller.js'

export interface KeyService {
  /**
   * Finds the key and checks expiry and revocation. Cached for a short time; a
   * revocation reaches every replica within a second.
   * @throws ApiError invalid_api_key, key_expired, key_revoked
   */
  authenticate(secret: string): Promise<Caller>
  /** Whether the key is valid, for an address that has failed too often: waits for a look-up that many share. */
  isKnown(secret: string): Promise<boolean>
}
