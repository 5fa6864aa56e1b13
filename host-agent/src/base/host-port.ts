/** Splits `host:port` of a configuration or an announced address; an IPv6 address loses its brackets. Checks nothing. */
export function splitHostPort(text: string): { host: string; port: number } {
  const at = text.lastIndexOf(':')
  return { host: text.slice(0, at).replace(/^\[(.*)\]$/, '$1'), port: Number(text.slice(at + 1)) }
}
