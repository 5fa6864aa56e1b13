import { type Caller } from '../../base/core/caller.js'

export interface KeyService {
  /**
   * Finds the key and checks expiry and revocation. Cached briefly; a revocation reaches every
   * replica within a second. @throws ApiError invalid_api_key, key_expired, key_revoked
   */
  authenticate(secret: string): Promise<Caller>
  /**
   * Returns true when the key is valid. For an address that has failed too often, the call waits for a
   * look-up that callers share.
   */
  isKnown(secret: string): Promise<boolean>
  /**
   * Records the use of a key; the record is written in the background.
   * @param address the client's
   */
  noteUse(keyId: string, address: string): void
  /**
   * Calls `onChange` when the key with this hash was revoked or changed, on any replica. Returns a function
   * that ends the subscription.
   */
  watch(keyHash: string, onChange: () => void): () => void
}
