/** A terminal gets its first key: it asks, a person confirms in a browser, it collects. No key is needed. */
export interface SetupService {
  /** `address`: of the client, shown to the person. `userCode`: for them to type, for example `7KQM-2XPA`. */
  create(input: { client: string | null; address: string }): Promise<{ token: string; userCode: string }>
  /** Whether a setup has this token, for an address that has failed too often: waits for a look-up that many share. */
  isKnown(token: string): Promise<boolean>
  /**
   * Makes and delivers the key, once, with an entry in the audit log.
   * @param from the client's address, and the request's ID
   * @throws ApiError not_found, setup_denied, setup_expired, setup_used, key_limit
   */
  collect(
    token: string,
    from: { address: string; requestId: string },
  ): Promise<{ status: 'pending' } | { status: 'approved'; apiKey: string; project: string }>
}
