/**
 * A user's data on a phone, and the parts that an incomplete wipe keeps. Each item can be found by an Android
 * command. The apps of the keyboard, the accessibility service and the administrator belong to the system
 * image, so that each leftover is independent. Called by `faults.ts`.
 */
import type { Android } from '../android/android.js'
import type { Apk } from '../android/apk/apk.js'
import { makeDataFolder } from '../android/install/commit.js'
import { aid, root } from '../fs/access.js'

type Leave = (android: Android) => void | Promise<void>

const text = 'left by the last tenant'
const folder = '/data/app/~~bGVmdG92ZXItb3V0ZXIxMg==/com.example.leftover-bGVmdG92ZXItaW5uZXIxMg=='
/** The file name is the hash of the subject, as in OpenSSL. */
const certificate = '/data/misc/user/0/cacerts-added/9a5ba575.0'

const apk: Apk = {
  package: 'com.example.leftover',
  split: null,
  label: 'Leftover',
  versionCode: 1,
  versionName: '1.0',
  minSdk: 24,
  targetSdk: 34,
  debuggable: false,
  testOnly: false,
  splitRequired: false,
  permissions: [],
  launcherActivity: 'com.example.leftover.Main',
  activities: [
    { name: 'com.example.leftover.Main', exported: true, actions: ['android.intent.action.MAIN'] },
  ],
  services: [],
  receivers: [],
  instrumentations: [],
  abis: [],
  signature: { version: 3, certificates: ['1e'.repeat(32)] },
}

const changed = (change: (android: Android) => void): Leave => {
  return (android) => {
    change(android)
    android.changed()
  }
}

const leave = {
  account: changed(({ userData }) => {
    userData.accounts = [{ name: 'tenant@example.com', type: 'com.google' }]
  }),
  'sdcard-file': (android) => write(android, '/sdcard/Download/leftover.txt', aid.mediaProvider),
  package: async (android) => {
    const fs = android.fs.as(root)
    if (android.installed.find(apk.package) !== null) return
    fs.mkdirs(folder, 0o771)
    await write(android, `${folder}/base.apk`, aid.system)
    const now = Date.now()
    const uid = android.installed.newUid()
    const times = { firstInstallMs: now, lastUpdateMs: now }
    android.installed.put({
      apk,
      uid,
      folder,
      splits: [],
      ...times,
      installer: null,
      granted: [],
      enabled: true,
    })
    makeDataFolder(fs, apk.package, uid)
  },
  clipboard: ({ world }) => {
    world.setClipboard(text)
  },
  locale: ({ settings }) => {
    settings.put('system', 'system_locales', 'de-DE')
  },
  timezone: (android) => {
    android.setTimeZone('Asia/Tokyo')
  },
  'ca-certificate': async (android) => {
    const fs = android.fs.as(root)
    const at = certificate.slice(0, certificate.lastIndexOf('/'))
    fs.mkdirs(at, 0o771)
    fs.chmod(at, 0o755)
    fs.chown(at, aid.system, aid.system)
    await write(android, certificate, aid.system)
  },
  vpn: changed(({ userData, settings }) => {
    userData.vpn = 'com.example.vpn'
    settings.put('secure', 'always_on_vpn_app', 'com.example.vpn')
    settings.put('secure', 'always_on_vpn_lockdown', '1')
  }),
  'input-method': ({ settings }) => {
    const id = 'com.android.inputmethod.pinyin/.PinyinIME'
    settings.put('secure', 'enabled_input_methods', `com.android.inputmethod.latin/.LatinIME:${id}`)
    settings.put('secure', 'default_input_method', id)
  },
  'accessibility-service': ({ settings }) => {
    const name = 'com.google.android.marvin.talkback/com.google.android.marvin.talkback.TalkBackService'
    settings.put('secure', 'enabled_accessibility_services', name)
    settings.put('secure', 'accessibility_enabled', '1')
  },
  'device-admin': changed(({ userData }) => {
    const component = 'com.google.android.gms/.mdm.receivers.MdmDeviceAdminReceiver'
    userData.deviceAdmins = [{ component, uid: 10_131 }]
  }),
  'second-user': changed(({ userData }) => {
    userData.users = [{ id: 10, name: 'Second' }]
  }),
  'wifi-network': changed(({ userData }) => {
    userData.wifiNetworks = [{ id: 0, ssid: 'Tenant Home', security: 'wpa2-psk' }]
  }),
  'lock-credential': changed(({ userData }) => {
    userData.pin = '1234'
  }),
  'log-lines': ({ logs }) => {
    const line = {
      pid: 1,
      tid: 1,
      uid: aid.shell,
      priority: 'I',
      tag: 'phonerack',
      message: 'wipe-leftover',
    } as const
    logs.write('main', line)
  },
  'crash-report': changed((android) => {
    const report = {
      tag: 'data_app_crash',
      atMs: Math.floor(android.nowMs),
      text: `Process: com.example.gone\n\n${text}\n`,
    }
    android.userData.dropBox = [...android.userData.dropBox, report]
  }),
  'tmp-file': (android) => write(android, '/data/local/tmp/leftover.txt', aid.shell),
} satisfies Record<string, Leave>

export type Leftover = keyof typeof leave
export const leftovers = Object.keys(leave) as Leftover[]

/** Creates the leftover, if the phone does not have it. */
export async function putLeftover(android: Android, what: Leftover): Promise<void> {
  await leave[what](android)
}

async function write(android: Android, path: string, owner: number): Promise<void> {
  const fs = android.fs.as(root)
  const writer = await fs.openWrite(path, { mode: 0o644 })
  try {
    await writer.write(Buffer.from(`${text}\n`))
  } finally {
    await writer.close()
  }
  fs.chown(path, owner, owner)
}
