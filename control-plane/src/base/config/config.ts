/**
 * Reads the control plane's configuration from its environment, once, at start. The defaults of limits are the
 * specification's values; a deployment may override them.
 */
import path from 'node:path'
import { price, refutePlainBroker } from '@phonerack/shared'
import { readListen, type Listen } from '@phonerack/shared/metrics'
import type { z } from 'zod'
import { readConsoles, type ConsoleConfigs } from './console.js'
import { degradedRules } from './degraded.js'
import { environment } from './environment.js'
import { isHalfTls, readListenerTls, type TlsFiles } from './listener-tls.js'
import { readPayments, type PaymentsConfig } from './payments.js'
import { readRetention } from './retention.js'
import { readSecretFiles } from './secret-files.js'
import { readSignIn, signInProblems, type SignInConfig } from './sign-in.js'
import { readStorageConfig, type StorageConfig } from './storage.js'
import { needsTunnelAddress, readTunnels, type TunnelsConfig } from './tunnels.js'
import { readWebhooks, type WebhooksConfig } from './webhooks.js'

const defaultOperatorListen = { host: '127.0.0.1', port: 8090 }

const environmentSchema = environment
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
  .refine((env) => !isHalfTls(env), {
    message: 'and PHONERACK_HTTP_CERT_FILE go together',
    path: ['PHONERACK_HTTP_KEY_FILE'],
  })
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
export const variables: readonly string[] = Object.keys(environment.shape)

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
    /** Null: HTTP without TLS. */
    tls: TlsFiles | null
  }
  /** Milliseconds between SIGTERM and the end of the listeners. */
  stopDelayMs: number
  operator: OperatorListen
  /** Address of the listener for `/metrics`; null: no listener. */
  metrics: Listen | null
  /** Settings of the listener for tunnels of hosts; null: no listener. */
  tunnels: TunnelsConfig | null
  databaseUrl: string
  databasePool: number
  natsUrl: string
  natsCredsFile: string | null
  natsAccountSeedFile: string | null
  /** Files with which this replica replaces the account's claims on the broker; null if it cannot. */
  natsAdmin: { signingSeedFile: string; systemCredsFile: string } | null
  /**
   * Authorities of the broker's certificate; null: the authority of the hosts and the authorities of the
   * system.
   */
  natsCaFile: string | null
  /** The broker's address for hosts; null: an operator configures the address on each machine. */
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
  /** Null if payments are not configured. */
  payments: PaymentsConfig | null
  webhooks: WebhooksConfig
  signIn: SignInConfig
  /** Whether clients that sign in by OAuth may register themselves. */
  allowsRegistration: boolean
  libraryRefreshMs: number
  rules: Rules
}

/** Address of the listener for `/operator/v1`. */
export interface OperatorListen {
  host: string
  port: number
  /** False: the address is the default, so a port in use does not prevent the start. */
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
  /** Rules for when the devices of a host fail together (`devices/degraded.ts`). */
  degraded: ReturnType<typeof degradedRules>
  hostLateAfterMs: number
  hostLostAfterMs: number
  lostForGoodAfterMs: number
  activityAccuracyMs: number
  lifecyclePerMinute: number
  idempotencyWindowMs: number
  /** Milliseconds for which events and their deliveries are kept. */
  eventLifeMs: number
  replicaDeadAfterMs: number
  /** The location of phones until a client sets one, in degrees. */
  defaultLocation: { lat: number; lng: number }
  perSecondMicros: bigint
  minimumSeconds: number
  /** Whether clients can buy credit themselves. */
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

/** @throws ZodError that names missing or wrong variables; StartRefusal about the file of a secret */
export function readConfig(variablesOfProcess: Record<string, string | undefined>): Config {
  const env = environmentSchema.parse(readSecretFiles(variablesOfProcess))
  const operator = readOperatorListen(env.PHONERACK_OPERATOR_LISTEN)
  const tls = readListenerTls(env)
  const scheme = tls === null ? 'http' : 'https'
  const baseUrl =
    env.PHONERACK_BASE_URL ?? `${scheme}://${env.PHONERACK_HTTP_HOST}:${env.PHONERACK_HTTP_PORT}`
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
      tls,
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
