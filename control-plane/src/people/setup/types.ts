/**
 * A terminal's first key: it requests a setup, a person confirms in a browser, it collects the key.
 * No key is needed.
 */
export interface SetupService {
  /**
   * `address`: the client's, shown to the person. `userCode`: for the person to type, for example
   * `7KQM-2XPA`.
   */
  create(input: { client: string | null; address: string }): Promise<{ token: string; userCode: string }>
  /**
   * True when a setup has this token. For an address that has failed too often: waits for a shared
   * look-up.
   */
  isKnown(token: string): Promise<boolean>
  /**
   * Creates and returns the key, once, with an audit entry. @param from the client's address, and
   * the request's ID @throws ApiError not_found, setup_denied, setup_expired, setup_used, key_limit
   */
  collect(
    token: string,
    from: { address: string; requestId: string },
  ): Promise<{ status: 'pending' } | { status: 'approved'; apiKey: string; project: string }>
}
