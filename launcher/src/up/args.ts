/** The command line of `up`. */
import path from 'node:path'
import { parseArgs } from 'node:util'
import { bindHost } from './bind.js'

export interface UpOptions {
  detach: boolean
  /** Data directory, absolute. */
  data: string
  /** Null: the data directory's previous port, otherwise 7700. 0: any free port. */
  port: number | null
  virtualPhones: number
  country: string
  /** The part of the system that runs on this machine. */
  part: 'all' | 'host' | 'control'
  /** IP address that the API, or with `--host-only` the host agent, listens on. */
  host: string
  databaseUrl: string | null
  natsUrl: string | null
}

/** The command line is invalid. The message names the error. */
export class UsageError extends Error {}

export const upUsage = `Usage: ./scripts/up [options]

Starts Phonerack on this machine: Postgres, NATS, the control plane, a host
agent and virtual phones. Everything listens on 127.0.0.1 unless --host is given.

  --detach              run in the background; stop it with ./scripts/down
  --data DIR            folder for all data (default: .phonerack in the checkout)
  --port P              port of the API (default: 7700; 0: any free port)
  --host ADDRESS        IP address that the API listens on, for clients on other machines; it is
                        not encrypted. With --host-only: that the host agent listens on (with TLS)
  --virtual-phones N    number of virtual phones (default: 3)
  --country CC          country of this host, two letters (default: US)
  --host-only           only the host agent and virtual phones; needs --nats-url and, in the
                        environment, PHONERACK_CONTROL_URL and (first start) PHONERACK_JOIN_TOKEN,
                        or PHONERACK_OPERATOR_URL and PHONERACK_OPERATOR_TOKEN to create one
  --control-only        only Postgres, NATS and the control plane
  --database-url U      use this Postgres instead of the embedded one
  --nats-url U          use this NATS server; for the control plane, the environment must contain
                        NATS_CREDS_FILE and NATS_ACCOUNT_SEED_FILE
  --help                print this text
`

/**
 * Null when help was requested.
 * @param root the checkout, which contains the default data directory.
 * @param env names the address when `--host` does not
 * @throws UsageError
 */
export function parseUpArgs(
  argv: readonly string[],
  root: string,
  env: Readonly<Record<string, string | undefined>> = {},
): UpOptions | null {
  const values = parse(argv)
  if (values.help) return null
  if (values['host-only'] && values['control-only'])
    throw new UsageError('--host-only and --control-only cannot be used together')
  const part = values['host-only'] ? 'host' : values['control-only'] ? 'control' : 'all'
  if (part === 'host' && values['nats-url'] === undefined)
    throw new UsageError('--host-only needs --nats-url')
  const country = (values.country ?? 'US').toUpperCase()
  if (!/^[A-Z]{2}$/.test(country))
    throw new UsageError(`--country must be two letters, not ${values.country ?? ''}`)
  const bound = bindHost(part, values.host, env)
  if ('refused' in bound) throw new UsageError(bound.refused)
  return {
    detach: values.detach ?? false,
    data:
      values.data === undefined ? path.join(root, '.phonerack') : path.resolve(nonEmpty('data', values.data)),
    port: values.port === undefined ? null : apiPort(values.port),
    virtualPhones: part === 'control' ? 0 : whole('virtual-phones', values['virtual-phones'] ?? '3', 500),
    country,
    part,
    host: bound.host,
    databaseUrl: url('database-url', values['database-url'], ['postgres:', 'postgresql:']),
    natsUrl: url('nats-url', values['nats-url'], ['nats:', 'tls:']),
  }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: false,
      options: {
        detach: { type: 'boolean' },
        data: { type: 'string' },
        port: { type: 'string' },
        host: { type: 'string' },
        'virtual-phones': { type: 'string' },
        country: { type: 'string' },
        'host-only': { type: 'boolean' },
        'control-only': { type: 'boolean' },
        'database-url': { type: 'string' },
        'nats-url': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? (error.message.split('. ', 1)[0] ?? '') : String(error))
  }
}

function whole(name: string, text: string, max: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : NaN
  if (!(value <= max)) throw new UsageError(`--${name} must be a whole number from 0 to ${max}, not ${text}`)
  return value
}

/** Ports that browsers and Node's `fetch` refuse. Source: the WHATWG Fetch standard, "bad port". */
const badPorts: ReadonlySet<number> = new Set([
  ...[
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  ],
  ...[
    109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  ],
  ...[526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049],
  ...[3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080],
])

function apiPort(text: string): number {
  const port = whole('port', text, 65_535)
  if (badPorts.has(port))
    throw new UsageError(`--port must not be ${port}: browsers and HTTP clients refuse to connect to it`)
  return port
}

function nonEmpty(name: string, text: string): string {
  if (text === '') throw new UsageError(`--${name} must not be empty`)
  return text
}

function url(name: string, text: string | undefined, protocols: readonly string[]): string | null {
  if (text === undefined) return null
  if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol))
    throw new UsageError(
      `--${name} must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`,
    )
  return text
}
