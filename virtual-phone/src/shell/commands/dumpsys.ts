/** `dumpsys SERVICE`: state as text, in the format of Android 14, limited to the parts that known programs read. */
import type { Android } from '../../android/android.js'
import { encode } from '../bytes.js'
import { type CommandTable } from '../command.js'
import { dumpSubscriptions, dumpTelephonyRegistry } from './dump-cards.js'
import { dumpDropBox } from './dump-dropbox.js'
import { dumpNotifications } from './dump-notification.js'
import { dumpPackages } from './dump-package.js'
import { dumpActivity, dumpInputMethod, dumpWindow } from './dump-window.js'
import {
  dumpAccessibility,
  dumpAccounts,
  dumpConnectivity,
  dumpDevicePolicy,
  dumpUsers,
  dumpVpn,
} from './dump-user-data.js'
import { serviceNames } from './services.js'

function wakefulness(android: Android): string {
  return android.world.awake ? 'Awake' : 'Asleep'
}

function dumpPower(android: Android): string {
  const stayOn = android.settings.get('global', 'stay_on_while_plugged_in') ?? '0'
  return `POWER MANAGER (dumpsys power)

Power Manager State:
  mWakefulness=${wakefulness(android)}
  mWakefulnessChanging=false
  mIsPowered=true
  mPlugType=2
  mBatteryLevel=${android.world.batteryPercent}
  mStayOn=${stayOn !== '0'}
  mHalInteractiveModeEnabled=${android.world.awake}
  mBootCompleted=${android.properties.get('sys.boot_completed') === '1'}
  mSystemReady=true

Settings and Configuration:
  mStayOnWhilePluggedInSetting=${stayOn}
  mScreenOffTimeoutSetting=${android.settings.get('system', 'screen_off_timeout') ?? '60000'}

Display Power: state=${android.world.awake ? 'ON' : 'OFF'}
`
}

function dumpBattery(android: Android): string {
  return `Current Battery Service state:
  AC powered: false
  USB powered: true
  Wireless powered: false
  Dock powered: false
  Max charging current: 500000
  Max charging voltage: 5000000
  Charge counter: 4000000
  status: ${android.world.batteryPercent === 100 ? 5 : 2}
  health: 2
  present: true
  level: ${android.world.batteryPercent}
  scale: 100
  voltage: 4400
  temperature: ${Math.round(android.batteryCelsius * 10)}
  technology: Li-ion
`
}

function dumpDisplay(android: Android): string {
  const { width, height, density, rotation } = android.world.display
  return `DISPLAY MANAGER (dumpsys display)
  mViewports=[DisplayViewport{type=INTERNAL, valid=true, displayId=0, uniqueId='local:4619827259835644672', physicalPort=0, orientation=${rotation}, logicalFrame=Rect(0, 0 - ${width}, ${height}), physicalFrame=Rect(0, 0 - ${width}, ${height}), deviceWidth=${width}, deviceHeight=${height}}]
Display States: size=1
  Display Id=0
  Display State=${android.world.awake ? 'ON' : 'OFF'}
  mScreenState=${android.world.awake ? 'ON' : 'OFF'}
Logical Displays: size=1
  Display 0:
    mDisplayId=0
    mBaseDisplayInfo=DisplayInfo{"Built-in Screen", displayId 0, displayGroupId 0, real ${width} x ${height}, largest app ${width} x ${height}, smallest app ${width} x ${height}, rotation ${rotation}, state ${android.world.awake ? 'ON' : 'OFF'}, density ${density} (420.0 x 420.0) dpi}
`
}

function dumpInput(android: Android): string {
  const { width, height, rotation } = android.world.display
  return `INPUT MANAGER (dumpsys input)

Input Manager State:
  Interactive: ${android.world.awake}
Event Hub State:
  Devices:
    -1: Virtual
    1: phonerack_touchscreen
Input Reader State:
  Device 1: phonerack_touchscreen
      SurfaceOrientation: ${rotation}
      Viewport INTERNAL: displayId=0, orientation=${rotation}, logicalFrame=[0, 0, ${width}, ${height}], physicalFrame=[0, 0, ${width}, ${height}], deviceSize=[${width}, ${height}]
`
}

type Section = (android: Android, args: readonly string[]) => string

const sections: Readonly<Record<string, Section>> = {
  accessibility: dumpAccessibility,
  account: dumpAccounts,
  activity: dumpActivity,
  alarm: (android) => `Current Alarm Manager state:\n  nowRTC=${Date.now()} timezone=${android.timeZone}\n`,
  battery: dumpBattery,
  connectivity: dumpConnectivity,
  device_policy: dumpDevicePolicy,
  deviceidle: () =>
    '  Settings:\n    light_idle_enabled=false\n  mState=ACTIVE\n  mLightState=ACTIVE\n  Whitelist system apps:\n    com.android.shell\n',
  display: dumpDisplay,
  dropbox: dumpDropBox,
  input: dumpInput,
  input_method: dumpInputMethod,
  isub: dumpSubscriptions,
  location: (android) =>
    `Location Manager State:\n  User Info:\n    current users: u[0]\n  Location Setting: ${android.settings.get('secure', 'location_mode') !== '0'}\n  Location Providers:\n    passive provider:\n      last location=null\n`,
  lock_settings: (android) =>
    `Current lock settings service state:\nUser 0\n    CredentialType: ${android.userData.pin === null ? 'NONE' : 'PIN'}\n    disabled: ${android.lockDisabled}\n`,
  notification: dumpNotifications,
  package: (android, args) => dumpPackages(android, args.find((arg) => !arg.startsWith('-')) ?? null),
  power: dumpPower,
  'telephony.registry': dumpTelephonyRegistry,
  trust: () =>
    'Trust manager state:\n User "Owner" (id=0, flags=0x4c13) (current): trustState=UNTRUSTED, trustManaged=0, deviceLocked=0, isActiveUnlockRunning=0, strongAuthRequired=0x0\n   Enabled agents:\n',
  user: dumpUsers,
  vpn_management: dumpVpn,
  window: dumpWindow,
  wifi: (android) =>
    `Wi-Fi is ${android.settings.get('global', 'wifi_on') === '1' ? 'enabled' : 'disabled'}\n`,
}

export const dumpsysCommands: CommandTable = {
  dumpsys: async (io) => {
    const args = [...io.args]
    while (args[0] === '-t' || args[0] === '-T') args.splice(0, 2)
    if (args[0] === '-l') {
      await io.out(`Currently running services:\n${serviceNames.map((name) => `  ${name}\n`).join('')}`)
      return 0
    }
    const [name, ...rest] = args
    if (name === undefined) {
      for (const [each, section] of Object.entries(sections)) {
        await io.out(
          encode(
            `-------------------------------------------------------------------------------\nDUMP OF SERVICE ${each}:\n${section(io.android, [])}`,
          ),
        )
      }
      return 0
    }
    // These services also accept commands.
    if (name === 'deviceidle' && rest.length > 0) return io.spawn(['cmd', 'deviceidle', ...rest])
    const section = sections[name]
    if (section !== undefined) await io.out(encode(section(io.android, rest)))
    else if (!serviceNames.includes(name)) await io.err(`Can't find service: ${name}\n`)
    return 0
  },
}
