/** The agent's configuration, from its environment. Read once, by `main.ts`. */
import { isLoopback, refutePlainBroker } from '@phonerack/shared'
import { readListen, type Listen } from '@phonerack/shared/metrics'
import { setting } from '@phonerack/shared/settings'
import { z } from 'zod'
import { phoneKinds, type PhoneKind } from '../devices/supervision/kinds.js'

/** Whether the broker's connection is encrypted, or the broker is on this machine. */
const isPrivateUrl = (url: string): boolean => {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'))
}

const hostPort = z
  .string()
  .regex(/^(\[[0-9A-Fa-f:.]+\]|[^\s:/[\]]+):\d{1,5}$/, { error: 'must be host:port', abort: true })
  .refine((text) => Number(text.slice(text.lastIndexOf(':') + 1)) <= 65_535, 'has a port above 65535')
const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
const toggle = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true')
const bytes = (about: string, fallback: number, min = 0) =>
  setting(z.coerce.number().int().min(min).default(fallback), about, { unit: 'bytes' })
const program = (about: string, name: string) => setting(z.string().min(1).default(name), about)

/** The variables of the agent. `accept-config.ts` reads some variables, and docs/settings.md lists all of them. */
export const environment = z.object({
  PHONERACK_DATA_DIR: setting(
    z.string().min(1),
    'Folder of the state: identity, ADB key, records of phones, recordings.',
  ),
  PHONERACK_CONTROL_URL: setting(
    z
      .url({ protocol: /^https?$/, abort: true })
      .refine(
        (url) => isPrivateUrl(url),
        'begins with http:// and names another machine: anyone on the network could read and change the connection; use https://',
      ),
    'Address of the control plane.',
  ),
  PHONERACK_CA_FILE: setting(
    z.string().optional(),
    'PEM file of the only authorities that the agent trusts for the certificates of the control plane’s address and of NATS. For NATS, the agent also trusts the authority of the hosts.',
    { fallback: 'the system’s' },
  ),
  PHONERACK_JOIN_TOKEN: setting(
    z.string().optional(),
    'Token of `ctl host token`, for the first start without `phonerack-agent join`. The configuration file must not contain this setting.',
  ),
  PHONERACK_HOST_NAME: setting(
    z.string().min(1).max(80),
    'Name of the host when it joins; `ctl host set` changes the name later.',
  ),
  PHONERACK_COUNTRY: setting(
    z
      .string()
      .regex(/^[A-Z]{2}$/, 'must be a country code such as US')
      .optional(),
    'Country of the host when it joins, such as `DE`.',
    { fallback: 'the country of all other hosts' },
  ),
  PHONERACK_GRPC_LISTEN: setting(
    hostPort.optional(),
    'Address on which the agent listens for the control plane. Required unless `dial` is `true`.',
    { unit: 'host:port' },
  ),
  PHONERACK_GRPC_ADDRESS: setting(
    hostPort.optional(),
    'Address to which the control plane connects, if it differs from `grpc_listen`.',
    { unit: 'host:port', fallback: '`PHONERACK_GRPC_LISTEN`' },
  ),
  // docs/decisions/0227
  PHONERACK_DIAL: setting(
    toggle,
    '`true`: the agent opens tunnels to the control plane, and listens on no port.',
  ),
  PHONERACK_METRICS_LISTEN: setting(
    z
      .string()
      .refine((text) => readListen(text) !== null, 'must be host:port')
      .optional(),
    'Address on which the agent serves `/metrics` for Prometheus, without a key. Use loopback or a private network.',
    { unit: 'host:port' },
  ),
  PHONERACK_ADB_BIN: program(
    'Path or name of adb. With version 34 or newer, each phone on USB has a separate adb server.',
    'adb',
  ),
  PHONERACK_ADB_CONNECT: setting(
    z.string().default('').transform(listOf).pipe(z.array(hostPort)),
    'Phones that are reached over the network instead of USB: addresses of their adbd, separated by commas.',
    { unit: 'host:port' },
  ),
  PHONERACK_SCRCPY_SERVER: setting(
    z.string().optional(),
    'Path of the scrcpy server 3.3.3. Without this file, phones have no video, and input uses slower commands.',
    { fallback: 'the server in the package' },
  ),
  PHONERACK_MOTION: setting(
    z.enum(['on', 'off']).default('on'),
    '`off`: no small video of a phone runs while an agent acts on it. Observations then wait fixed times, and read the elements each time.',
  ),
  // docs/decisions/0320
  PHONERACK_SHELL: setting(
    z
      .string()
      .default('virtual')
      .transform((text) => (text === 'off' ? [] : listOf(text)))
      .pipe(z.array(z.enum(phoneKinds))),
    'Kinds of phones on which tenants may run shell commands, separated by commas: `handset`, `avd`, `redroid`, `virtual`; or `off`. A tenant with a shell can make a handset unreachable until somebody goes to the rack. On `avd` and `redroid`, `su` makes a tenant root, who can reach other tenants: list these kinds only where all tenants trust each other.',
  ),
  PHONERACK_ISOLATED: setting(
    toggle,
    '`true`: the phones can neither reach each other nor be reached over any network, so a faster helper app is used.',
  ),
  // docs/decisions/0142
  PHONERACK_PACKAGE_CLEAN_FOR_ALL: setting(
    toggle,
    '`true`: a phone that was cleaned package by package may go to any tenant.',
  ),
  PHONERACK_ALLOW_SIMS: setting(
    z.string().default('').transform(listOf),
    'Serials of phones that may hold a SIM, separated by commas.',
  ),
  // docs/decisions/0217
  PHONERACK_MIN_FREE_BYTES: bytes(
    'Free space on the disk of the state folder. With less space, the host takes no new work.',
    500_000_000,
  ),
  PHONERACK_CONDITION_SECONDS: setting(
    z.coerce.number().int().min(10).max(86_400).default(300),
    'Time between two checks of battery, temperature and storage of a phone; at least 10.',
    { unit: 'seconds' },
  ),
  PHONERACK_PACKAGE_CACHE_BYTES: bytes(
    'Maximum size of the package files that the host keeps after installs.',
    8_000_000_000,
    1,
  ),
  PHONERACK_FFMPEG_BIN: program('Path or name of ffmpeg, 5.1 or newer.', 'ffmpeg'),
  PHONERACK_FFPROBE_BIN: program('Path or name of ffprobe, 5.1 or newer.', 'ffprobe'),
  PHONERACK_RECORDING_BYTES: bytes(
    'Maximum size of the recordings that the control plane has not fetched yet.',
    20_000_000_000,
    1,
  ),
  PHONERACK_RECORDING_MIN_FREE: bytes('Free space on the disk that recordings must leave.', 2_000_000_000),
  // docs/decisions/0218
  PHONERACK_STOP_WITHIN: setting(
    z.coerce.number().min(0).max(120).default(30),
    'Time that running calls get after SIGTERM; at most 120. Meanwhile, phones are billed and refuse new calls.',
    { unit: 'seconds' },
  ),
  NATS_URL: setting(z.string().min(1), 'Address of NATS. A server on another machine needs `tls:`.'),
  PHONERACK_NATS_INSECURE: setting(toggle, '`true`: NATS may be on another machine without TLS.'),
})

export interface Config {
  dataDir: string
  controlUrl: string
  /** Null when the system's authorities apply. */
  caFile: string | null
  joinToken: string | null
  hostName: string
  /** The country for the join; null when the country of the service's other hosts applies. */
  country: string | null
  /** `host:port`; null when the agent opens tunnels to the control plane. */
  grpcListen: string | null
  /** Null when the address equals the listen address. */
  grpcAddress: string | null
  /** The address of `/metrics`; null when the agent does not serve metrics. */
  metrics: Listen | null
  adbBin: string
  adbConnect: readonly string[]
  /** Null when this host has no scrcpy server. */
  scrcpyServer: string | null
  /** Whether observations use a signal of the screen's drawings. docs/decisions/0336 */
  withMotion: boolean
  /** The kinds of phones on which tenants may run shell commands. docs/decisions/0320 */
  shellKinds: readonly PhoneKind[]
  /** Whether phones may run helpers that listen on their networks. */
  isolated: boolean
  /** Whether a package-level clean frees a device for any tenant. docs/decisions/0142 */
  packageCleanFreesAll: boolean
  /** Serials whose phones may hold a SIM. */
  allowSims: readonly string[]
  /** Milliseconds between condition checks of each phone. */
  conditionEveryMs: number
  /** The free space in bytes below which the host takes no new work. */
  minFreeBytes: number
  /** Bytes. */
  packageCacheBytes: number
  recordings: {
    ffmpeg: string
    ffprobe: string
    /** Maximum bytes of all recordings on this host, and the free disk space to keep. */
    bytes: number
    minFree: number
  }
  /** Milliseconds that running calls get when the agent stops. */
  stopWithinMs: number
  natsUrl: string
}

/** The variables that configure the agent. */
export const variables: readonly string[] = Object.keys(environment.shape)

const wildcard = /^(0\.0\.0\.0|\[::\]):/

/**
 * @param nameOf the name of a variable in errors
 * @throws Error that names every missing or invalid variable
 */
export function readConfig(env: NodeJS.ProcessEnv, nameOf = (variable: string): string => variable): Config {
  const parsed = environment.safeParse(env)
  const issues = (parsed.error?.issues ?? []).map(({ path, message }) => {
    const [variable = '', ...rest] = path.map(String)
    return `${[nameOf(variable), ...rest].join('.')}: ${env[variable] === undefined ? 'is missing' : message}`
  })
  issues.push(...wayIssues(env, nameOf))
  if (!parsed.success || issues.length > 0) throw new Error(`configuration: ${issues.join('; ')}`)
  const found = parsed.data
  const listen = found.PHONERACK_GRPC_LISTEN ?? null
  if (wildcard.test(found.PHONERACK_GRPC_ADDRESS ?? listen ?? ''))
    throw new Error(
      `configuration: ${nameOf('PHONERACK_GRPC_ADDRESS')}: must be an address that the control plane can connect to, because ${nameOf('PHONERACK_GRPC_LISTEN')} names all addresses of this machine`,
    )
  const plainBroker = found.PHONERACK_NATS_INSECURE ? null : refutePlainBroker(found.NATS_URL)
  if (plainBroker !== null)
    throw new Error(
      `configuration: ${nameOf('NATS_URL')}: ${plainBroker}. Use a tls: address; if the network is private, set ${nameOf('PHONERACK_NATS_INSECURE')} to true`,
    )
  return {
    dataDir: found.PHONERACK_DATA_DIR,
    controlUrl: found.PHONERACK_CONTROL_URL,
    caFile: found.PHONERACK_CA_FILE || null,
    joinToken: found.PHONERACK_JOIN_TOKEN || null,
    hostName: found.PHONERACK_HOST_NAME,
    country: found.PHONERACK_COUNTRY ?? null,
    grpcListen: listen,
    grpcAddress: found.PHONERACK_GRPC_ADDRESS ?? null,
    metrics: found.PHONERACK_METRICS_LISTEN === undefined ? null : readListen(found.PHONERACK_METRICS_LISTEN),
    adbBin: found.PHONERACK_ADB_BIN,
    adbConnect: found.PHONERACK_ADB_CONNECT,
    scrcpyServer: found.PHONERACK_SCRCPY_SERVER || null,
    withMotion: found.PHONERACK_MOTION === 'on',
    shellKinds: found.PHONERACK_SHELL,
    isolated: found.PHONERACK_ISOLATED,
    packageCleanFreesAll: found.PHONERACK_PACKAGE_CLEAN_FOR_ALL,
    allowSims: found.PHONERACK_ALLOW_SIMS,
    conditionEveryMs: found.PHONERACK_CONDITION_SECONDS * 1000,
    minFreeBytes: found.PHONERACK_MIN_FREE_BYTES,
    packageCacheBytes: found.PHONERACK_PACKAGE_CACHE_BYTES,
    recordings: {
      ffmpeg: found.PHONERACK_FFMPEG_BIN,
      ffprobe: found.PHONERACK_FFPROBE_BIN,
      bytes: found.PHONERACK_RECORDING_BYTES,
      minFree: found.PHONERACK_RECORDING_MIN_FREE,
    },
    stopWithinMs: found.PHONERACK_STOP_WITHIN * 1000,
    natsUrl: found.NATS_URL,
  }
}

/** Checks that either the control plane connects to the agent, or the agent to the control plane, but not both. */
function wayIssues(env: NodeJS.ProcessEnv, nameOf: (variable: string) => string): string[] {
  const [listen, address] = ['PHONERACK_GRPC_LISTEN', 'PHONERACK_GRPC_ADDRESS'] as const
  const dial = nameOf('PHONERACK_DIAL')
  if (env['PHONERACK_DIAL'] !== 'true')
    return env[listen] === undefined ? [`${nameOf(listen)}: is missing (or set ${dial} to true)`] : []
  return [listen, address]
    .filter((variable) => env[variable] !== undefined)
    .map((variable) => `${nameOf(variable)}: must be left out, since ${dial} is true`)
}
