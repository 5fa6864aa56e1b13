/** Puts a device together from the implementations that its enrolment's probe chose. */
import type { Transport } from '../adb/transport.js'
import type { Choice } from '../phone/records.js'
import { createScrcpyInput } from '../scrcpy/input.js'
import type { ScrcpyKeeper } from '../scrcpy/keeper.js'
import { createScrcpyText } from '../scrcpy/text.js'
import { createFiles } from '../files/files.js'
import { createApps } from './apps.js'
import type { Device, Wipe } from './device.js'
import { createCommandInput, createCommandText } from './input-commands.js'
import { createPower } from './power.js'
import { createScreen } from './screen.js'
import { createUi } from './ui.js'
import { createWindows } from './windows.js'

export function assembleDevice(
  transport: Transport,
  choice: Choice,
  keeper: ScrcpyKeeper,
  wipe: Wipe,
): Device {
  const screen = createScreen(transport)
  const windows = createWindows(transport)
  return {
    serial: transport.serial,
    screen,
    ui: createUi(transport, choice.ui, () => screen.forget()),
    windows,
    input: choice.input === 'scrcpy' ? createScrcpyInput(keeper) : createCommandInput(transport),
    text: choice.text === 'scrcpy' ? createScrcpyText(keeper) : createCommandText(transport),
    apps: createApps(transport, windows),
    power: createPower(transport),
    info: null,
    clipboard: null,
    location: null,
    locale: null,
    timezone: null,
    files: createFiles(transport),
    packages: null,
    wipe: choice.wipe === 'testharness' ? wipe : null,
  }
}
