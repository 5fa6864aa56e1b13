/** Errors of the OAuth endpoints, in the form of RFC 6749. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_target'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'temporarily_unavailable'
  | 'server_error'

export class OAuthError extends Error {
  constructor(
    readonly code: OAuthErrorCode,
    /** A text for developers, in ASCII without quotes and backslashes. */
    readonly description: string,
    readonly status = 400,
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(description)
  }
}
