/**
 * Third-party programs that are put on phones, unchanged: each with name, version and
 * SHA-256 of the released file. The scrcpy server has its own file (`scrcpy/jar.ts`).
 * Used by provisioning, and to hide these packages from clients.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

export interface Part {
  /** The name of the Android package. */
  package: string
  version: string
  /** Hex, of the APK. */
  sha256: string
  licence: string
  /** The npm package that contains the APK, and the path of the APK in this package. */
  source: { npm: string; file: string }
}

export const settingsApp: Part = {
  package: 'io.appium.settings',
  version: '8.0.10',
  sha256: '4c5d60ab5ae56502857dc625e1dde2996fa6d9e64c479bbce59214774e2129dd',
  licence: 'Apache-2.0',
  source: { npm: 'io.appium.settings', file: 'apks/settings_apk-debug.apk' },
}

export const uiServer: Part = {
  package: 'io.appium.uiautomator2.server',
  version: '10.6.6',
  sha256: '8ff760a2a86b487f53090fbdcd5b0360e67d02bb811887d527a9557b0d59c80d',
  licence: 'Apache-2.0',
  source: { npm: 'appium-uiautomator2-server', file: 'apks/appium-uiautomator2-server-v10.6.6.apk' },
}

export const uiServerTest: Part = {
  package: 'io.appium.uiautomator2.server.test',
  version: '10.6.6',
  sha256: 'e6f729287d72351388fd66597c35b69988b9091a7011954bf92a55d416cb1e1c',
  licence: 'Apache-2.0',
  source: {
    npm: 'appium-uiautomator2-server',
    file: 'apks/appium-uiautomator2-server-debug-androidTest.apk',
  },
}

/** Packages that a client may neither see nor change. */
export const ownPackages: ReadonlySet<string> = new Set(
  [settingsApp, uiServer, uiServerTest].map((part) => part.package),
)

const require = createRequire(import.meta.url)

/** Reads the APK. @throws Error when it is missing, or is not the released file */
export async function readPart(part: Part): Promise<Buffer> {
  const folder = dirname(require.resolve(`${part.source.npm}/package.json`))
  const path = join(folder, part.source.file)
  const content = await readFile(path)
  const sha256 = createHash('sha256').update(content).digest('hex')
  if (sha256 !== part.sha256)
    throw new Error(
      `${path} is not ${part.package} ${part.version}: its sha256 is ${sha256}, expected ${part.sha256}`,
    )
  return content
}
