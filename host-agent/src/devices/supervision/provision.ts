/**
 * Prepares an enrolled phone: the agent's folder, the scrcpy server, screen on while
 * plugged in. At enrolment it also tests each capability by using it and reading back,
 * and selects the implementations.
 */
import type { Logger, Progress } from '@phonerack/shared'
import { command, sequence } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import type { CaptureHub } from '../../capture/hub.js'
import type { MotionKeeper } from '../../capture/motion/motion.js'
import { proveMotion } from '../../capture/motion/prove.js'
import { proveVideo } from '../../capture/probe.js'
import type { Choice } from '../../adb/device/choice.js'
import { type ScrcpyKeeper } from '../../capture/scrcpy/keeper.js'
import { phoneFolder } from '../../adb/device/phone-folder.js'
import { provePackages } from '../../phone/packages/probe.js'
import { keyMessage } from '../../capture/scrcpy/messages.js'
import { probeFiles } from '../../phone/files/probe.js'
import { createInfo } from '../../phone/settings/info.js'
import { createKeyboardSwitch, ourKeyboard } from '../../phone/settings/keyboard.js'
import { probeSettings } from '../../phone/settings/probe.js'
import { prepareSettingsApp } from '../../phone/settings/settings-app.js'
import { endLeftovers } from '../../phone/ui-server/instrumentation.js'
import type { UiServerKeeper } from '../../phone/ui-server/keeper.js'
import { probeUiServer, startUiServer } from '../../phone/ui-server/probe.js'
import { attempt, type FoundCapability } from '../../adb/device/attempt.js'
import { createNotifications } from '../../phone/shell/notifications.js'
import { createPower, parseAwake, readWakefulness } from '../../phone/shell/power.js'
import { run } from '../../adb/device/run.js'
import { createScreen } from '../../phone/shell/screen.js'
import { createUi } from '../../phone/shell/ui.js'
import { createWindows } from '../../phone/shell/windows.js'
import { proveClipboard } from '../../capture/scrcpy/prove-clipboard.js'

/** The helpers kept running for a phone, and their callbacks. */
export interface Helpers {
  keeper: ScrcpyKeeper
  capture: CaptureHub
  /** Null when the signal is switched off. */
  motion: MotionKeeper | null
  uiServer: UiServerKeeper
  log: Logger
}

/**
 * Sets up the parts that the selected implementations need on the phone. Repeated after each restart of the
 * phone.
 */
export async function prepare(
  transport: Transport,
  { keeper, uiServer, log }: Helpers,
  choice: Pick<Choice, 'input' | 'text' | 'settingsApp' | 'uiServer'> | null,
  progress: Progress,
): Promise<void> {
  await run(transport, command('mkdir', '-p', phoneFolder), progress)
  // Some vendors' shells return an error code although the command works; no other step depends on it.
  await transport.shell(command('svc', 'power', 'stayon', 'true'), progress)
  // Without this setting, Android 11 and newer forget this host's key after seven days without a connection.
  await transport.shell(command('settings', 'put', 'global', 'adb_allowed_connection_time', '0'), progress)
  if (choice?.input === 'scrcpy' || choice?.text === 'scrcpy') await keeper.start(progress)
  if (choice?.settingsApp) await prepareSettingsApp(transport, progress)
  if (choice?.uiServer) await startUiServer(uiServer, log, progress)
}

/** Tests each capability. @throws DeviceGone; a capability that does not work is reported in the result */
export async function probeCapabilities(
  transport: Transport,
  { keeper, capture, motion, uiServer, log }: Helpers,
  sdk: number | null,
  progress: Progress,
): Promise<{ choice: Choice; capabilities: FoundCapability[] }> {
  const found: FoundCapability[] = []
  const screen = createScreen(transport)
  const windows = createWindows(transport)
  await createPower(transport).wake(progress.within(20_000))
  found.push({ name: 'power', implementation: 'keyevents', evidence: 'woke' })

  found.push(
    await attempt('screen', 'screencap', progress, async (within) => {
      const png = Buffer.from(await screen.png(within))
      const size = await screen.size(within)
      const picture = `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`
      if (picture !== `${size.width}x${size.height}`)
        throw new Error(`picture ${picture}, screen ${size.width}x${size.height}`)
      return `PNG of ${picture}, ${png.length} bytes`
    }),
  )

  // `uiautomator dump` needs exclusive access, and an earlier agent's server may still run.
  uiServer.stop()
  await transport.shell(endLeftovers, progress.within(20_000))
  let ui: Choice['ui'] = 'uiautomator-tty'
  const readTree = (implementation: Choice['ui']) =>
    attempt('ui', implementation, progress, async (within) => {
      const xml = await createUi(transport, implementation, () => undefined).source(within)
      if (!xml.endsWith('</hierarchy>')) throw new Error(xml.slice(0, 200))
      return `hierarchy of ${xml.length} characters`
    })
  let tree = await readTree(ui)
  if (tree.implementation === '') {
    ui = 'uiautomator-file'
    const second = await readTree(ui)
    tree = second.implementation === '' ? tree : second
  }
  const resident = await probeUiServer(uiServer, progress)
  found.push(
    resident.implementation === ''
      ? { ...tree, evidence: `${tree.evidence}; UI server: ${resident.evidence}` }
      : {
          ...resident,
          evidence: `${resident.evidence}; fallback ${tree.implementation || 'nothing'}: ${tree.evidence}`,
        },
  )

  found.push(
    await attempt('windows', 'dumpsys', progress, async (within) => {
      const state = await windows.read(within)
      if (state.package === '') throw new Error('the phone reports no focused window')
      return `${state.package}/${state.activity ?? ''} in front`
    }),
  )
  const apps = await attempt('apps', 'pm', progress, (within) => provePackages(transport, within))
  found.push(apps)

  const input = await attempt('input', 'scrcpy', progress, (within) => proveInput(transport, keeper, within))
  const text =
    input.implementation === ''
      ? input
      : await attempt('text', 'scrcpy', progress, async (within) => {
          const control = await keeper.socket(within)
          if (!(await proveClipboard(control, within)))
            throw new Error('the clipboard could not be read back')
          return 'Unicode text set in the clipboard and read back'
        })
  found.push(
    input.implementation === ''
      ? { ...input, implementation: 'input-commands', evidence: `one finger; scrcpy: ${input.evidence}` }
      : input,
    text.implementation === ''
      ? {
          name: 'text',
          implementation: 'input-commands',
          evidence: `printable ASCII; scrcpy: ${text.evidence}`,
        }
      : text,
  )

  const video = await attempt('video', 'scrcpy', progress, (within) => proveVideo(capture, within))
  const drawings: FoundCapability =
    motion === null
      ? { name: 'motion', implementation: '', evidence: 'switched off by PHONERACK_MOTION' }
      : video.implementation === ''
        ? { ...video, name: 'motion' }
        : await attempt('motion', 'scrcpy', progress, (within) =>
            proveMotion(motion, createNotifications(transport), within).finally(() => motion.stop()),
          )
  found.push(video, drawings)

  const clipboard: FoundCapability =
    input.implementation === ''
      ? { ...input, name: 'clipboard' }
      : {
          name: 'clipboard',
          implementation: text.implementation === '' ? 'unproven' : 'scrcpy',
          evidence: text.implementation === '' ? `set only; ${text.evidence}` : text.evidence,
        }
  found.push(clipboard)
  const settings = await probeSettings(transport, progress)
  found.push(...settings.found)
  const files = await probeFiles(transport, progress)
  const info = await attempt('info', 'getprop', progress, async (within) => {
    const { brand, model, osVersion } = await createInfo(transport, screen).read(within)
    return `${brand ?? '?'} ${model ?? '?'}, Android ${osVersion ?? '?'}`
  })
  found.push(files, info)
  const keyboard = await probeKeyboard(transport, settings.choice.settingsApp, log, progress)
  found.push(keyboard)

  const wipe: Choice['wipe'] = sdk !== null && sdk >= 29 ? 'testharness' : ''
  found.push({ name: 'wipe', implementation: wipe, evidence: `Android API level ${String(sdk)}` })
  const choice: Choice = {
    input: input.implementation === '' ? 'input-commands' : 'scrcpy',
    text: text.implementation === '' ? 'input-commands' : 'scrcpy',
    ui,
    uiServer: resident.implementation !== '',
    wipe,
    clipboard: clipboard.implementation === '' ? '' : text.implementation === '' ? 'unproven' : 'scrcpy',
    ...settings.choice,
    files: files.implementation === '' ? '' : 'sync',
    keyboard: keyboard.implementation !== '',
    packages: apps.implementation === '' ? '' : 'pm',
    video: video.implementation === '' ? '' : 'scrcpy',
    // While the signal is switched off, its check did not run, so the signal stays selected.
    motion: motion !== null && drawings.implementation === '' ? '' : 'scrcpy',
  }
  if (input.implementation === '') keeper.stop()
  return { choice, capabilities: found }
}

/**
 * Selects the keyboard of io.appium.settings, which can type any text, and then the user's keyboard again.
 */
async function probeKeyboard(
  transport: Transport,
  hasSettingsApp: boolean,
  log: Logger,
  progress: Progress,
): Promise<FoundCapability> {
  if (!hasSettingsApp) return { name: 'keyboard', implementation: '', evidence: 'needs io.appium.settings' }
  let remembered: string | null = null
  const keyboard = createKeyboardSwitch({
    transport,
    remembered: { get: () => remembered, set: (keyboard) => void (remembered = keyboard) },
    log,
  })
  return attempt('keyboard', 'settings-app', progress, async (within) => {
    await keyboard.select(within)
    const before = String(remembered)
    await keyboard.restore()
    if (remembered !== null) throw new Error(`${before} did not become the keyboard again`)
    return `${ourKeyboard} was set and read back, and ${before} was restored`
  })
}

/** Puts the phone to sleep and wakes it through the socket, and verifies both on the phone. */
async function proveInput(transport: Transport, keeper: ScrcpyKeeper, progress: Progress): Promise<string> {
  const startedAt = performance.now()
  const control = await keeper.start(progress.within(15_000))
  const ms = Math.round(performance.now() - startedAt)
  const awake = async () =>
    parseAwake((await transport.shell(readWakefulness, progress)).stdout.toString('utf8'))
  const press = async (keyCode: number, wanted: boolean) => {
    await control.send(
      Buffer.concat([keyMessage('down', keyCode, 0), keyMessage('up', keyCode, 0)]),
      progress,
    )
    const within = progress.within(3000)
    for (;;) {
      const now = await awake()
      if (now === wanted) return
      if (within.expired) throw new Error(`key ${keyCode} had no effect: awake is ${String(now)}`)
      await within.sleep(50, 'the effect of a key')
    }
  }
  if ((await awake()) === null) {
    return `server on "${control.deviceName}" answered after ${ms} ms; the phone does not report whether it is awake`
  }
  await press(223, false)
  await press(224, true)
  await transport.shell(sequence(command('wm', 'dismiss-keyguard')), progress)
  return `server on "${control.deviceName}" answered after ${ms} ms; sleep and wake keys took effect`
}
