/**
 * Each parser reads the same from an output and from its mutations, which occur with makers and versions of
 * Android: another order of blocks, unknown lines, CRLF, a missing last line feed, warnings before it. Form
 * of the inputs: docs/parsers.md.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDeviceList } from '../adb/device-list.js'
import { parseLock } from './lock/screens.js'
import { parseEntries } from './logs/dropbox.js'
import { ownersOf } from './logs/owners.js'
import { parsePackageList, parseVersionNames } from './packages/parse.js'
import { parseDangerous, parsePermissions } from './packages/permissions.js'
import { iconOf } from './shell/apps.js'
import { keysOf, parseRecord } from './shell/notifications.js'
import { parseScreenOn } from './shell/power.js'
import { litDisplay, physicalDisplays } from './shell/screencap.js'
import { parseSize } from './shell/screen.js'
import { parseSecureWindow } from './shell/secure-window.js'
import { parseForeground } from './shell/windows.js'
import { esimProfiles, findSims } from '../custody/wiping/cards.js'
import { accountTypesOf } from '../custody/wiping/order.js'
import { traces } from '../custody/wiping/traces.js'

interface Input {
  parse: (output: string) => unknown
  /** Lines above all blocks. */
  head?: string
  /** Blocks whose order does not matter. Each ends with a line feed. */
  blocks: readonly string[]
  /** A line of a later Android version that may be between any two blocks; null when every line has a meaning. */
  unknown?: string | null
}

const display = (id: number, window: string, app: string, size: string) =>
  `  Display: mDisplayId=${id} (organized)
    init=1080x2400 420dpi mMinSizeOfResizeableTaskDp=220 cur=${size} app=${size} rng=1080x938-2305x2257
  mCurrentFocus=${window}
  mFocusedApp=${app}
`
const displays = {
  head: 'WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n',
  blocks: [
    display(0, 'Window{5e9 u0 PopupWindow:3f2}', 'ActivityRecord{a64 u0 com.chat/.Main t28}', '2400x1080'),
    display(2, 'null', 'null', '576x1280'),
    display(7, 'Window{5ea u0 com.tv/com.tv.Cast}', 'ActivityRecord{a65 u0 com.tv/.Cast t29}', '1920x1080'),
  ],
}
const trace = (name: string) => (output: string) => {
  const found = traces.find((each) => each.name === name)?.find(output)
  return found?.toSorted()
}

const inputs: Readonly<Record<string, Input>> = {
  size: { parse: parseSize, ...displays },
  window: { parse: parseForeground, ...displays },
  lock: {
    parse: parseLock,
    head: 'Current lock settings service state:\n',
    blocks: ['User 0\n    SP Handle: 5f\n    CredentialType: PIN\n', 'User 999\n    CredentialType: NONE\n'],
  },
  'lit display': {
    parse: litDisplay,
    head: 'Logical Displays: size=2\n',
    blocks: [
      '    mBaseDisplayInfo=DisplayInfo{"Inner", displayId 0, state OFF, type INTERNAL, uniqueId "local:11"}\n',
      '    mBaseDisplayInfo=DisplayInfo{"Cover", displayId 1, state ON, type INTERNAL, uniqueId "local:22"}\n',
    ],
  },
  'physical displays': {
    parse: (output) => physicalDisplays(output).toSorted(),
    blocks: ['Display 11 (HWC display 0): port=0 pnpId=A\n', 'Display 22 (HWC display 1): port=1 pnpId=A\n'],
  },
  icon: {
    parse: (output) => iconOf(output, 'com.a.b'),
    head: '2 activities found:\n',
    blocks: [
      '  Activity #0:\n    priority=0 preferredOrder=0 isDefault=false\n    com.a.b/leakcanary.Leak\n',
      '  Activity #1:\n    priority=0 preferredOrder=0 isDefault=false\n    com.a.b/.Main\n',
    ],
  },
  'keys of notifications': {
    parse: (output) => keysOf(output).toSorted(),
    blocks: ['0|com.a|1|null|10001\n', '0|com.b|1|x=\n|10002\n', '-1|android|9|g|1000|ranker_group\n'],
    // The unknown line would become part of a key.
    unknown: null,
  },
  notification: {
    parse: (output) => parseRecord(output),
    head: `NotificationRecord(0x01: pkg=com.a user=UserHandle{0} id=7 tag=x importance=3 key=0|com.a|7|x|10001 new=2: Notification(channel=a flags=0x2))\n`,
    blocks: [
      '      uid=10001 userId=0\n',
      '      flags=ONGOING_EVENT|NO_CLEAR\n',
      '      notification=\n            when=1769862896000/1769862896000\n',
      '            extras={\n                android.title=String (Order)\n                android.text=String (Two\nlines)\n            }\n',
      '      mCreationTimeMs=1769862896123\n',
    ],
  },
  'screen state': {
    parse: parseScreenOn,
    head: 'POWER MANAGER (dumpsys power)\n',
    blocks: ['  mWakefulness=Asleep\n'],
  },
  'secure window': {
    parse: parseSecureWindow,
    blocks: ['      showing=true\n', '    screenState=SCREEN_STATE_ON\n', '      fl=SECURE SPLIT_TOUCH\n'],
  },
  'drop box': {
    parse: (output) =>
      parseEntries(output)
        ?.map(({ tag, at }) => `${tag} ${at.getTime()}`)
        .toSorted(),
    head: 'Drop box contents: 2 entries\nMax entries: 1000\n\n',
    blocks: [
      '2026-01-31 12:34:57 data_app_crash (compressed text, 1203 bytes)\n    /data/system/dropbox/data_app_crash@1769862897123.txt.gz\n',
      '2026-01-31 12:35:00 system_app_anr (text, 90 bytes)\n    /data/system/dropbox/system_app_anr@1769862900000.txt\n',
    ],
  },
  owners: {
    parse: (output) => [10001, 10002].map((uid) => ownersOf(output).of(uid, 51)),
    blocks: [
      'package:com.a uid:10001\n',
      'package:com.b uid:10002\npackage:com.c uid:10002\n',
      '  PID NAME\n   51 com.c:remote\n',
    ],
  },
  packages: {
    parse: (output) => parsePackageList(output).toSorted((a, b) => a.package.localeCompare(b.package)),
    blocks: [
      'package:/data/app/~~Zw==/com.a-1Q==/base.apk=com.a versionCode:7\n',
      'package:/system/priv-app/B/B.apk=com.b versionCode:352412345 uid:10118\n',
    ],
  },
  'versions of packages': {
    parse: (output) => [...(parseVersionNames(output) ?? [])].toSorted(),
    head: 'Packages:\n',
    blocks: [
      '  Package [com.a] (1f):\n    versionName=1.2\n',
      '  Package [com.b] (2f):\n    versionName=null\n',
    ],
    unknown: '    newField=1\n',
  },
  permissions: {
    parse: (output) => {
      const found = parsePermissions(output, 'com.a')
      return found && [[...found.requested], [...found.granted]]
    },
    head: 'Packages:\n  Package [com.a] (1f):\n    requested permissions:\n      android.permission.CAMERA\n',
    blocks: [
      '    User 0: ceDataInode=1 installed=true\n      runtime permissions:\n        android.permission.CAMERA: granted=true, flags=[ USER_SET]\n',
      '    User 999: ceDataInode=0 installed=true\n      runtime permissions:\n        android.permission.CAMERA: granted=false\n',
    ],
    unknown: '    newField=1\n',
  },
  'dangerous permissions': {
    parse: (output) => [...parseDangerous(output)].toSorted(),
    head: 'Dangerous Permissions:\n\n',
    blocks: ['permission:android.permission.CAMERA\n', 'permission:com.a.PAY\n'],
  },
  'devices of adb': {
    parse: (output) => parseDeviceList(output, 0).toSorted((a, b) => a.serial.localeCompare(b.serial)),
    blocks: [
      'R5CT             device usb:1-2 product:a model:B device:c transport_id:7\n',
      '0a1b             unauthorized usb:1-3 transport_id:8\n',
    ],
    unknown: null,
  },
  'types of accounts': {
    parse: accountTypesOf,
    head: 'User UserInfo{0:Owner:13}:\n  Accounts: 2\n',
    blocks: ['    Account {name=a, type=com.x}\n', '    Account {name=b, type=com.y}\n'],
  },
  'SIM cards': {
    parse: findSims,
    head: 'ABSENT,LOADED\n== phonerack subscriptions\nSubscriptionManagerService:\n',
    blocks: ['  [SubscriptionInfoInternal: id=1 simSlotIndex=1 isEmbedded=0]\n', '  mSomething=1\n'],
  },
  'eSIM profiles': {
    parse: esimProfiles.find,
    head: 'SubscriptionManagerService:\n',
    blocks: [
      '  [SubscriptionInfoInternal: id=1 simSlotIndex=-1 isEmbedded=1]\n',
      '  {id=2 simSlotIndex=0 isEmbedded false}\n',
    ],
  },
  users: {
    parse: trace('users'),
    head: 'Users:\n',
    blocks: [
      '\tUserInfo{0:Owner:c13} running\n',
      '\tUserInfo{10:system_clone:30} running\n',
      '\tUserInfo{999:MultiApp:4000030} running\n',
    ],
  },
  'Wi-Fi networks': {
    parse: trace('wifi_networks'),
    head: 'Network Id      SSID                         Security type\n',
    blocks: [
      '0            Cafe Two                         wpa2-psk\n',
      '0            Cafe Two                         wpa3-sae^\n',
    ],
  },
  'device administrators': {
    parse: trace('device_admins'),
    head: 'Current Device Policy Manager state:\n',
    blocks: [
      '  Enabled Device Admins (User 0, provisioningState: 0):\n    com.a/.Admin:\n',
      '  Device Owner:\n    admin=ComponentInfo{com.b/.Owner}\n',
    ],
  },
  'crash reports': {
    parse: trace('crash_reports'),
    head: 'package:com.a\nDrop box contents: 2 entries\n\n',
    blocks: [
      '2026-01-31 12:34:57 data_app_crash (text, 90 bytes)\n    Process: com.gone/PID: 5/UID: 10001\n',
      '2026-01-31 12:34:58 data_app_anr (contents lost)\n',
      '2026-01-31 12:34:59 data_app_anr (compressed text, 9 bytes)\n    Process: com.a/PID: 6/UID: 10002\n',
    ],
  },
}

describe('mutations of an output do not change the result', () => {
  it.each(Object.entries(inputs))(
    '%s',
    (_name, { parse, head = '', blocks, unknown = '    mAddedLater=1 b=c\n' }) => {
      const expected = parse(head + blocks.join(''))
      expect(expected).not.toBeNull()
      expect(expected).not.toBeUndefined()
      const mutation = fc.record({
        order: fc.shuffledSubarray([...blocks], { minLength: blocks.length }),
        // The position of an unknown line; the last position adds no line.
        at: fc.nat(blocks.length + 1),
        end: fc.constantFrom('\n', '\r\n'),
        isCut: fc.boolean(),
      })
      fc.assert(
        fc.property(mutation, ({ order, at, end, isCut }) => {
          const lines = at <= order.length && unknown !== null ? order.toSpliced(at, 0, unknown) : order
          const output = (head + lines.join('')).replaceAll('\n', end)
          // An app's text between quotation marks keeps its line ends.
          const read = JSON.stringify(parse(isCut ? output.replace(/\r?\n$/, '') : output))
          expect(read.replaceAll('\\r\\n', '\\n')).toBe(JSON.stringify(expected))
        }),
        { numRuns: 60 },
      )
    },
  )
})
