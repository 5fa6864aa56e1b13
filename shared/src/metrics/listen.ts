/** A TCP address to listen on. */
export interface Listen {
  host: string
  port: number
}

/** Reads `host:port`, with an IPv6 address in brackets. Null for any other text. */
export function readListen(text: string): Listen | null {
  const [, v6, host = v6, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(text) ?? []
  return host === undefined || Number(port) > 65_535 ? null : { host, port: Number(port) }
}
