/** Checks the server's URL and the agent's addresses before a join. Pure. */
import { isIP } from 'node:net'
import { brokerHost, isLoopback } from '@phonerack/shared'
import { UsageError } from './usage-error.js'

const defaultPort = 7710

/** @throws UsageError */
export function serverUrl(text: string, insecure: boolean): URL {
  if (!URL.canParse(text))
    throw new UsageError(`--server must be a URL such as https://phones.example, not ${text}`)
  const url = new URL(text)
  const isLocal = isLoopback(bare(url.hostname))
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new UsageError(`--server must begin with https://, not ${url.protocol}//`)
  if (url.username + url.password + url.search + url.hash !== '' || url.pathname !== '/')
    throw new UsageError('--server must contain only a name and a port')
  if (url.protocol === 'http:' && !isLocal)
    throw new UsageError(
      '--server must begin with https://: over http:// anyone on the network could read the join token',
    )
  if (url.protocol === 'http:' && !insecure)
    throw new UsageError('--server begins with http://, which needs --insecure')
  if (url.protocol === 'https:' && insecure)
    throw new UsageError(
      '--insecure only allows an http:// URL of this machine; use --ca for a private authority',
    )
  return url
}

export interface Address {
  /** An IP address without brackets, or a name. */
  host: string
  port: number
}

/** @throws UsageError */
export function address(option: string, text: string): Address {
  const found = /^(?:\[([^\]]+)\]|([^:\s/[\]]+)):(\d{1,5})$/.exec(text)
  const host = found?.[1] ?? found?.[2] ?? ''
  const port = Number(found?.[3])
  const isValid = found?.[1] === undefined ? /^[A-Za-z0-9._-]{1,253}$/.test(host) : isIP(host) === 6
  if (!isValid || !(port >= 1 && port <= 65_535))
    throw new UsageError(`--${option} must be ADDRESS:PORT, such as 192.0.2.7:${defaultPort}, not ${text}`)
  return { host, port }
}

export const addressText = ({ host, port }: Address): string =>
  isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`

const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::'

/** The addresses by which the control plane reaches the agent; null when the agent opens tunnels. */
export type AgentAddresses = { listen: Address; advertise: Address | null } | null

/**
 * Returns the address on which the agent listens, and the address that it announces.
 * @param local this machine's address on a connection to the server
 * @throws UsageError when the control plane could not connect
 */
export function agentAddresses(
  server: URL,
  local: string,
  flags: { listen?: string; advertise?: string; dial?: boolean },
): AgentAddresses {
  if (flags.dial === true) {
    const given = (['listen', 'advertise'] as const).find((option) => flags[option] !== undefined)
    if (given !== undefined) throw new UsageError(`--dial and --${given} exclude each other`)
    return null
  }
  const listen =
    flags.listen === undefined ? { host: local, port: defaultPort } : address('listen', flags.listen)
  const advertise = flags.advertise === undefined ? null : address('advertise', flags.advertise)
  if (isIP(listen.host) === 0 && listen.host !== 'localhost')
    throw new UsageError(`--listen must be an IP address of this machine, not ${listen.host}`)
  const isRemote = !isLoopback(bare(server.hostname))
  if (isWildcard(listen.host) && advertise === null)
    throw new UsageError(
      `--listen ${listen.host} needs --advertise, the address that the control plane connects to`,
    )
  if (advertise !== null && isWildcard(advertise.host))
    throw new UsageError(`--advertise must be one address, not ${advertise.host}`)
  const [option, announced] = advertise === null ? ['listen', listen.host] : ['advertise', advertise.host]
  if (isRemote && isLoopback(announced))
    throw new UsageError(`the control plane on another machine cannot connect to --${option} ${announced}`)
  return { listen, advertise }
}

/** Without the brackets of an IPv6 address in a URL. */
const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** Returns the broker's address for this host. Null if the control plane's address of the broker is unusable here. */
export function brokerFor(server: URL, named: string | null): string | null {
  const host = named === null ? null : brokerHost(named)
  if (host === null) return null
  return isLoopback(host) && !isLoopback(bare(server.hostname)) ? null : named
}
