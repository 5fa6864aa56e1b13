/** Identity providers in the form that other parts use. docs/decisions/0290 */

/** A person, as the provider describes them. */
export interface Identity {
  /** The provider's ID of the person, which never changes and is never reassigned. */
  subject: string
  /** The address in lower case; null if the provider does not report it. */
  email: string | null
  /** The provider states that the address belongs to the person. */
  isVerified: boolean
  /**
   * True: the provider assigns addresses of this domain. Any other provider verified the address once, and it may
   * belong to another person now.
   */
  isAuthority: boolean
  name: string | null
}

/** Random values of one sign-in. */
interface Flow {
  state: string
  /** The secret of PKCE. */
  verifier: string
  nonce: string
}

export interface Provider {
  /** The ID that paths contain. */
  id: string
  /** The name that people see. */
  name: string
  /**
   * The key under which linked accounts are stored. The key contains the issuer, since a subject of another issuer is
   * another person.
   */
  key: string
  /**
   * Returns the address that the browser opens. @param isAgain the person is signed in, and confirms their identity
   * @throws ProviderFailed
   */
  authorizationUrl(flow: Flow & { redirectUri: string; isAgain: boolean }, signal: AbortSignal): Promise<URL>
  /**
   * Exchanges the code that the browser returns. @param answer `issuer`: the issuer that the response names; null if it
   * names none @throws ProviderFailed
   */
  identify(
    answer: Omit<Flow, 'state'> & { code: string; issuer: string | null; redirectUri: string },
    signal: AbortSignal,
  ): Promise<Identity>
}

/** The provider did not answer, or its answer is not valid. The message is for the log. */
export class ProviderFailed extends Error {}
