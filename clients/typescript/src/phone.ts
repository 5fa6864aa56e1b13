/** A phone: its screen, and the actions on it. */
import { actResultOf, isCompared, snapshotOf } from './act-result.js'
import {
  type Action,
  clear,
  closeApp,
  doubleTap,
  key,
  longPress,
  openApp,
  openUrl,
  scroll,
  scrollTo,
  swipe,
  tap,
  type,
  waitFor,
  type Direction,
  type Key,
  type Target,
  type WaitTarget,
} from './actions.js'
import { limits, type Connection, type Noted } from './connection.js'
import { Device } from './device.js'
import { PhonerackError } from './errors.js'
import { Files } from './files.js'
import {
  createHandoff,
  createLiveLink,
  deletePhone,
  getPhone,
  heartbeatPhone,
  listApps,
  listSessions,
  observe,
  parkPhone,
  rebootPhone,
  resetPhone,
  runActions,
  screenshot,
  startPhone,
  startRecording,
  uninstallApp,
  updatePhone,
} from './generated/sdk.gen.js'
import type {
  CreateLiveLinkAnswer,
  ListAppsAnswer,
  ObserveAnswer,
  Phone as PhoneFields,
  ScrollToAction,
  Session,
  ShellResult,
} from './generated/types.gen.js'
import { Handoff } from './handoff.js'
import { installOn, type InstallOptions, type Installable, type Installed } from './install.js'
import { millisecondsOf } from './milliseconds.js'
import { Changes, Observation } from './observation.js'
import { Pages } from './pages.js'
import { pause } from './pause.js'
import type {
  ActOptions,
  ActResult,
  ScreenshotOptions,
  StartOptions,
  TargetOptions,
} from './phone-options.js'
import { Recording } from './recording.js'
import { Screenshot, screenshotQuery } from './screenshot.js'
import { Permissions, Reports } from './reports.js'
import { runOn, type ShellOptions } from './shell.js'
import { Steps } from './steps.js'
import { signalOf, type CallOptions } from './transport.js'
import { afterWrite, pauseMs, readyAfterWrite, untilReady } from './until-ready.js'

export class Phone implements AsyncDisposable {
  readonly id: string
  readonly files: Files
  /** Clipboard, location, locale, time zone, and the facts of the device. */
  readonly device: Device
  readonly permissions: Permissions
  readonly reports: Reports
  /** The batches of actions that ran on the phone, with results and screens. */
  readonly steps: Steps
  /** The snapshot of the last screen that a method returned. */
  private lastSnapshot: string | undefined

  constructor(
    private readonly connection: Connection,
    /** From the last answer. `refresh()` reads it again. */
    public data: PhoneFields,
  ) {
    this.id = data.id
    this.files = new Files(connection, this.id)
    this.device = new Device(connection, this.id)
    this.permissions = new Permissions(connection, this.id)
    this.reports = new Reports(connection, this.id)
    this.steps = new Steps(connection, this.id)
  }

  get name(): string {
    return this.data.name
  }

  /** Such as `ready` or `parked`, from the last answer. */
  get status(): string {
    return this.data.status
  }

  private get path(): { id: string } {
    return { id: this.id }
  }

  async refresh(options: CallOptions = {}): Promise<this> {
    this.data = await getPhone({ ...this.connection.sending(options), path: this.path })
    return this
  }

  /** Waits until the phone is ready, without starting it. @throws PhonerackError when the phone cannot become ready by itself */
  async waitUntilReady(options: CallOptions = {}): Promise<this> {
    this.data = await untilReady(this.connection, this.data, signalOf(options, limits.actionsMs))
    return this
  }

  /** Waits until the phone is no longer `parking`. */
  async waitUntilParked(options: CallOptions = {}): Promise<this> {
    const signal = signalOf(options, limits.actionsMs)
    const query = { wait: 'parked', timeout: 50 } as const
    while (this.data.status === 'parking') {
      await pause(pauseMs, signal)
      this.data = await getPhone({ ...this.connection.sending({ signal }), path: this.path, query })
    }
    return this
  }

  /** Starts a parked phone, and waits until it is ready. On a running phone it renews the session. */
  async start({ idleTimeout, maxDuration, wait, retry, ...options }: StartOptions = {}): Promise<this> {
    const capacityMs = millisecondsOf(retry?.capacity ?? 0)
    const signal = signalOf(options, limits.actionsMs + capacityMs)
    const sending = this.connection.sending({ signal }, limits.actionsMs, { capacityMs })
    const body = { idle_timeout: idleTimeout, max_duration: maxDuration, wait }
    this.data = await startPhone({ ...sending, path: this.path, body })
    if (wait !== false) this.data = await readyAfterWrite(this.connection, this.data, signal)
    return this
  }

  /** Ends the session, and keeps the phone with its data, unless it was created with `onIdle: 'delete'`. */
  async park({ wait, ...options }: CallOptions & { wait?: boolean } = {}): Promise<this> {
    this.data = await parkPhone({ ...this.connection.sending(options), path: this.path, body: { wait } })
    return this
  }

  /** Deletes the phone with its data. */
  async delete(options: CallOptions = {}): Promise<void> {
    this.data = await deletePhone({ ...this.connection.sending(options), path: this.path })
  }

  /** Counts as use of the phone, so that its idle timeout starts again. */
  async heartbeat(options: CallOptions = {}): Promise<this> {
    this.data = await heartbeatPhone({ ...this.connection.sending(options), path: this.path })
    return this
  }

  async update(
    changes: { name?: string; metadata?: Record<string, string> },
    options: CallOptions = {},
  ): Promise<this> {
    this.data = await updatePhone({ ...this.connection.sending(options), path: this.path, body: changes })
    return this
  }

  sessions(options: CallOptions = {}): Pages<Session, Session> {
    const read = (cursor: string | undefined, limit?: number) =>
      listSessions({ ...this.connection.sending(options), path: this.path, query: { cursor, limit } })
    return new Pages(read, (session) => session)
  }

  /** Restarts Android, and waits until the phone is ready. */
  async reboot(options: CallOptions = {}): Promise<this> {
    const signal = signalOf(options, limits.actionsMs)
    this.data = await rebootPhone({ ...this.connection.sending({ signal }), path: this.path })
    this.data = await readyAfterWrite(this.connection, this.data, signal)
    return this
  }

  /** Deletes all data of the phone, and waits until it is ready. */
  async reset(options: CallOptions = {}): Promise<this> {
    const signal = signalOf(options, limits.actionsMs)
    await resetPhone({ ...this.connection.sending({ signal }), path: this.path })
    await afterWrite(this.id, () => this.refresh({ signal }))
    this.data = await readyAfterWrite(this.connection, this.data, signal)
    return this
  }

  // Its screen

  async observe(options: CallOptions = {}): Promise<Observation> {
    return new Observation(await this.screenSince(undefined, options))
  }

  /** Reads what changed since the last screen that this object got, or since another snapshot. */
  async changes(options: CallOptions & { since?: string | undefined } = {}): Promise<Changes> {
    return new Changes(await this.screenSince(options.since ?? this.lastSnapshot, options))
  }

  private async screenSince(since: string | undefined, options: CallOptions): Promise<ObserveAnswer> {
    const seen = await observe({ ...this.connection.sending(options), path: this.path, query: { since } })
    this.lastSnapshot = seen.snapshot_id
    return seen
  }

  async screenshot(wanted: ScreenshotOptions = {}): Promise<Screenshot> {
    const { query, options } = screenshotQuery(wanted)
    const noted: Noted = { requestId: null }
    const sending = this.connection.sending(options, limits.requestMs, { expected: 'bytes', noted })
    const answer: unknown = await screenshot({ ...sending, path: this.path, query })
    return new Screenshot(answer as ArrayBuffer, noted.headers ?? new Headers())
  }

  /** Sends actions as one batch, which runs without a break. @throws ActionError for the first action that fails */
  async act(
    actions: readonly Action[],
    { observe: wanted, ...options }: ActOptions = {},
  ): Promise<ActResult> {
    const noted: Noted = { requestId: null }
    const since = isCompared(wanted) ? this.lastSnapshot : undefined
    const raw = await runActions({
      ...this.connection.sending(options, limits.actionsMs, { noted }),
      path: this.path,
      body: { actions: [...actions], observe: wanted, since },
    })
    this.lastSnapshot = snapshotOf(raw) ?? this.lastSnapshot
    return actResultOf(raw, wanted, noted.requestId)
  }

  private one(action: Action, options: CallOptions): Promise<ActResult> {
    return this.act([action], { ...options, observe: 'none' })
  }

  /** Sends an action on a target. With `timeout`, waits for the target first. */
  private on(
    target: Target | undefined,
    action: Action,
    { timeout, ...options }: TargetOptions,
  ): Promise<ActResult> {
    if (timeout === undefined || target === undefined) return this.one(action, options)
    if ('x' in target) throw new TypeError('a point cannot be waited for: leave out `timeout`')
    return this.act([waitFor(target, { timeout }), action], { ...options, observe: 'none' })
  }

  async tap(target: Target, options: TargetOptions = {}): Promise<void> {
    await this.on(target, tap(target), options)
  }

  async doubleTap(target: Target, options: TargetOptions = {}): Promise<void> {
    await this.on(target, doubleTap(target), options)
  }

  async longPress(
    target: Target,
    { durationMs, ...options }: TargetOptions & { /** Default: 800. */ durationMs?: number } = {},
  ): Promise<void> {
    await this.on(target, longPress(target, { durationMs }), options)
  }

  /** Types into the field with the focus, or into `into`. */
  async type(
    text: string,
    {
      into,
      clear: clears,
      submit,
      ...options
    }: TargetOptions & { into?: Target; clear?: boolean; submit?: boolean } = {},
  ): Promise<void> {
    await this.on(into, type(text, { into, clear: clears, submit }), options)
  }

  async clear(target?: Target, options: TargetOptions = {}): Promise<void> {
    await this.on(target, clear(target), options)
  }

  async press(name: Key, options: CallOptions = {}): Promise<void> {
    await this.one(key(name), options)
  }

  async back(options: CallOptions = {}): Promise<void> {
    await this.one({ type: 'back' }, options)
  }

  async home(options: CallOptions = {}): Promise<void> {
    await this.one({ type: 'home' }, options)
  }

  async swipe(from: Target, to: Target, options: CallOptions = {}): Promise<void> {
    await this.one(swipe(from, to), options)
  }

  async scroll(
    direction: Direction,
    options: CallOptions & { target?: Target; amount?: number } = {},
  ): Promise<void> {
    const { target, amount, ...rest } = options
    await this.one(scroll(direction, { target, amount }), rest)
  }

  async scrollTo(target: ScrollToAction['target'], options: CallOptions = {}): Promise<void> {
    await this.one(scrollTo(target), options)
  }

  /** Waits for an element. @param options `timeout`: milliseconds, default 10,000; `state`: `gone` waits until it has disappeared */
  async waitFor(
    target: WaitTarget,
    { timeout = 10_000, state = 'visible', ...options }: TargetOptions & { state?: 'visible' | 'gone' } = {},
  ): Promise<Observation> {
    const signal = signalOf(options, limits.actionsMs)
    const { observation } = await this.act([waitFor(target, { timeout, state })], { signal, observe: 'ui' })
    return observation ?? this.observe({ signal })
  }

  /** @param app its package, or its name on the phone as `label` */
  async openApp(
    app: string | { label: string },
    options: CallOptions & { activity?: string } = {},
  ): Promise<void> {
    const { activity, ...rest } = options
    await this.one(openApp(app, { activity }), rest)
  }

  async closeApp(packageName: string, options: CallOptions = {}): Promise<void> {
    await this.one(closeApp(packageName), options)
  }

  async openUrl(url: string, options: CallOptions = {}): Promise<void> {
    await this.one(openUrl(url), options)
  }

  /** Runs a command in the shell of the phone. Its failure is in the `exit_code` of the result. */
  shell(command: string, options: ShellOptions = {}): Promise<ShellResult> {
    return runOn(this.connection, this.id, command, options)
  }

  // Apps, people, recordings

  /** All installed apps, including system apps. */
  async apps(options: CallOptions = {}): Promise<ListAppsAnswer['data']> {
    return (await listApps({ ...this.connection.sending(options), path: this.path })).data
  }

  /** Deletes an app with its data. */
  async uninstall(packageName: string, options: CallOptions = {}): Promise<void> {
    await uninstallApp({ ...this.connection.sending(options), path: { id: this.id, package: packageName } })
  }

  /**
   * Installs an app and waits until it is there: a file (path, bytes, `Blob`), or `{ package }` of the library.
   * @throws PhonerackError with the reason of the phone
   */
  install(app: Installable, options: InstallOptions = {}): Promise<Installed> {
    return installOn(this.connection, this.id, app, options)
  }

  /** Asks a person to do something on the phone, such as a sign-in. Send the person `url`, then wait for `done()`. */
  async handOff(
    request: { message: string; /** Seconds. */ expiresIn?: number },
    options: CallOptions = {},
  ): Promise<Handoff> {
    const body = { message: request.message, expires_in: request.expiresIn }
    const created = await createHandoff({ ...this.connection.sending(options), path: this.path, body })
    return new Handoff(this.connection, this.id, created)
  }

  /** A page that shows the screen, and takes input unless `control` is false. It works like a password. */
  live(options: CallOptions & { expiresIn?: number; control?: boolean } = {}): Promise<CreateLiveLinkAnswer> {
    const { expiresIn, control, ...rest } = options
    const body = { expires_in: expiresIn, control }
    return createLiveLink({ ...this.connection.sending(rest), path: this.path, body })
  }

  /** Starts a recording of the screen. */
  async record(options: CallOptions & { name?: string } = {}): Promise<Recording> {
    const { name, ...rest } = options
    const sending = { ...this.connection.sending(rest), path: this.path }
    return new Recording(this.connection, this.id, await startRecording({ ...sending, body: { name } }))
  }

  toJSON(): PhoneFields {
    return this.data
  }

  /** `await using phone = …` parks the phone. A phone that has been deleted needs no park. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.park()
    } catch (error) {
      if (error instanceof PhonerackError && ['phone_deleted', 'phone_not_found'].includes(error.code)) return
      throw error
    }
  }
}
