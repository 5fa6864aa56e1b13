/**
 * Assembles the control plane below its HTTP server: database, broker, hosts, jobs, services.
 * `main.ts` runs it; tests run it with real dependencies.
 */
import { Counters, deviceLinkSchema, systemClock } from '@phonerack/shared'
import { createActivityRecorder } from '../rental/activity/recorder.js'
import { watchBrokerExpiry } from './broker-expiry.js'
import { readBroker } from './broker.js'
import { admitReplica } from './admit-replica.js'
import { type Config } from '../base/config/config.js'
import { DatabaseClock } from '../base/db/clock.js'
import { deviceStates } from '../rental/devices/link.js'
import { gateLimits, OwnerGate } from '../base/db/owner-gate.js'
import { openDatabase, readTime } from '../base/db/database.js'
import { version } from '../base/version.js'
import { readinessOf, type Health } from '../api/http/service-paths.js'
import { applyMigrations } from '../base/db/migrate.js'
import { refuseTransactionPooling } from '../base/db/pooler.js'
import { serviceSecret } from '../base/db/service-secret.js'
import { takeStartLock } from '../base/db/start-lock.js'
import { createFileService } from '../phone-io/device-control/files.js'
import { createPackageService } from '../phone-io/device-control/packages.js'
import { createReportService } from '../phone-io/device-control/reports.js'
import { createPowerService } from '../phone-io/device-control/power.js'
import { createHandoffService } from '../phone-io/handoffs/service.js'
import { healthOf } from './health.js'
import { createFailureLimit } from '../base/failure-limit/failure-limit.js'
import { HostClients } from '../links/host-calls/clients.js'
import { createTrust } from '../fleet/hosts/authorities.js'
import { createConnectionChecks } from '../fleet/hosts/connection-check.js'
import { listenToHosts } from '../fleet/hosts/heartbeats.js'
import { hostPlugin } from '../api/routes/public/host.js'
import { LockActivity } from '../fleet/hosts/lock-activity.js'
import { createRenewals } from '../fleet/hosts/renewal.js'
import { watchRetiredHosts } from '../fleet/hosts/retired.js'
import { watchRevokedUsers } from '../fleet/hosts/revoked-users.js'
import { createHostSweep } from '../fleet/hosts/host-sweep.js'
import { HostSilence } from '../fleet/hosts/silence.js'
import { sweepStopping } from '../fleet/hosts/stopping.js'
import { sweepDrained } from '../fleet/hosts/sweep.js'
import { createInstallService } from '../phone-io/installs/service.js'
import { forget, reconcile } from '../fleet/jobs/reconcile.js'
import { JobRunner, prepareJobs } from '../base/queue/runner.js'
import { jobPayloads } from '../base/queue/queue.js'
import {
  fileTasks,
  hostTasks,
  installTasks,
  recordingTasks,
  timerTasks,
  workers,
} from '../fleet/jobs/tasks.js'
import { Ticker } from '../base/core/ticker.js'
import { sweepDegraded } from '../rental/devices/failures.js'
import { createKeyService } from '../rental/keys/service.js'
import { createMetrics } from '../base/metrics/metrics.js'
import { createLiveService } from '../phone-io/live/links.js'
import { livePlugin } from '../api/routes/public/live.js'
import { createStandBys } from '../phone-io/live/stand-bys.js'
import { Catalog } from '../files/library/catalog.js'
import { expireLibraryFiles } from '../files/library/files.js'
import { libraryPlugin } from '../api/routes/operator/library.js'
import { createOperatorGate } from '../api/routes/operator/gate.js'
import { setConfiguredOperator } from '../fleet/operator/configured.js'
import { operatorPlugin } from '../api/routes/operator/plugin.js'
import { createChanges, uploadTopic } from '../base/core/changes.js'
import { phoneStatuses } from '../base/core/statuses.js'
import { type Core } from '../base/core/core.js'
import { Cursors } from '../base/core/cursor.js'
import { createCheckoutService } from '../rental/payments/checkout.js'
import { paymentsOperatorPlugin } from '../api/routes/operator/payments.js'
import { paymentsPlugin } from '../api/routes/public/payments.js'
import { openStripe } from '../rental/payments/stripe.js'
import { createPhoneService } from '../rental/phones/service.js'
import { expireRecordings } from '../phone-io/recordings/expiry.js'
import { createRecordingService } from '../phone-io/recordings/service.js'
import { recordingStatuses } from '../phone-io/recordings/types.js'
import { setupOperatorPlugin } from '../api/routes/operator/setup.js'
import { setupPlugin } from '../api/routes/public/setup.js'
import { createSetupService } from '../people/setup/service.js'
import { keepAuthorities } from './keep-authorities.js'
import { openConsole } from './console.js'
import { openEvents } from './events.js'
import { type App, type AppParts } from './types.js'
import { openSteps } from './steps.js'
import { openFileStore } from '../files/storage/open.js'
import { StorageProbe } from '../files/storage/probe.js'
import { type UploadCore } from '../files/uploads/core.js'
import { expireUploads } from '../files/uploads/expiry.js'
import { DialledHosts } from '../links/tunnels/dialled-hosts.js'
import { openTunnels } from '../links/tunnels/tunnels.js'
import { createUploadService } from '../files/uploads/service.js'
import { type Services } from '../api/routes/services.js'

export async function startApp(config: Config, parts: AppParts): Promise<App> {
  await refuseTransactionPooling(config.databaseUrl)
  await applyMigrations(config.databaseUrl)
  await prepareJobs(config.databaseUrl)
  // The lock is held until this replica's first heartbeat, which shows the other replicas that it runs.
  const lock = await takeStartLock(config.databaseUrl, config.newAuthority)
  try {
    return await assemble(config, parts)
  } finally {
    await lock.release()
  }
}

async function assemble(config: Config, parts: AppParts): Promise<App> {
  const database = openDatabase(config.databaseUrl, config.databasePool)
  const { authority, natsUsers } = await admitReplica(config, database, parts.log)
  const broker = await readBroker(config, () => authority.trusted, natsUsers?.account ?? null)
  const bus = await broker.connect(parts.log)
  const changes = createChanges(bus)
  const cursors = new Cursors(await serviceSecret(database.db, 'cursors'))
  const postgresTime = await DatabaseClock.start(
    () => readTime(database.db),
    parts.machineClock ?? systemClock,
  )
  const core: Core = {
    log: parts.log,
    clock: parts.clock ?? postgresTime,
    pace: parts.pace ?? 1,
    cursors,
    db: database.db,
    read: database.read,
    transact: database.transact,
    ownerGate: new OwnerGate(gateLimits(config.databasePool)),
    bus,
    changes,
    rules: config.rules,
    counters: new Counters(),
  }
  if (config.operatorTokenHash) await setConfiguredOperator(core, config.operatorTokenHash, config.replicaId)

  const hosts = new HostClients(await authority.issueClient(), parts.log)
  const tunnels = config.tunnels
    ? await openTunnels({
        ...config.tunnels,
        replicaId: config.replicaId,
        credentials: await authority.issueTunnel(),
        db: core.db,
        bus,
        log: parts.log,
        isRetired: (hostId) => hosts.isRetired(hostId),
      })
    : null
  if (tunnels) hosts.useTunnels(tunnels)
  const failureLimit = createFailureLimit({
    trustedProxies: config.http.trustedProxies,
    perMinute: config.failuresPerMinute,
    clock: core.clock,
  })
  const keys = createKeyService(core)
  const phones = createPhoneService(core)
  const activity = createActivityRecorder(core)
  const store = await openFileStore(config.storage)
  const payments = config.payments ? await openStripe(config.payments) : null
  const uploadChanges = createChanges(bus, uploadTopic)
  const uploads: UploadCore = { core, store, changes: uploadChanges, baseUrl: config.http.baseUrl }
  const catalog = new Catalog({
    db: core.db,
    store,
    log: parts.log,
    cursors: core.cursors,
    refreshMs: config.libraryRefreshMs,
  })
  const silence = new HostSilence()
  const dialled = new DialledHosts()
  const heartbeats = listenToHosts(core, silence, new LockActivity(activity), hosts, (agent) => {
    dialled.hear(agent.hostId)
    tunnels?.hear(agent)
  })
  const retired = watchRetiredHosts(core, hosts)
  await retired.retireAll()
  const revoked = watchRevokedUsers(core, broker.admin)
  const stopping = new AbortController()
  const context = { core, hosts, stopping: stopping.signal }
  const events = await openEvents(core, config)
  const steps = openSteps(core, hosts, store)
  const ownConsole = await openConsole(core, config, failureLimit)
  const own = keepAuthorities(authority, hosts, tunnels, core.clock)
  const jobs = await JobRunner.start({
    authorities: () => own.inUse,
    databaseUrl: config.databaseUrl,
    db: core.db,
    replicaId: config.replicaId,
    replicaDeadAfterMs: config.rules.replicaDeadAfterMs,
    log: parts.log,
    pace: core.pace,
    pools: config.runsJobs
      ? [
          { tasks: timerTasks(context), concurrency: 4 },
          { tasks: hostTasks(context), concurrency: workers.hosts },
          { tasks: fileTasks(uploads, stopping.signal), concurrency: 2 },
          { tasks: installTasks(context, store), concurrency: workers.installs },
          { tasks: recordingTasks(context, store), concurrency: workers.recordings },
          events.pool(stopping.signal),
        ]
      : [],
  })
  const probe = new StorageProbe(core, store, () => jobs.replicaId)
  const brokerExpiry = watchBrokerExpiry(config.natsUrl, parts.log)
  // The read is not awaited: it ends within seconds, and a failure only appears in the log.
  void brokerExpiry.read()
  void probe.start()
  const ofHosts = { ...context, authority }
  const sweep = createHostSweep(core, postgresTime, silence)
  const standBys = createStandBys(core, hosts)
  const every = (name: string, ms: number, work: () => Promise<void>): Ticker =>
    new Ticker(name, ms * core.pace, parts.log, work)
  const tickers = [
    events.ticker,
    steps.ticker,
    ownConsole.ticker,
    every('sweep of hosts', 1000, sweep),
    every('drained hosts', 5000, () => sweepDrained(core)),
    every('stopping hosts', 5000, () => sweepStopping(core)),
    every('degraded hosts', 5000, () => sweepDegraded(core)),
    every('retired hosts', 10_000, () => retired.retireAll()),
    every('tunnels of hosts', 10_000, async () => tunnels?.endStale()),
    every('revoked NATS users', 10_000, () => revoked.revoke()),
    every('certificates of hosts', 10_000, createRenewals(ofHosts)),
    every('authorities of hosts', 5000, createTrust(ofHosts)),
    every('certificate of the broker', 600_000, () => brokerExpiry.read()),
    every('own certificates', 5000, () => own.renew()),
    every('phones with live links', 10_000, () => standBys.match()),
    every('reconciliation', 15_000, () => reconcile(core)),
    every('retention', 60_000, () => forget(core)),
    every('retention of uploads', 60_000, () => expireUploads(uploads)),
    every('retention of recordings', 60_000, () => expireRecordings(core)),
    every('app library', 1000, () => catalog.keep()),
    every('unused library files', 600_000, () => expireLibraryFiles(core)),
    every('shared storage', 30_000, () => probe.check()),
    every('work folder of the storage', 600_000, () => store.sweep()),
  ]

  const metrics = createMetrics({
    databaseUrl: config.databaseUrl,
    log: parts.log,
    names: {
      phoneStatuses: phoneStatuses.filter((status) => status !== 'deleted'),
      deviceStates,
      links: deviceLinkSchema.options,
      jobs: Object.keys(jobPayloads),
      recordingStatuses: ['starting', ...recordingStatuses],
    },
    hostLateAfterMs: config.rules.hostLateAfterMs,
    hostLostAfterMs: config.rules.hostLostAfterMs,
    pools: () => ({ requests: database.poolUse(), jobs: jobs.poolUse() }),
    counters: core.counters,
    hostCertificates: () => hosts.certificateEnds,
    brokerCertificate: () => brokerExpiry.endsAt,
    ownCertificates: () => ({ client: hosts.ownCertificateEnds, authority: authority.endsAt }),
    rotationBegunAt: () => authority.begunAt,
    tunnels: () => dialled.tunnels(tunnels?.open ?? []),
    clockSkewMs: () => postgresTime.skewMs,
    isBrokerConnected: () => bus.connected,
    readiness: () => readinessOf(health, core.log),
    version,
  })

  let quiet: Promise<void> | null = null
  const quiesce = (): Promise<void> => {
    quiet ??= Promise.all([
      ...tickers.map((ticker) => ticker.stop()),
      jobs.stop(() => stopping.abort()),
    ]).then(() => probe.close())
    return quiet
  }

  const live = createLiveService(core, hosts, config.http.baseUrl)
  const uploadService = createUploadService(uploads)
  const setup = createSetupService(core)
  const operatorGate = createOperatorGate(core, failureLimit)
  const health = (): Promise<Health> => healthOf(core, postgresTime, probe.isShared)

  const services: Services = {
    keys,
    phones,
    files: createFileService(core, hosts),
    uploads: uploadService,
    installs: createInstallService(core, hosts),
    recordings: createRecordingService(core, hosts, store),
    library: catalog,
    power: createPowerService(core, hosts),
    setup,
    activity,
    packages: createPackageService(core, hosts),
    reports: createReportService(core, hosts),
    checkout: createCheckoutService(core, payments, config.http.baseUrl),
    live,
    handoffs: createHandoffService(core, hosts, {
      baseUrl: config.http.baseUrl,
      consoleOrigin: config.console.origin,
    }),
    ...events.services,
    ...steps.services,
  }
  const consoles = ownConsole.plugins({ services, health, store, authority: () => authority.fingerprint })

  return {
    core,
    postgresTime,
    uploads,
    hosts,
    authority,
    tunnels,
    services,
    plugins: [
      setupPlugin(core, config.http.baseUrl, failureLimit, config.console.origin),
      paymentsPlugin(core, payments, (request) => failureLimit.networkOf(request)),
      consoles.own,
      livePlugin({
        core,
        hosts,
        phones,
        failureLimit,
        baseUrl: config.http.baseUrl,
        steps: steps.live,
        frameOrigins: [...config.console.origins, ...config.operatorConsole.origins],
      }),
      hostPlugin({
        core,
        authority,
        connectionChecks: createConnectionChecks(core, hosts, authority),
        natsUsers,
        ownNatsUser: broker.user,
        natsUrl: config.hostNatsUrl,
        natsCaPem: broker.caPem,
        failureLimit,
      }),
    ],
    operatorGate,
    operatorConsole: consoles.operator,
    operatorPlugins: [
      operatorPlugin(core, () => authority.fingerprint),
      libraryPlugin(core, store),
      setupOperatorPlugin(core, config.http.baseUrl),
      paymentsOperatorPlugin(core),
      ownConsole.operatorPlugin,
    ],
    failureLimit,
    metrics,
    health,
    quiesce,
    async close() {
      phones.close()
      await activity.close()
      await keys.close()
      uploadService.close()
      setup.close()
      operatorGate.close()
      await quiesce()
      await events.close()
      await steps.close()
      ownConsole.close()
      await heartbeats.close()
      retired.close()
      revoked.close()
      changes.close()
      uploadChanges.close()
      live.close()
      standBys.close()
      hosts.close()
      await tunnels?.close()
      await metrics.close()
      await bus.close()
      await database.close()
    },
  }
}
