/**
 * A terminal's first key: the terminal requests a setup, a person confirms in a browser, and the terminal collects the
 * key. The requests need no key.
 */
export interface SetupService {
  /**
   * @param input `address`: the client's address, which the person sees. Returns `userCode`, which the person types,
   * for example `7KQM-2XPA`.
   */
  create(input: { client: string | null; address: string }): Promise<{ token: string; userCode: string }>
  /** True if a setup has this token. Used for an address that has failed too often; callers share a query. */
  isKnown(token: string): Promise<boolean>
  /**
   * Creates and returns the key, once, with an audit entry. @param from the client's address, and the request's ID
   * @throws ApiError not_found, setup_denied, setup_expired, setup_used, key_limit
   */
  collect(
    token: string,
    from: { address: string; requestId: string },
  ): Promise<{ status: 'pending' } | { status: 'approved'; apiKey: string; project: string }>
}
