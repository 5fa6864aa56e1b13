/** The settings of the control plane by subject. `config.ts` reads them, and docs/settings.md lists them. */
import { hostname } from 'node:os'
import { limits, price } from '@phonerack/shared'
import { readListen } from '@phonerack/shared/metrics'
import { setting } from '@phonerack/shared/settings'
import { z } from 'zod'
import { consoleEnvironment } from './console.js'
import { listenerTlsEnvironment } from './listener-tls.js'
import { mcpEnvironment } from './mcp.js'
import { paymentsEnvironment } from './payments.js'
import { retentionEnvironment } from './retention.js'
import { secretFileEnvironment } from './secret-files.js'
import { signInEnvironment } from './sign-in.js'
import { storageEnvironment } from './storage.js'
import { tunnelEnvironment } from './tunnels.js'
import { webhookEnvironment } from './webhooks.js'

const int = (fallback: number, min = 0) => z.coerce.number().int().min(min).default(fallback)
const number = (about: string, fallback: number, min = 1) => setting(int(fallback, min), about)
const seconds = (about: string, fallback: number, min = 1) =>
  setting(int(fallback, min), about, { unit: 'seconds' })
const bytes = (about: string, fallback: number) => setting(int(fallback, 1), about, { unit: 'bytes' })
const file = (about: string) => setting(z.string().min(1).optional(), about)
const listen = (about: string, fallback?: string) =>
  setting(
    z
      .string()
      .refine((text) => readListen(text) !== null, 'must be host:port')
      .optional(),
    about,
    { unit: 'host:port', ...(fallback === undefined ? {} : { fallback }) },
  )

const api = {
  PHONERACK_HTTP_HOST: setting(z.string().default('127.0.0.1'), 'Address of the API.'),
  PHONERACK_HTTP_PORT: number('Port of the API.', 8080, 0),
  ...listenerTlsEnvironment,
  PHONERACK_BASE_URL: setting(
    z.url().optional(),
    'Public address of the API, for the links that it returns. If the address is not loopback, other machines can reach the service: webhooks and identity providers then need `https`.',
    { fallback: 'http:// and the address of the API' },
  ),
  PHONERACK_TRUSTED_PROXIES: setting(
    z.string().default(''),
    'Addresses or networks, separated by commas, of proxies whose `X-Forwarded-For` counts.',
  ),
  PHONERACK_METRICS_LISTEN: listen(
    'Address of `/metrics` for Prometheus. It needs no key, so keep it on loopback or a private network.',
  ),
  PHONERACK_OPERATOR_LISTEN: listen(
    'Address of `/operator/v1` and the operators’ console. Without the setting, a replica that finds the port in use serves neither.',
    '127.0.0.1:8090',
  ),
  PHONERACK_OPERATOR_TOKEN_SHA256: setting(
    z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
    'SHA-256, in hex, of the token of the first operator.',
  ),
  PHONERACK_STOP_DELAY: seconds(
    'Time between SIGTERM and the end of the listeners, in which load balancers see `/readyz` fail.',
    5,
    0,
  ),
  PHONERACK_STOP_WITHIN: seconds('Time in which running requests may then finish.', 30, 0),
  PHONERACK_LIFECYCLE_WAIT: seconds(
    'Time for which a create, start or park waits for the phone.',
    limits.lifecycleWait,
    0,
  ),
}

const machinery = {
  DATABASE_URL: setting(
    z.string().min(1),
    'Postgres, such as `postgresql://USER:PASSWORD@HOST/DATABASE?sslmode=verify-full&sslrootcert=FILE`.',
  ),
  PHONERACK_DATABASE_POOL: setting(
    int(20, 2),
    'Connections for requests. Each replica uses up to 20 more for jobs, events and metrics.',
    { unit: 'connections' },
  ),
  NATS_URL: setting(z.string().min(1), 'Address of NATS. A server on another machine needs `tls:`.'),
  NATS_CREDS_FILE: setting(z.string().optional(), '`control-plane.creds` of `nats-config`.'),
  NATS_ACCOUNT_SEED_FILE: setting(
    z.string().optional(),
    '`account.seed` of `nats-config`, which signs the users of hosts.',
  ),
  NATS_SIGNING_SEED_FILE: file(
    '`operator-signing.seed` of `nats-config`. With the next setting; without both, NATS keeps the users of retired hosts.',
  ),
  NATS_SYSTEM_CREDS_FILE: file('`system.creds` of `nats-config`.'),
  NATS_CA_FILE: setting(
    z.string().min(1).optional(),
    'PEM: the only authorities for the certificate of NATS.',
    { fallback: 'the authority of the hosts, and the system’s' },
  ),
  PHONERACK_NATS_INSECURE: setting(
    z.enum(['true', 'false']).default('false'),
    '`true`: NATS may be on another machine without TLS.',
  ),
  PHONERACK_HOST_NATS_URL: setting(
    z.url({ protocol: /^(nats|tls|wss?)$/ }).optional(),
    'Address of NATS for hosts that join.',
    { fallback: '`NATS_URL`, unless it contains a password' },
  ),
  PHONERACK_PKI_DIR: setting(z.string().min(1), 'Folder with `service.key` and the state of this replica.'),
  PHONERACK_SERVICE_KEY_FILE: setting(
    z.string().min(1).optional(),
    'The key that decrypts the certificate authority. All replicas have the same key.',
    { fallback: '`service.key` in `PHONERACK_PKI_DIR`' },
  ),
  PHONERACK_NEW_AUTHORITY: setting(
    z.enum(['yes', 'no']).default('no'),
    '`yes`: replaces a certificate authority that this replica cannot decrypt, after which every host must join again.',
  ),
  PHONERACK_REPLICA_ID: setting(
    z
      .string()
      .min(1)
      .default(() => `control-plane-${hostname()}`),
    'A unique ID of this process, which must be the same after a restart, so that the process resumes its jobs.',
    { fallback: '`control-plane-` and the name of the machine' },
  ),
  PHONERACK_REPLICA_DEAD_AFTER: seconds(
    'Silence after which other replicas take over the jobs of a replica.',
    10,
    2,
  ),
  PHONERACK_JOBS: setting(
    z.enum(['on', 'off']).default('on'),
    '`off`: this replica serves requests and runs no jobs.',
  ),
}

const phones = {
  PHONERACK_CREATE_DEADLINE: seconds('Deadline of a create.', limits.createDeadline),
  PHONERACK_START_DEADLINE: seconds('Deadline of a start.', limits.startDeadline),
  PHONERACK_CARE_DEADLINE: seconds('Deadline of one wipe or enrolment.', 300),
  PHONERACK_REBOOT_EVERY: seconds('Least time between two reboots of a phone.', limits.rebootEvery),
  PHONERACK_RESET_EVERY: seconds('Least time between two resets of a phone.', limits.resetEvery),
  PHONERACK_RESTART_GRACE: setting(
    z.coerce.number().int().min(1).max(limits.restartGrace.max).default(limits.restartGrace.default),
    `Time that a phone may be away for a reboot or reset; at most ${limits.restartGrace.max}.`,
    { unit: 'seconds' },
  ),
  PHONERACK_DEGRADED_WINDOW: seconds(
    'Window in which failures of several devices make their host `degraded`. 0: never.',
    300,
    0,
  ),
  PHONERACK_HOST_LATE_AFTER: seconds(
    'Silence of a host after which it gets no new work.',
    limits.hostLateAfter,
  ),
  PHONERACK_HOST_LOST_AFTER: seconds('Silence of a host after which its sessions end.', limits.hostLostAfter),
  PHONERACK_LOST_FOR_GOOD_AFTER: seconds('Silence of a host after which its phones fail.', 86_400),
  PHONERACK_ACTIVITY_ACCURACY: seconds(
    'Least time between two writes of the last activity of a phone.',
    limits.activityAccuracy,
  ),
  PHONERACK_DEFAULT_LOCATION: setting(
    z
      .string()
      .regex(/^-?\d{1,2}(\.\d+)?,-?\d{1,3}(\.\d+)?$/)
      .default('40.7128,-74.0060'),
    'Latitude and longitude of a phone until a client sets its location.',
    { unit: 'degrees' },
  ),
}

const perClient = {
  PHONERACK_REQUESTS_PER_MINUTE: number('Requests of a key in a minute.', limits.requestsPerKeyPerMinute),
  PHONERACK_LIFECYCLE_PER_MINUTE: number(
    'Creates, starts and renewals of a project in a minute, and as many parks and deletes.',
    limits.lifecyclePerProjectPerMinute,
  ),
  PHONERACK_FAILURES_PER_MINUTE: number(
    'Requests without a valid key or token of an address (IPv6: a /64) in a minute.',
    limits.failuresPerAddressPerMinute,
  ),
  PHONERACK_WAITS_PER_KEY: number(
    'Requests of a key that wait at the same time, on each replica.',
    limits.waitsPerKey,
  ),
  PHONERACK_STREAMS_PER_KEY: number(
    'Streamed answers of a key at the same time, on each replica.',
    limits.streamsPerKey,
  ),
  PHONERACK_LIVE_LINKS_PER_PHONE: number('Valid live links of a phone.', limits.live.linksPerPhone),
  PHONERACK_LIVE_LINKS_PER_PROJECT: number('Valid live links of a project.', limits.live.linksPerProject),
  PHONERACK_IDEMPOTENCY_HOURS: setting(
    int(limits.idempotencyWindowHours, 1),
    'Time in which a repeated `Idempotency-Key` gets the first answer.',
    { unit: 'hours' },
  ),
}

const files = {
  PHONERACK_UPLOAD_FILE_MAX: bytes('Largest uploaded file.', limits.uploads.fileBytes),
  PHONERACK_UPLOAD_PROJECT_MAX: bytes('Total size of the uploads of a project.', limits.uploads.projectBytes),
  PHONERACK_UPLOAD_WAITING_MAX: bytes(
    'Total size of the files of all projects whose uploads are not completed yet.',
    20 * limits.uploads.fileBytes,
  ),
  PHONERACK_UPLOAD_PROJECT_WAITING_MAX: bytes(
    'Total size of the files of a project whose uploads are not completed yet.',
    limits.uploads.projectWaitingBytes,
  ),
  PHONERACK_UPLOADS_PER_DAY: number('Uploads of a project on a day (UTC).', limits.uploads.perDay),
  PHONERACK_UPLOAD_SEND_WITHIN: seconds(
    'Time in which a file must arrive.',
    limits.uploads.sendWithin / 1000,
  ),
  PHONERACK_UPLOAD_AWAITING_LIFE: seconds('Life of an upload without a file.', limits.uploads.awaitingLife),
  PHONERACK_UPLOAD_LIFE: seconds('Life of an upload after its last install.', limits.uploads.life),
  PHONERACK_UPLOAD_SUPERSEDED_LIFE: seconds(
    'Life of an upload after its last install, once a newer build of the app is ready.',
    limits.uploads.supersededLife,
  ),
  PHONERACK_RECORDINGS_PER_PROJECT: number('Recordings of a project.', limits.recordings.perProject),
  PHONERACK_RECORDING_PROJECT_MAX: bytes(
    'Total size of the recordings of a project.',
    limits.recordings.projectBytes,
  ),
  PHONERACK_RECORDING_LIFE: seconds(
    'Life of a recording, and of the steps of a batch.',
    limits.recordings.life,
  ),
  PHONERACK_LIBRARY_REFRESH: seconds(
    'Time after which the app library is loaded again.',
    limits.libraryRefresh,
  ),
}

const money = {
  PHONERACK_PRICE_PER_SECOND_MICROS: setting(
    z.coerce.bigint().positive().default(price.perSecondMicros),
    'Price of a second of a session.',
    { unit: 'micro-dollars' },
  ),
  ...paymentsEnvironment,
}

/** Settings by the heading in docs/settings.md. */
export const settings = {
  'API and operators': api,
  'Postgres, NATS and keys': machinery,
  'Secrets from files': secretFileEnvironment,
  'Racks behind NAT': tunnelEnvironment,
  'Console and mail': consoleEnvironment,
  'Accounts and sign-in': signInEnvironment,
  'Agent tools (MCP)': mcpEnvironment,
  'Webhooks and events': webhookEnvironment,
  'Stored files': storageEnvironment,
  'Uploads, recordings and the app library': files,
  Retention: retentionEnvironment,
  Money: money,
  'Limits of clients': perClient,
  'Phones and hosts': phones,
}

export const environment = z.object({
  ...api,
  ...machinery,
  ...secretFileEnvironment,
  ...tunnelEnvironment,
  ...consoleEnvironment,
  ...signInEnvironment,
  ...mcpEnvironment,
  ...webhookEnvironment,
  ...storageEnvironment,
  ...files,
  ...retentionEnvironment,
  ...money,
  ...perClient,
  ...phones,
})
