/** Headers of bytes that come from a phone or a host: nothing in them runs, and only the console shows them. */
export const inert = {
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; sandbox",
} as const
