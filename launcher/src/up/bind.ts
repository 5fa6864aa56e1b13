/** The address on which `up` lets other machines connect, and how programs on this machine reach it. */
import { isIP } from 'node:net'
import { isLoopback } from '@phonerack/shared'

type Environment = Readonly<Record<string, string | undefined>>

/** Wildcard addresses in canonical form. The last is 0.0.0.0 as an IPv6 address. */
const wildcards = new Set(['0.0.0.0', '::', '::ffff:0:0'])

/** An IPv6 address has many forms: `::0` is `::`. The canonical form has no zone (`%eth0`). */
const canonical = (address: string): string =>
  isIP(address) === 6 && !address.includes('%')
    ? new URL(`http://[${address}]`).hostname.slice(1, -1)
    : address

/**
 * Returns the address, or the reason why it is refused. A variable alone opens nothing to other machines,
 * since it may come from another deployment's environment.
 * @param flag value of `--host`
 */
export function bindHost(
  part: 'all' | 'host' | 'control',
  flag: string | undefined,
  env: Environment,
): { host: string } | { refused: string } {
  const variable = part === 'host' ? undefined : env['PHONERACK_HTTP_HOST'] || undefined
  const host = canonical(flag ?? variable ?? '127.0.0.1')
  const source = flag === undefined ? 'PHONERACK_HTTP_HOST' : '--host'
  if (isIP(host) === 0) return { refused: `${source} must be an IP address, not ${host}` }
  if (flag === undefined && !isLoopback(host))
    return {
      refused: `PHONERACK_HTTP_HOST is ${host}, which lets other machines connect: pass --host ${host} to allow it, or unset the variable`,
    }
  if (part === 'host' && isIP(host) === 6)
    return { refused: `--host must be an IPv4 address with --host-only, not ${host}` }
  const name = part === 'host' ? 'PHONERACK_GRPC_ADDRESS' : 'PHONERACK_BASE_URL'
  const example =
    part === 'host' ? 'ADDRESS:PORT that the control plane connects to' : 'URL that clients open'
  if (wildcards.has(host) && !env[name])
    return { refused: `--host ${host} needs the environment variable ${name}, the ${example}` }
  return { host }
}

/** Address under which programs on this machine reach a server that listens on `host`. */
export const nearHost = (host: string): string =>
  host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host

/** `host:port` for URLs. */
export const hostPort = (host: string, port: number): string =>
  isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`
