/**
 * Prepares the phone of one serial for calls: the probe of its capabilities, the agent's programs on it, and the assembled
 * device. Used by `supervisor.ts`.
 */
import type { Logger, Progress } from '@phonerack/shared'
import { command } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import type { AgentTimes } from '../../base/times.js'
import { createCaptureHub } from '../../capture/hub.js'
import { createMotion } from '../../capture/motion/motion.js'
import { withoutScrcpy, type Choice } from '../../adb/device/choice.js'
import type { DeviceRecord, Records } from '../../custody/records.js'
import type { FoundCapability } from '../../adb/device/attempt.js'
import type { Device } from '../../adb/device/device.js'
import type { CredentialMemory } from '../../phone/lock/credential-memory.js'
import type { ControlSocket } from '../../capture/scrcpy/control-socket.js'
import { uiServer } from '../../adb/parts/parts.js'
import type { Jar } from '../../capture/scrcpy/jar.js'
import { createScrcpyKeeper } from '../../capture/scrcpy/keeper.js'
import { createUi } from '../../phone/shell/ui.js'
import { createUiServerKeeper } from '../../phone/ui-server/keeper.js'
import { assembleDevice, type AssembledDevice } from './assemble.js'
import { prepare, probeCapabilities, type Helpers } from './provision.js'
import type { RecordFields } from './record-fields.js'
import type { ShellUse } from './shell-use.js'

interface PreparationParts {
  serial: string
  transport: Transport
  /** Null when this host has no scrcpy server. */
  jar: Jar | null
  isolated: boolean
  /** Whether observations use a signal of the screen's drawings. */
  withMotion: boolean
  records: Records
  fields: RecordFields
  credentials: CredentialMemory
  shellUse: ShellUse
  /** When omitted, the product's intervals apply. */
  times?: AgentTimes | undefined
  log: Logger
}

export class Preparation {
  private readonly helpers: Helpers
  private assembled: AssembledDevice | null = null

  constructor(private readonly parts: PreparationParts) {
    const { transport, jar, isolated, withMotion, times, log } = parts
    const motion = withMotion ? createMotion({ transport, jar, log, lingerMs: times?.motionLinger }) : null
    this.helpers = {
      motion,
      keeper: createScrcpyKeeper(transport, jar, log),
      capture: createCaptureHub({
        transport,
        jar,
        log,
        ...(motion ? { follower: motion.follower } : {}),
        changes: { ...(times?.videoLinger === undefined ? {} : { linger: times.videoLinger }) },
      }),
      uiServer: createUiServerKeeper({ transport, isolated, log }),
      log,
    }
  }

  /** The last assembled device, in any state of the phone; null before the first assembly. */
  get device(): Device | null {
    return this.assembled
  }

  /** The control socket of the running scrcpy server; null without a server. */
  get control(): ControlSocket | null {
    return this.helpers.keeper.current
  }

  /**
   * Tests the phone's capabilities and stores the selected implementations.
   * @param sdk the phone's API level; null when unknown
   */
  async probe(sdk: number | null, progress: Progress): Promise<FoundCapability[]> {
    const { serial, transport, records } = this.parts
    const { choice, capabilities } = await probeCapabilities(transport.pinned(), this.helpers, sdk, progress)
    records.update(serial, { choice })
    this.assemble()
    return capabilities
  }

  /** Prepares the phone for the implementations in its record. Also used after a wipe. */
  async prepare(progress: Progress): Promise<void> {
    await prepare(this.parts.transport.pinned(), this.helpers, this.choice, progress)
    this.assemble()
    await this.keepSettings(progress)
  }

  /** Checks that the input server runs, and restores settings that the phone lost. */
  async check(progress: Progress): Promise<void> {
    if (this.choice?.input === 'scrcpy') await this.helpers.keeper.socket(progress)
    await this.keepSettings(progress)
  }

  /**
   * Reads the tree by `uiautomator dump` while the UI server is stopped, and starts the server again. For an
   * acceptance run.
   */
  treeByDump(progress: Progress): Promise<string> {
    const transport = this.parts.transport.pinned()
    return this.helpers.uiServer.whileStopped(async () => {
      await transport.shell(command('am', 'force-stop', uiServer.package), progress)
      return createUi(transport, this.choice?.ui ?? 'uiautomator-tty', () => undefined).source(progress)
    }, progress)
  }

  /** Stops the agent's programs on the phone; `prepare` starts them again. */
  stop(): void {
    const { keeper, capture, motion, uiServer } = this.helpers
    keeper.stop()
    motion?.stop()
    capture.stop('the phone accepts no calls now')
    uiServer.stop()
  }

  private get record(): DeviceRecord {
    return this.parts.records.get(this.parts.serial)
  }

  /**
   * Returns the implementations in use. They differ from the record when the agent lost its scrcpy server after the
   * enrolment.
   */
  private get choice(): Choice | null {
    const { choice } = this.record
    return choice !== null && this.parts.jar === null ? withoutScrcpy(choice) : choice
  }

  private async keepSettings(progress: Progress): Promise<void> {
    await this.assembled?.location?.keep(progress)
    await this.assembled?.keyboardSwitch.restoreLeftover(progress)
  }

  private assemble(): void {
    const { transport, fields, credentials, shellUse } = this.parts
    const { choice } = this
    if (!choice) return
    this.assembled = assembleDevice({
      ...this.helpers,
      // Calls of this device must not reach a later phone with the same serial.
      transport: transport.pinned(),
      choice,
      desired: fields.desired,
      keyboard: fields.keyboard,
      logMark: () => this.record.logMark,
      defaultZone: () => this.record.baseline?.timezone ?? null,
      credentials,
      shellUse,
    })
  }
}
