/**
 * The answer of an identity provider, which brings the browser to `/callback/PROVIDER`. This module removes the answer
 * from the address before the router reads the address: the router changes parameters that look like numbers, and the
 * code must not stay in the history.
 */

const path = '/console/callback/'

function take(): URLSearchParams | null {
  if (!window.location.pathname.startsWith(path)) return null
  const answer = new URLSearchParams(window.location.search)
  window.history.replaceState(null, '', window.location.pathname)
  return answer
}

/** Null: this page was not opened by a provider. */
export const arrival = take()
