/**
 * Every limit and default of the public API. Validation, OpenAPI, docs and tests read them here; a deployment
 * overrides some through configuration.
 */
export const limits = {
  /** Bytes. */
  jsonBody: 100_000,
  actionsBody: 200_000,
  /** Bytes: the size limit of an answer with a screen. */
  screenAnswer: 4_000_000,
  page: { min: 1, max: 100, default: 50 },
  phoneName: { min: 1, max: 80 },
  metadata: { pairs: 20, key: 40, value: 256 },
  /** Seconds. */
  idleTimeout: { min: 60, max: 3600, default: 300 },
  maxDuration: { min: 60, max: 10_800, default: 900 },
  pollTimeout: { min: 1, max: 55, default: 50 },
  /** Seconds that create, start and park wait by default. */
  lifecycleWait: 50,
  idempotencyKey: { min: 8, max: 128 },
  idempotencyWindowHours: 24,
  requestsPerKeyPerMinute: 600,
  /** Requests without a valid key or token, of one IPv4 address or IPv6 /64. */
  failuresPerAddressPerMinute: 60,
  /** Concurrent requests per key that wait or stream their answer, in each process. */
  waitsPerKey: 100,
  streamsPerKey: 100,
  eventStreamsPerKey: 20,
  /** Concurrent event streams of all keys of a project together, in each process. */
  eventStreamsPerProject: 100,
  lifecyclePerProjectPerMinute: 60,
  activeKeys: 50,
  keyPhones: { min: 1, max: 20 },
  /** Seconds between two writes of `last_active_at`. */
  activityAccuracy: 15,
  screenshot: { minWidth: 160, maxWidth: 2000, minQuality: 30, maxQuality: 95, defaultQuality: 70 },
  /** Bytes: a file to or from a phone. */
  fileBytes: 4_000_000,
  /** Bytes: the listing of a folder. */
  folderAnswer: 4_000_000,
  /** Characters. */
  pathLength: 1024,
  clipboard: { min: 1, max: 10_000 },
  /** Pixels: the screenshot of an action batch. */
  batchScreenshotWidth: 720,
  actions: {
    max: 20,
    /** Milliseconds: the sum of all waits of a batch. */
    waitSum: 60_000,
    waitForDefault: 10_000,
    /** Milliseconds after which no new action starts. */
    startWindow: 90_000,
    /** Milliseconds: the whole batch. */
    total: 300_000,
  },
  shell: {
    /** Characters. */
    command: 10_000,
    stdin: 100_000,
    /** Seconds. */
    timeout: { min: 1, max: 60, default: 10 },
    /** Bytes of both streams of one command. */
    output: 1_000_000,
    /** Bytes of the outputs of one batch as JSON: the answer of a host has a limit, and a control character takes six. */
    batchOutput: 3_000_000,
    /** Bytes after which a command that prints more is ended. */
    printed: 4_000_000,
  },
  uploads: {
    /** Bytes: one file, and the sum of a project's processing and ready uploads. */
    fileBytes: 524_288_000,
    projectBytes: 524_288_000,
    /** Bytes: a project's files in transfer (by their announced size) or waiting for completion. */
    projectWaitingBytes: 4 * 524_288_000,
    /** Milliseconds for the transfer of a file. */
    sendWithin: 120_000,
    /** Per project and UTC day. */
    perDay: 50,
    /** Seconds that an upload waits for its file. */
    awaitingLife: 3600,
    /** Seconds that an upload is kept after the file's arrival and after each install. */
    life: 7 * 86_400,
    /** Seconds that an upload is kept after its last install, once a newer build of the package is ready. */
    supersededLife: 86_400,
  },
  recordings: {
    /** Recordings that a project keeps, on all its phones. */
    perProject: 20,
    /** Bytes: all recordings of a project, including running recordings. */
    projectBytes: 20_000_000_000,
    /** Seconds that a recording is kept after it started. */
    life: 7 * 86_400,
    /** Characters. */
    name: 80,
  },
  /** Seconds between two reads of the app library. */
  libraryRefresh: 4 * 3600,
  /** Characters of a search query. */
  libraryQuery: 100,
  /** APKs of one app: a base and its splits. */
  libraryFiles: 50,
  /** Milliseconds that a snapshot can be targeted. */
  snapshotLife: 15 * 60_000,
  elements: { max: 500, text: 1000 },
  /** Seconds. */
  createDeadline: 180,
  startDeadline: 120,
  /** Days that the log of operators' actions is kept. */
  auditDays: 365,
  checkout: {
    /** Whole dollars. */
    minUsd: 10,
    maxUsd: 1000,
    defaultUsd: 10,
    /** Links per project in an hour. */
    perHour: 10,
  },
  live: {
    /** Seconds that a link is valid. */
    expiresIn: { min: 60, max: 86_400, default: 3600 },
    /** Characters of one piece of text that a person types or pastes. */
    text: 10_000,
    /** Concurrent viewers of one phone, in each process of the control plane. */
    watchers: 50,
    /**
     * Concurrent viewers of one user of the console, and of the links of one key, which several people may
     * open.
     */
    watchersPerUser: 10,
    watchersPerKey: 40,
    /** Valid links, except for links of hand-overs. */
    linksPerPhone: 100,
    linksPerProject: 1000,
  },
  handoffs: {
    /** Characters of the request to the person, and of the person's answer. */
    message: { min: 1, max: 500 },
    note: 500,
    /** Seconds that a hand-over can still be read after its expiry. */
    life: 7 * 86_400,
  },
  events: {
    /** Seconds that an event can be read. */
    life: 7 * 86_400,
    /** Seconds between two comments of a stream without events. */
    comment: 15,
    /** Seconds after which a stream ends whose client has not read. */
    stall: 60,
  },
  steps: {
    /** Bytes: the steps of a project, unless its operator sets another quota. */
    projectBytes: 1_000_000_000,
    /** Bytes of screens on one page, as JSON. */
    pageBytes: 4_000_000,
    /** Steps of one export. */
    exported: 2000,
    /** Milliseconds that the answer of a batch waits for its record. */
    recordWait: 2000,
    /** Milliseconds that typed texts are remembered, to mask them. */
    typedLife: 15 * 60_000,
    /** Actions of a live view in one step, and milliseconds without input that end it. */
    liveActions: 20,
    liveIdle: 3000,
    /** Characters of the name of a client. */
    client: 100,
    /** Characters of each stream of a shell command. */
    output: 10_000,
  },
  webhooks: {
    perProject: 10,
    /** Characters. */
    url: 2048,
    description: 200,
    /** Seconds between attempts of a delivery, which has failed after the last attempt. */
    retries: [5, 60, 300, 1800, 7200, 21_600, 43_200],
    /** Milliseconds of one attempt. */
    attempt: 15_000,
    /** Bytes of the response that are read. */
    responseBody: 16_384,
    /** Bytes of the response that are kept after a success, except for the response to a test. */
    keptOfSuccess: 1024,
    /** Seconds without a success, after which failures switch a webhook off. */
    failingLife: 3 * 86_400,
    /** Seconds without an attempt, after which the webhook's failures count from the next failure. */
    failingPause: 86_400,
    /** Waiting deliveries of a webhook that were requested by hand: tests and repetitions. */
    byHand: 100,
    /** Seconds for which the earlier secret is valid after a rotation. */
    earlierSecretLife: 86_400,
  },
  logs: {
    /** Lines of a page. */
    lines: { min: 1, max: 1000, default: 100 },
    /** Crashes of a page. */
    crashes: { min: 1, max: 50, default: 10 },
  },
  /** Permissions that one request grants, and revokes. */
  permissions: 50,
  /** Clients that sign in by OAuth. docs/decisions/0296 */
  connectors: {
    /** Seconds that a code, an access token and an unused refresh token are valid. */
    codeLife: 60,
    accessLife: 3600,
    refreshLife: 90 * 86_400,
    /** Seconds for which a used refresh token is still valid, for other processes of its client. */
    refreshAgain: 30,
    /** Bytes of a client's metadata document. */
    metadata: 5120,
    /** Milliseconds to fetch the document, and milliseconds for which it is kept. */
    metadataWithin: 5000,
    metadataKept: 300_000,
    /** Redirect addresses of a client, and characters of each. */
    redirects: 50,
    redirect: 2000,
    /** Registered clients without a connector: in total, and for each IPv4 address or IPv6 /48. */
    registered: 10_000,
    registeredPerSite: 1000,
    /** Registrations in an hour by an IPv4 address or IPv6 /64, and by an IPv6 /48. */
    registeredPerHour: 20,
    registeredPerHourOfSite: 100,
    /** Seconds after which a registered client without a connector is deleted. */
    unusedLife: 30 * 86_400,
  },
  setup: {
    /** Characters of the client's name. */
    client: { min: 1, max: 60 },
    /** Seconds in which a setup must be confirmed and its key collected. */
    life: 900,
    /** Seconds between two polls of a well-behaved client. */
    interval: 3,
    requestsPerAddressPerMinute: 10,
    /** Requests by an IPv6 /48, which are fewer than `pending` in the time that a setup waits. */
    requestsPerSitePerMinute: 60,
    /** Concurrent setups that wait for a person, over all addresses. */
    pending: 10_000,
    pollsPerMinute: 60,
  },
  /** Seconds: minimum interval between reboots, and between resets, of a phone. */
  rebootEvery: 600,
  resetEvery: 60,
  /** Seconds that a phone may be unreachable during a reboot or reset. */
  restartGrace: { default: 300, max: 900 },
  /** Seconds after a host's last heartbeat. */
  hostLateAfter: 10,
  hostLostAfter: 30,
  /** Milliseconds for which a write waits for its turn at a phone. */
  writeQueueWait: 30_000,
  /** Writes that wait for their turn at a phone, and its reads that run concurrently. */
  writesWaiting: 100,
  readsRunning: 64,
} as const

export const price = {
  /** Micro-dollars. */
  perSecondMicros: 1000n,
  minimumSeconds: 60,
} as const
