/** Assembles a device from the implementations that the enrolment's probe selected. */
import type { Logger } from '@phonerack/shared'
import type { Transport } from '../../adb/transport.js'
import type { Capture } from '../../adb/device/capture.js'
import type { Choice } from '../../adb/device/choice.js'
import type { Motion } from '../../adb/device/motion.js'
import { createScrcpyInput } from '../../capture/scrcpy/input.js'
import type { ScrcpyKeeper } from '../../capture/scrcpy/keeper.js'
import { createLiveInput } from '../../capture/scrcpy/live-input.js'
import { createKeyText, createPasteText } from '../../capture/scrcpy/text.js'
import { createFiles } from '../../phone/files/files.js'
import { createLabels } from '../../phone/packages/labels.js'
import { createPermissions } from '../../phone/packages/permissions.js'
import { createPackages } from '../../phone/packages/packages.js'
import { createClipboard } from '../../phone/settings/clipboard.js'
import type { DesiredState } from '../../phone/settings/desired.js'
import { createInfo } from '../../phone/settings/info.js'
import {
  createKeyboardSwitch,
  type KeyboardSwitch,
  type SavedKeyboard,
} from '../../phone/settings/keyboard.js'
import { createKeyboardText } from '../../phone/settings/keyboard-text.js'
import { createLocale } from '../../phone/settings/locale.js'
import { createLocation, type KeptLocation } from '../../phone/settings/location.js'
import { createTimezone } from '../../phone/settings/timezone.js'
import type { UiServerKeeper } from '../../phone/ui-server/keeper.js'
import { createFocused } from '../../phone/ui-server/focused.js'
import { createSetText } from '../../phone/ui-server/set-text.js'
import { createUiServerTree } from '../../phone/ui-server/tree.js'
import { createApps } from '../../phone/shell/apps.js'
import { createSecureWindow } from '../../phone/shell/secure-window.js'
import type { Device, TextMethod } from '../../adb/device/device.js'
import { createCommandInput, createCommandText } from '../../phone/shell/input-commands.js'
import { createCrashes } from '../../phone/logs/crashes.js'
import { createLogs } from '../../phone/logs/logs.js'
import type { CredentialMemory } from '../../phone/lock/credential-memory.js'
import { rememberingInput, rememberingLiveInput, rememberingText } from '../../phone/lock/remembering.js'
import { createNotifications } from '../../phone/shell/notifications.js'
import { createPower } from '../../phone/shell/power.js'
import { createScreen } from '../../phone/shell/screen.js'
import { createTenantShell } from '../../phone/shell/tenant-shell.js'
import { createUi } from '../../phone/shell/ui.js'
import { createWindows } from '../../phone/shell/windows.js'
import type { ShellUse } from './shell-use.js'

interface DeviceParts {
  transport: Transport
  choice: Choice
  keeper: ScrcpyKeeper
  capture: Capture
  /** Null when the signal is switched off. */
  motion: Motion | null
  uiServer: UiServerKeeper
  log: Logger
  desired: DesiredState
  keyboard: SavedKeyboard
  /** Gets text and keys just before they are sent. */
  credentials: Pick<CredentialMemory, 'typed' | 'pressed' | 'commanded'>
  shellUse: Pick<ShellUse, 'guarded' | 'limited'>
  /** The log line after which the phone's own lines begin; null when unknown. */
  logMark: () => string | null
  /** The phone's time zone after its first wipe; null before the first wipe. */
  defaultZone: () => string | null
}

export interface AssembledDevice extends Device {
  readonly location: KeptLocation | null
  /** Restores the user's keyboard when the phone disconnected during typing. */
  readonly keyboardSwitch: KeyboardSwitch
}

/** The largest number of characters for which key events are fastest. */
const shortText = 300
const anyLength = Number.MAX_SAFE_INTEGER

/** Returns the ways of typing, best first. The README of `actions` gives the reasons for the order. */
function textMethods(
  { transport, choice, keeper, uiServer, log }: DeviceParts,
  keyboard: KeyboardSwitch,
): TextMethod[] {
  const scrcpy = choice.text === 'scrcpy'
  return [
    ...(scrcpy ? [createKeyText(keeper, shortText)] : []),
    ...(choice.uiServer ? [createSetText(uiServer)] : []),
    ...(scrcpy ? [createPasteText(keeper, log)] : [createCommandText(transport, false)]),
    ...(choice.keyboard ? [createKeyboardText(transport, keyboard)] : []),
    ...(scrcpy ? [createKeyText(keeper, anyLength)] : []),
    ...(scrcpy || choice.keyboard ? [] : [createCommandText(transport, true)]),
  ]
}

export function assembleDevice(parts: DeviceParts): AssembledDevice {
  const { transport, choice, keeper, desired, defaultZone } = parts
  const { uiServer: server, log, shellUse, credentials } = parts
  const { settingsApp } = choice
  const screen = createScreen(transport)
  const windows = createWindows(transport)
  const beforeRead = () => screen.forget()
  const keyboard = createKeyboardSwitch({ transport, remembered: parts.keyboard, log })
  const dump = createUi(transport, choice.ui, beforeRead)
  return {
    serial: transport.serial,
    screen,
    ui: choice.uiServer ? createUiServerTree({ server, fallback: dump, log, beforeRead }) : dump,
    windows,
    secureWindow: createSecureWindow(transport),
    input: rememberingInput(
      choice.input === 'scrcpy' ? createScrcpyInput(keeper) : createCommandInput(transport),
      parts.credentials,
    ),
    text: {
      methods: textMethods(parts, keyboard).map((method) => rememberingText(method, parts.credentials)),
      focused: choice.uiServer ? createFocused(server) : null,
    },
    liveInput:
      choice.input === 'scrcpy' ? rememberingLiveInput(createLiveInput(keeper), parts.credentials) : null,
    apps: createApps(transport, windows),
    shell: shellUse.guarded(
      transport,
      createTenantShell(transport, (line) => credentials.commanded(line, performance.now())),
    ),
    power: shellUse.limited(transport, createPower(transport)),
    info: createInfo(transport, screen),
    clipboard:
      choice.clipboard === ''
        ? null
        : createClipboard({
            transport,
            keeper,
            readProven: choice.clipboard === 'scrcpy',
            hasSettingsApp: settingsApp,
            keyboard,
          }),
    location: choice.location === '' ? null : createLocation(transport, desired),
    locale: choice.locale === '' ? null : createLocale(transport),
    timezone: choice.timezone === '' ? null : createTimezone({ transport, desired, defaultZone }),
    files: choice.files === '' ? null : createFiles(transport),
    packages:
      choice.packages === ''
        ? null
        : createPackages(transport, createLabels({ uiServer: server, scrcpy: keeper, log })),
    logs: createLogs(transport, parts.logMark),
    crashes: createCrashes(transport),
    notifications: createNotifications(transport),
    permissions: choice.packages === '' ? null : createPermissions(transport),
    video: choice.video === '' ? null : parts.capture,
    motion: choice.video === '' || choice.motion === '' ? null : parts.motion,
    keyboardSwitch: keyboard,
  }
}
