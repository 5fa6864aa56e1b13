/**
 * Reads the control plane's configuration from its environment, once, at start. Limits default to
 * the specification's values; a deployment may override them.
 */
import { hostname } from 'node:os'
import path from 'node:path'
import { limits, price, refutePlainBroker } from '@phonerack/shared'
import { readListen, type Listen } from '@phonerack/shared/metrics'
import { z } from 'zod'
import { consoleEnvironment, readConsoles, type ConsoleConfigs } from './console.js'
import { degradedRules } from './degraded.js'
import { mcpEnvironment } from './mcp.js'
import { paymentsEnvironment, readPayments, type PaymentsConfig } from './payments.js'
import { readRetention, retentionEnvironment } from './retention.js'
import { readSecretFiles, secretFileEnvironment } from './secret-files.js'
import { readSignIn, signInEnvironment, signInProblems, type SignInConfig } from './sign-in.js'
import { readStorageConfig, storageEnvironment, type StorageConfig } from './storage.js'
import { needsTunnelAddress, readTunnels, tunnelEnvironment, type TunnelsConfig } from './tunnels.js'
import { readWebhooks, webhookEnvironment, type WebhooksConfig } from './webhooks.js'

const defaultOperatorListen = { host: '127.0.0.1', port: 8090 }

const int = (fallback: number, min = 0) => z.coerce.number().int().min(min).default(fallback)

const environmentSchema = z
  .object({
    PHONERACK_HTTP_HOST: z.string().default('127.0.0.1'),
    PHONERACK_HTTP_PORT: int(8080),
    /**
     * `host:port` of `/operator/v1`. Left out: a loopback port, or none when another program uses
     * it.
     */
    PHONERACK_OPERATOR_LISTEN: z
      .string()
      .refine((text) => readListen(text) !== null, 'must be host:port')
      .optional(),
    /** `host:port` of `/metrics`, which needs no key. Left out: none. */
    PHONERACK_METRICS_LISTEN: z
      .string()
      .refine((text) => readListen(text) !== null, 'must be host:port')
      .optional(),
    ...tunnelEnvironment,
    ...mcpEnvironment,
    ...consoleEnvironment,
    ...signInEnvironment,
    /** Public address of the API, for absolute URLs. */
    PHONERACK_BASE_URL: z.url().optional(),
    /** Addresses or networks, separated by commas, of proxies whose `X-Forwarded-For` counts. */
    PHONERACK_TRUSTED_PROXIES: z.string().default(''),
    /** Seconds between SIGTERM and the end of the listeners, in which load balancers see `/readyz` fail. */
    PHONERACK_STOP_DELAY: int(5),
    /** Seconds that running requests then get to finish. */
    PHONERACK_STOP_WITHIN: int(30),
    /** Seconds that create, start and park wait. */
    PHONERACK_LIFECYCLE_WAIT: int(limits.lifecycleWait),
    DATABASE_URL: z.string().min(1),
    ...secretFileEnvironment,
    NATS_URL: z.string().min(1),
    NATS_CREDS_FILE: z.string().optional(),
    NATS_ACCOUNT_SEED_FILE: z.string().optional(),
    /** Both, or neither, without which the broker keeps the users of retired hosts. */
    NATS_SIGNING_SEED_FILE: z.string().min(1).optional(),
    NATS_SYSTEM_CREDS_FILE: z.string().min(1).optional(),
    /** PEM: the only authorities for the broker's certificate. Default: that of the hosts, and the system's. */
    NATS_CA_FILE: z.string().min(1).optional(),
    /** Allows a NATS server on another machine without TLS. */
    PHONERACK_NATS_INSECURE: z.enum(['true', 'false']).default('false'),
    /** The broker's address for hosts that join. Default: `NATS_URL`, unless it contains a password. */
    PHONERACK_HOST_NATS_URL: z.url({ protocol: /^(nats|tls|wss?)$/ }).optional(),
    PHONERACK_PKI_DIR: z.string().min(1),
    /** The same key for all replicas. Default: `service.key` in PHONERACK_PKI_DIR. */
    PHONERACK_SERVICE_KEY_FILE: z.string().min(1).optional(),
    /**
     * `yes`: replaces a certificate authority that this replica cannot use, after which every host
     * must join again.
     */
    PHONERACK_NEW_AUTHORITY: z.enum(['yes', 'no']).default('no'),
    /** Unique to this process, and stable across its restarts. */
    PHONERACK_REPLICA_ID: z
      .string()
      .min(1)
      .default(() => `control-plane-${hostname()}`),
    PHONERACK_OPERATOR_TOKEN_SHA256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
    /** `off`: this replica serves requests and leaves jobs to others. */
    PHONERACK_JOBS: z.enum(['on', 'off']).default('on'),
    PHONERACK_DATABASE_POOL: int(20, 2),
    /** Seconds. */
    PHONERACK_CREATE_DEADLINE: int(limits.createDeadline, 1),
    PHONERACK_START_DEADLINE: int(limits.startDeadline, 1),
    PHONERACK_REBOOT_EVERY: int(limits.rebootEvery, 1),
    PHONERACK_RESET_EVERY: int(limits.resetEvery, 1),
    /** Seconds that a phone may be away for a reboot or reset. */
    PHONERACK_RESTART_GRACE: z.coerce
      .number()
      .int()
      .min(1)
      .max(limits.restartGrace.max)
      .default(limits.restartGrace.default),
    /** Deadline of one wipe or enrolment, in seconds. */
    PHONERACK_CARE_DEADLINE: int(300, 1),
    /** Devices of a host that fail within this time, in seconds, fail together. 0: never. docs/decisions/0219 */
    PHONERACK_DEGRADED_WINDOW: int(300, 0),
    PHONERACK_HOST_LATE_AFTER: int(limits.hostLateAfter, 1),
    PHONERACK_HOST_LOST_AFTER: int(limits.hostLostAfter, 1),
    PHONERACK_LOST_FOR_GOOD_AFTER: int(86_400, 1),
    PHONERACK_ACTIVITY_ACCURACY: int(limits.activityAccuracy, 1),
    PHONERACK_LIFECYCLE_PER_MINUTE: int(limits.lifecyclePerProjectPerMinute, 1),
    PHONERACK_REQUESTS_PER_MINUTE: int(limits.requestsPerKeyPerMinute, 1),
    PHONERACK_WAITS_PER_KEY: int(limits.waitsPerKey, 1),
    PHONERACK_STREAMS_PER_KEY: int(limits.streamsPerKey, 1),
    PHONERACK_LIVE_LINKS_PER_PHONE: int(limits.live.linksPerPhone, 1),
    PHONERACK_LIVE_LINKS_PER_PROJECT: int(limits.live.linksPerProject, 1),
    PHONERACK_FAILURES_PER_MINUTE: int(limits.failuresPerAddressPerMinute, 1),
    ...retentionEnvironment,
    PHONERACK_IDEMPOTENCY_HOURS: int(limits.idempotencyWindowHours, 1),
    PHONERACK_REPLICA_DEAD_AFTER: int(10, 2),
    /** `LATITUDE,LONGITUDE` in degrees: the location of phones until one is set. */
    PHONERACK_DEFAULT_LOCATION: z
      .string()
      .regex(/^-?\d{1,2}(\.\d+)?,-?\d{1,3}(\.\d+)?$/)
      .default('40.7128,-74.0060'),
    ...paymentsEnvironment,
    ...webhookEnvironment,
    ...storageEnvironment,
    /** Bytes. */
    PHONERACK_UPLOAD_FILE_MAX: int(limits.uploads.fileBytes, 1),
    PHONERACK_UPLOAD_PROJECT_MAX: int(limits.uploads.projectBytes, 1),
    /** Bytes of all projects' files that are not yet completed. */
    PHONERACK_UPLOAD_WAITING_MAX: int(20 * limits.uploads.fileBytes, 1),
    /** Bytes of one project's files that are not yet completed. */
    PHONERACK_UPLOAD_PROJECT_WAITING_MAX: int(limits.uploads.projectWaitingBytes, 1),
    PHONERACK_UPLOADS_PER_DAY: int(limits.uploads.perDay, 1),
    /** Seconds in which the file must arrive. */
    PHONERACK_UPLOAD_SEND_WITHIN: int(limits.uploads.sendWithin / 1000, 1),
    /**
     * Seconds: until the first file, since the last install, and since the last install once a
     * newer build is ready.
     */
    PHONERACK_UPLOAD_AWAITING_LIFE: int(limits.uploads.awaitingLife, 1),
    PHONERACK_UPLOAD_LIFE: int(limits.uploads.life, 1),
    PHONERACK_UPLOAD_SUPERSEDED_LIFE: int(limits.uploads.supersededLife, 1),
    PHONERACK_RECORDINGS_PER_PROJECT: int(limits.recordings.perProject, 1),
    /** Bytes. */
    PHONERACK_RECORDING_PROJECT_MAX: int(limits.recordings.projectBytes, 1),
    /** Seconds. */
    PHONERACK_RECORDING_LIFE: int(limits.recordings.life, 1),
    /** Seconds after which the app library is reloaded. */
    PHONERACK_LIBRARY_REFRESH: int(limits.libraryRefresh, 1),
    PHONERACK_PRICE_PER_SECOND_MICROS: z.coerce.bigint().positive().default(price.perSecondMicros),
  })
  .refine(
    (env) =>
      (env.PHONERACK_STRIPE_SECRET_KEY === undefined) === (env.PHONERACK_STRIPE_WEBHOOK_SECRET === undefined),
    {
      message: 'PHONERACK_STRIPE_SECRET_KEY and PHONERACK_STRIPE_WEBHOOK_SECRET go together',
      path: ['PHONERACK_STRIPE_WEBHOOK_SECRET'],
    },
  )
  .refine(
    (env) => (env.NATS_SIGNING_SEED_FILE === undefined) === (env.NATS_SYSTEM_CREDS_FILE === undefined),
    {
      message: 'NATS_SIGNING_SEED_FILE and NATS_SYSTEM_CREDS_FILE go together',
      path: ['NATS_SYSTEM_CREDS_FILE'],
    },
  )
  .refine((env) => !needsTunnelAddress(env), {
    message: 'is needed, since PHONERACK_TUNNEL_LISTEN names all addresses of this machine',
    path: ['PHONERACK_TUNNEL_ADDRESS'],
  })
  .superRefine((env, context) => {
    for (const { name, message } of signInProblems(env))
      context.addIssue({ code: 'custom', message, path: [name] })
  })
  .superRefine((env, context) => {
    if (env.PHONERACK_NATS_INSECURE === 'true') return
    for (const name of ['NATS_URL', 'PHONERACK_HOST_NATS_URL'] as const) {
      const fault = env[name] === undefined ? null : refutePlainBroker(env[name])
      if (fault === null) continue
      const message = `${fault}. Give NATS a certificate (\`phonerack-control-plane nats-config\`) and use a tls: address; if the network is private, set PHONERACK_NATS_INSECURE=true`
      context.addIssue({ code: 'custom', message, path: [name] })
    }
  })

/** The variables that configure the control plane. */
export const variables: readonly string[] = Object.keys(environmentSchema.shape)

export interface Config extends ConsoleConfigs {
  http: {
    host: string
    port: number
    baseUrl: string
    trustedProxies: string[]
    lifecycleWait: number
    waitsPerKey: number
    streamsPerKey: number
    mcpOrigins: string[]
    stopWithinMs: number
  }
  /** Milliseconds between SIGTERM and the end of the listeners. */
  stopDelayMs: number
  operator: OperatorListen
  /** Where `/metrics` is served; null: nowhere. */
  metrics: Listen | null
  /** Where hosts open tunnels; null: nowhere. */
  tunnels: TunnelsConfig | null
  databaseUrl: string
  databasePool: number
  natsUrl: string
  natsCredsFile: string | null
  natsAccountSeedFile: string | null
  /** Files with which this replica replaces the account's claims on the broker; null: it cannot. */
  natsAdmin: { signingSeedFile: string; systemCredsFile: string } | null
  /** Authorities of the broker's certificate; null: that of the hosts, and the system's. */
  natsCaFile: string | null
  /** The broker's address for hosts; null: the machine that joins must know it. */
  hostNatsUrl: string | null
  pkiDir: string
  serviceKeyFile: string
  newAuthority: boolean
  replicaId: string
  runsJobs: boolean
  operatorTokenHash: string | null
  requestsPerKeyPerMinute: number
  failuresPerMinute: number
  storage: StorageConfig
  /** Null: payments are not configured. */
  payments: PaymentsConfig | null
  webhooks: WebhooksConfig
  signIn: SignInConfig
  /** Clients that sign in by OAuth may register themselves. */
  allowsRegistration: boolean
  libraryRefreshMs: number
  rules: Rules
}

/** Where `/operator/v1` is served. */
export interface OperatorListen {
  host: string
  port: number
  /** False: this address is the default, so a port in use does not prevent the start. */
  isChosen: boolean
}

/** Limits for the service's decisions; times in milliseconds. */
export interface Rules extends ReturnType<typeof readRetention> {
  createDeadlineMs: number
  startDeadlineMs: number
  rebootEveryMs: number
  resetEveryMs: number
  restartGraceMs: number
  /** Deadline of one wipe or enrolment. */
  careDeadlineMs: number
  /** When devices of a host fail together (`devices/degraded.ts`). */
  degraded: ReturnType<typeof degradedRules>
  hostLateAfterMs: number
  hostLostAfterMs: number
  lostForGoodAfterMs: number
  activityAccuracyMs: number
  lifecyclePerMinute: number
  idempotencyWindowMs: number
  /** How long events and their deliveries are kept. */
  eventLifeMs: number
  replicaDeadAfterMs: number
  /** Degrees: the location of phones until one is set. */
  defaultLocation: { lat: number; lng: number }
  perSecondMicros: bigint
  minimumSeconds: number
  /** Clients can buy credit themselves. */
  sellsCredit: boolean
  uploads: UploadRules
  recordings: { perProject: number; projectBytes: number; lifeMs: number }
  live: { linksPerPhone: number; linksPerProject: number }
}

/** Sizes in bytes, times in milliseconds. */
export interface UploadRules {
  fileBytes: number
  projectBytes: number
  waitingBytes: number
  projectWaitingBytes: number
  perDay: number
  sendWithinMs: number
  awaitingMs: number
  lifeMs: number
  supersededMs: number
}

/** @throws ZodError naming the variables that are missing or wrong, StartRefusal about a file of a secret */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const env = environmentSchema.parse(readSecretFiles(environment))
  const operator = readOperatorListen(env.PHONERACK_OPERATOR_LISTEN)
  const baseUrl = env.PHONERACK_BASE_URL ?? `http://${env.PHONERACK_HTTP_HOST}:${env.PHONERACK_HTTP_PORT}`
  return {
    http: {
      host: env.PHONERACK_HTTP_HOST,
      port: env.PHONERACK_HTTP_PORT,
      baseUrl,
      trustedProxies: env.PHONERACK_TRUSTED_PROXIES.split(',')
        .map((proxy) => proxy.trim())
        .filter((proxy) => proxy !== ''),
      lifecycleWait: env.PHONERACK_LIFECYCLE_WAIT,
      waitsPerKey: env.PHONERACK_WAITS_PER_KEY,
      streamsPerKey: env.PHONERACK_STREAMS_PER_KEY,
      mcpOrigins: env.PHONERACK_MCP_ORIGINS,
      stopWithinMs: env.PHONERACK_STOP_WITHIN * 1000,
    },
    stopDelayMs: env.PHONERACK_STOP_DELAY * 1000,
    operator,
    metrics: env.PHONERACK_METRICS_LISTEN === undefined ? null : readListen(env.PHONERACK_METRICS_LISTEN),
    tunnels: readTunnels(env),
    databaseUrl: env.DATABASE_URL,
    databasePool: env.PHONERACK_DATABASE_POOL,
    natsUrl: env.NATS_URL,
    natsCredsFile: env.NATS_CREDS_FILE ?? null,
    natsAccountSeedFile: env.NATS_ACCOUNT_SEED_FILE ?? null,
    natsAdmin: readNatsAdmin(env),
    natsCaFile: env.NATS_CA_FILE ?? null,
    hostNatsUrl: env.PHONERACK_HOST_NATS_URL ?? (env.NATS_URL.includes('@') ? null : env.NATS_URL),
    pkiDir: env.PHONERACK_PKI_DIR,
    serviceKeyFile: env.PHONERACK_SERVICE_KEY_FILE ?? path.join(env.PHONERACK_PKI_DIR, 'service.key'),
    newAuthority: env.PHONERACK_NEW_AUTHORITY === 'yes',
    replicaId: env.PHONERACK_REPLICA_ID,
    runsJobs: env.PHONERACK_JOBS === 'on',
    operatorTokenHash: env.PHONERACK_OPERATOR_TOKEN_SHA256 ?? null,
    requestsPerKeyPerMinute: env.PHONERACK_REQUESTS_PER_MINUTE,
    failuresPerMinute: env.PHONERACK_FAILURES_PER_MINUTE,
    libraryRefreshMs: env.PHONERACK_LIBRARY_REFRESH * 1000,
    storage: readStorageConfig(env, env.PHONERACK_PKI_DIR),
    payments: readPayments(env),
    webhooks: readWebhooks(env, baseUrl, env.PHONERACK_HTTP_HOST),
    signIn: readSignIn(env, baseUrl, env.PHONERACK_HTTP_HOST),
    ...readConsoles(env, baseUrl, operator),
    allowsRegistration: env.PHONERACK_OAUTH_REGISTRATION === 'on',
    rules: {
      createDeadlineMs: env.PHONERACK_CREATE_DEADLINE * 1000,
      startDeadlineMs: env.PHONERACK_START_DEADLINE * 1000,
      rebootEveryMs: env.PHONERACK_REBOOT_EVERY * 1000,
      resetEveryMs: env.PHONERACK_RESET_EVERY * 1000,
      restartGraceMs: env.PHONERACK_RESTART_GRACE * 1000,
      careDeadlineMs: env.PHONERACK_CARE_DEADLINE * 1000,
      degraded: degradedRules(env.PHONERACK_DEGRADED_WINDOW),
      hostLateAfterMs: env.PHONERACK_HOST_LATE_AFTER * 1000,
      hostLostAfterMs: env.PHONERACK_HOST_LOST_AFTER * 1000,
      lostForGoodAfterMs: env.PHONERACK_LOST_FOR_GOOD_AFTER * 1000,
      ...readRetention(env),
      activityAccuracyMs: env.PHONERACK_ACTIVITY_ACCURACY * 1000,
      lifecyclePerMinute: env.PHONERACK_LIFECYCLE_PER_MINUTE,
      eventLifeMs: env.PHONERACK_EVENT_DAYS * 86_400_000,
      idempotencyWindowMs: env.PHONERACK_IDEMPOTENCY_HOURS * 3_600_000,
      replicaDeadAfterMs: env.PHONERACK_REPLICA_DEAD_AFTER * 1000,
      defaultLocation: readLocation(env.PHONERACK_DEFAULT_LOCATION),
      perSecondMicros: env.PHONERACK_PRICE_PER_SECOND_MICROS,
      minimumSeconds: price.minimumSeconds,
      sellsCredit: env.PHONERACK_STRIPE_SECRET_KEY !== undefined,
      uploads: {
        fileBytes: env.PHONERACK_UPLOAD_FILE_MAX,
        projectBytes: env.PHONERACK_UPLOAD_PROJECT_MAX,
        waitingBytes: env.PHONERACK_UPLOAD_WAITING_MAX,
        projectWaitingBytes: env.PHONERACK_UPLOAD_PROJECT_WAITING_MAX,
        perDay: env.PHONERACK_UPLOADS_PER_DAY,
        sendWithinMs: env.PHONERACK_UPLOAD_SEND_WITHIN * 1000,
        awaitingMs: env.PHONERACK_UPLOAD_AWAITING_LIFE * 1000,
        lifeMs: env.PHONERACK_UPLOAD_LIFE * 1000,
        supersededMs: env.PHONERACK_UPLOAD_SUPERSEDED_LIFE * 1000,
      },
      recordings: {
        perProject: env.PHONERACK_RECORDINGS_PER_PROJECT,
        projectBytes: env.PHONERACK_RECORDING_PROJECT_MAX,
        lifeMs: env.PHONERACK_RECORDING_LIFE * 1000,
      },
      live: {
        linksPerPhone: env.PHONERACK_LIVE_LINKS_PER_PHONE,
        linksPerProject: env.PHONERACK_LIVE_LINKS_PER_PROJECT,
      },
    },
  }
}

function readOperatorListen(text: string | undefined): OperatorListen {
  const listen = text === undefined ? null : readListen(text)
  return { ...(listen ?? defaultOperatorListen), isChosen: listen !== null }
}

function readNatsAdmin(env: z.infer<typeof environmentSchema>): Config['natsAdmin'] {
  const { NATS_SIGNING_SEED_FILE: signingSeedFile, NATS_SYSTEM_CREDS_FILE: systemCredsFile } = env
  if (signingSeedFile === undefined || systemCredsFile === undefined) return null
  return { signingSeedFile, systemCredsFile }
}

function readLocation(text: string): { lat: number; lng: number } {
  const [lat = 0, lng = 0] = text.split(',').map(Number)
  return { lat, lng }
}
