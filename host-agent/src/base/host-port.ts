/**
 * Splits `host:port` of a configuration or an announced address, without checks. An IPv6 address loses its
 * brackets.
 */
export function splitHostPort(text: string): { host: string; port: number } {
  const at = text.lastIndexOf(':')
  return { host: text.slice(0, at).replace(/^\[(.*)\]$/, '$1'), port: Number(text.slice(at + 1)) }
}
