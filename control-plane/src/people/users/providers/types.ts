/** Identity providers, as other parts see them. docs/decisions/0290 */

/** A person, as their provider names them. */
export interface Identity {
  /** Never changes, and is not given to another person. */
  subject: string
  /** Lower case; null: the provider does not tell it. */
  email: string | null
  /** The provider says that the address belongs to the person. */
  isVerified: boolean
  /** The provider decides who has the address today. Another provider verified it once, and it may belong to somebody else by now. */
  isAuthority: boolean
  name: string | null
}

/** Values of one sign-in that nobody can guess. */
export interface Flow {
  state: string
  /** The secret of PKCE. */
  verifier: string
  nonce: string
}

export interface Provider {
  /** In paths. */
  id: string
  /** For people. */
  name: string
  /** The key of linked accounts. It contains the issuer, since another issuer's subjects are other people. */
  key: string
  /** The address to which the browser goes. @param isAgain the person is signed in, and confirms that it is them @throws ProviderFailed */
  authorizationUrl(flow: Flow & { redirectUri: string; isAgain: boolean }, signal: AbortSignal): Promise<URL>
  /**
   * Exchanges the code that the browser brings back. @param answer `issuer`: the issuer in the answer; null: there is none
   * @throws ProviderFailed
   */
  identify(
    answer: Omit<Flow, 'state'> & { code: string; issuer: string | null; redirectUri: string },
    signal: AbortSignal,
  ): Promise<Identity>
}

/** The provider did not answer, or its answer is not valid. The message is for the log. */
export class ProviderFailed extends Error {}
