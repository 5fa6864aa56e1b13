/**
 * Prepares the phone of one serial for calls: its probe, what runs on it for the agent, and the device that is assembled from
 * them. Used by `supervisor.ts`.
 */
import type { Logger, Progress } from '@phonerack/shared'
import type { Transport } from '../adb/transport.js'
import { createCaptureHub } from '../capture/hub.js'
import type { DeviceRecord, Records } from '../custody/records.js'
import type { FoundCapability } from '../device/attempt.js'
import type { Device } from '../device/device.js'
import type { CredentialMemory } from '../lock/credential-memory.js'
import type { ControlSocket } from '../scrcpy/control-socket.js'
import type { Jar } from '../scrcpy/jar.js'
import { createScrcpyKeeper } from '../scrcpy/keeper.js'
import { createUiServerKeeper } from '../ui-server/keeper.js'
import { assembleDevice, type AssembledDevice } from './assemble.js'
import { prepare, probeCapabilities, type Helpers } from './provision.js'
import type { RecordFields } from './record-fields.js'

export interface PreparationParts {
  serial: string
  transport: Transport
  jar: Jar
  isolated: boolean
  records: Records
  fields: RecordFields
  credentials: CredentialMemory
  log: Logger
}

export class Preparation {
  private readonly helpers: Helpers
  private assembled: AssembledDevice | null = null

  constructor(private readonly parts: PreparationParts) {
    const { transport, jar, isolated, log } = parts
    this.helpers = {
      keeper: createScrcpyKeeper(transport, jar, log),
      capture: createCaptureHub({ transport, jar, log }),
      uiServer: createUiServerKeeper({ transport, isolated, log }),
      log,
    }
  }

  /** The device as it was assembled last, in any state of the phone; null before the first time. */
  get device(): Device | null {
    return this.assembled
  }

  /** The control socket of the running scrcpy server; null without one. */
  get control(): ControlSocket | null {
    return this.helpers.keeper.current
  }

  /** Tries what the phone can do and remembers the choice. `sdk`: its API level; null: not known. */
  async probe(sdk: number | null, progress: Progress): Promise<FoundCapability[]> {
    const { serial, transport, records } = this.parts
    const { choice, capabilities } = await probeCapabilities(transport.pinned(), this.helpers, sdk, progress)
    records.update(serial, { choice })
    this.assemble()
    return capabilities
  }

  /** Prepares the phone as its record says; also after a wipe took everything away. */
  async prepare(progress: Progress): Promise<void> {
    await prepare(this.parts.transport.pinned(), this.helpers, this.record.choice, progress)
    this.assemble()
    await this.keepSettings(progress)
  }

  /** Checks that the input server runs, and sets again what the phone lost. */
  async check(progress: Progress): Promise<void> {
    if (this.record.choice?.input === 'scrcpy') await this.helpers.keeper.socket(progress)
    await this.keepSettings(progress)
  }

  /** Ends what the agent runs on the phone; `prepare` starts it again. */
  stop(): void {
    const { keeper, capture, uiServer } = this.helpers
    keeper.stop()
    capture.stop('the phone accepts no calls now')
    uiServer.stop()
  }

  private get record(): DeviceRecord {
    return this.parts.records.get(this.parts.serial)
  }

  private async keepSettings(progress: Progress): Promise<void> {
    await this.assembled?.location?.keep(progress)
    await this.assembled?.borrowed.keep(progress)
  }

  private assemble(): void {
    const { transport, fields, credentials } = this.parts
    const { choice } = this.record
    if (!choice) return
    this.assembled = assembleDevice({
      ...this.helpers,
      // No call for this phone reaches one that comes to the serial after it.
      transport: transport.pinned(),
      choice,
      desired: fields.desired,
      keyboard: fields.keyboard,
      defaultZone: () => this.record.baseline?.timezone ?? null,
      credentials,
    })
  }
}
