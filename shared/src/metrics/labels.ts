/**
 * Bounds of labels. Each distinct value is a time series that Prometheus keeps, so a label never has a value that a
 * tenant, a phone or a URL supplies.
 */

/** The value that replaces each value outside the list. */
export const otherLabel = 'other'

/** Returns `value` if it is listed, else `other`. */
export const bounded = (allowed: readonly string[], value: string): string =>
  allowed.includes(value) ? value : otherLabel

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** An HTTP method. Node accepts about 35. */
export const methodLabel = (method: string): string => bounded(methods, method)

/** The class of a status, such as `2xx` for 204. */
export const statusLabel = (status: number): string =>
  status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : otherLabel

/** Upper bounds in seconds, from a fast read to a slow wipe. */
export const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
