/**
 * Headers for bytes that come from a phone or a host: browsers run nothing in them, and only the console may show them.
 */
export const inert = {
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; sandbox",
} as const
