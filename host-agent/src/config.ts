/** The agent's configuration, from its environment. Read once, by `main.ts`. */
import { isLoopback, refutePlainBroker } from '@phonerack/shared'
import { readListen, type Listen } from '@phonerack/shared/metrics'
import { z } from 'zod'

/** Encrypted, or on this machine. */
const isPrivateUrl = (url: string): boolean => {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'))
}

const hostPort = z
  .string()
  .regex(/^(\[[0-9A-Fa-f:.]+\]|[^\s:/[\]]+):\d{1,5}$/, { error: 'must be host:port', abort: true })
  .refine((text) => Number(text.slice(text.lastIndexOf(':') + 1)) <= 65_535, 'has a port above 65535')
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
  .pipe(z.array(hostPort))

/** The variables of the agent. `accept-config.ts` reads some of them. */
export const environment = z.object({
  PHONERACK_DATA_DIR: z.string().min(1),
  PHONERACK_CONTROL_URL: z
    .url({ protocol: /^https?$/, abort: true })
    .refine(
      (url) => isPrivateUrl(url),
      'begins with http:// and names another machine: anyone on the network could read and change the connection; use https://',
    ),
  /** PEM: the only authorities that may sign the certificates of the control URL and of NATS. Default: the system's. */
  PHONERACK_CA_FILE: z.string().optional(),
  /** Required until the host has joined. */
  PHONERACK_JOIN_TOKEN: z.string().optional(),
  PHONERACK_HOST_NAME: z.string().min(1).max(80),
  PHONERACK_COUNTRY: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be a country code such as US')
    .optional(),
  /** Required unless the agent dials. */
  PHONERACK_GRPC_LISTEN: hostPort.optional(),
  PHONERACK_GRPC_ADDRESS: hostPort.optional(),
  /** The agent opens tunnels to the control plane, and no port. docs/decisions/0227 */
  PHONERACK_DIAL: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  /** `host:port` of `/metrics`, which needs no key. Left out: none. */
  PHONERACK_METRICS_LISTEN: z
    .string()
    .refine((text) => readListen(text) !== null, 'must be host:port')
    .optional(),
  PHONERACK_ADB_BIN: z.string().min(1).default('adb'),
  PHONERACK_ADB_CONNECT: list,
  /** Left out: phones have no video, and input uses slower commands. */
  PHONERACK_SCRCPY_SERVER: z.string().optional(),
  /** The operator declares that this host's phones are unreachable over any network. */
  PHONERACK_ISOLATED: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  /** The operator accepts a package-level clean as sufficient for any tenant. docs/decisions/0142 */
  PHONERACK_PACKAGE_CLEAN_FOR_ALL: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  /** Serials of phones that may hold a SIM, separated by commas. */
  PHONERACK_ALLOW_SIMS: z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    ),
  /** Bytes of free space on the disk of the data folder below which the host takes no new work. docs/decisions/0217 */
  PHONERACK_MIN_FREE_BYTES: z.coerce.number().int().min(0).default(500_000_000),
  /** Seconds between checks of battery, storage and similar conditions. */
  PHONERACK_CONDITION_SECONDS: z.coerce.number().int().min(10).max(86_400).default(300),
  /** Bytes of disk for package files. */
  PHONERACK_PACKAGE_CACHE_BYTES: z.coerce.number().int().min(1).default(8_000_000_000),
  PHONERACK_FFMPEG_BIN: z.string().min(1).default('ffmpeg'),
  PHONERACK_FFPROBE_BIN: z.string().min(1).default('ffprobe'),
  /**
   * Bytes of disk for recordings that the control plane has not fetched yet, and free
   * disk space to keep.
   */
  PHONERACK_RECORDING_BYTES: z.coerce.number().int().min(1).default(20_000_000_000),
  PHONERACK_RECORDING_MIN_FREE: z.coerce.number().int().min(0).default(2_000_000_000),
  /** Seconds that running calls get after SIGTERM. Phones are billed and refuse calls for so long. docs/decisions/0218 */
  PHONERACK_STOP_WITHIN: z.coerce.number().min(0).max(120).default(30),
  NATS_URL: z.string().min(1),
  /** Allows a NATS server on another machine without TLS. */
  PHONERACK_NATS_INSECURE: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
})

export interface Config {
  dataDir: string
  controlUrl: string
  /** Null: the system's authorities. */
  caFile: string | null
  joinToken: string | null
  hostName: string
  /** For the join; null: that of the service's other hosts. */
  country: string | null
  /** `host:port`; null: the agent opens tunnels to the control plane. */
  grpcListen: string | null
  /** Null: the same as the listen address. */
  grpcAddress: string | null
  /** Where `/metrics` is served; null: nowhere. */
  metrics: Listen | null
  adbBin: string
  adbConnect: readonly string[]
  /** Null: this host has none. */
  scrcpyServer: string | null
  /** Phones may run helpers that listen on their networks. docs/decisions/0071 */
  isolated: boolean
  /** A package-level clean frees a device for any tenant. docs/decisions/0142 */
  packageCleanFreesAll: boolean
  /** Serials whose phones may hold a SIM. docs/decisions/0167 */
  allowSims: readonly string[]
  /** Milliseconds between condition checks of each phone. */
  conditionEveryMs: number
  /** Bytes: with less free space, the host takes no new work. */
  minFreeBytes: number
  /** Bytes. */
  packageCacheBytes: number
  recordings: {
    ffmpeg: string
    ffprobe: string
    /** Bytes: for all recordings on this host, and free disk space to keep. */
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

/** The control plane connects to the agent, or the agent to the control plane: not both. */
function wayIssues(env: NodeJS.ProcessEnv, nameOf: (variable: string) => string): string[] {
  const [listen, address] = ['PHONERACK_GRPC_LISTEN', 'PHONERACK_GRPC_ADDRESS'] as const
  const dial = nameOf('PHONERACK_DIAL')
  if (env['PHONERACK_DIAL'] !== 'true')
    return env[listen] === undefined ? [`${nameOf(listen)}: is missing (or set ${dial} to true)`] : []
  return [listen, address]
    .filter((variable) => env[variable] !== undefined)
    .map((variable) => `${nameOf(variable)}: must be left out, since ${dial} is true`)
}
