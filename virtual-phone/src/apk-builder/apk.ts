/**
 * Builds small APKs without code, for tests and for the library of `up` (`sample-apps.ts`). The launcher's
 * activity can be `android.app.Activity`, which every phone has and which shows an empty screen.
 */
import { type Element, writeBinaryXml } from './binary-xml.js'
import { iconResource, iconTable } from './resources.js'
import { signingBlock, type Signer, type Signing } from './signing.js'
import { zipOf } from './zip.js'

export interface ApkSettings {
  package: string
  versionCode: number
  versionName?: string
  label?: string
  split?: string
  /** An API level, or a code name. */
  minSdk?: number | string
  targetSdk?: number
  debuggable?: boolean
  testOnly?: boolean
  splitRequired?: boolean
  permissions?: readonly string[]
  /** Class name of the launcher's activity. */
  activity?: string
  /** A PNG of 144×144 pixels. */
  icon?: Buffer
  /** Further entries of the archive. */
  files?: Readonly<Record<string, Buffer>>
}

const iconPath = 'res/icon.png'

/** Without a signer, the APK is unsigned. */
export function makeApk(settings: ApkSettings, signer: Signer | null, signing?: Signing): Buffer {
  const { icon, files } = settings
  const entries = {
    'AndroidManifest.xml': writeBinaryXml(manifestOf(settings)),
    ...(icon && { 'resources.arsc': iconTable(settings.package, iconPath), [iconPath]: icon }),
    ...files,
  }
  return signer === null
    ? zipOf(entries)
    : zipOf(entries, (sections) => signingBlock(sections, signer, signing))
}

function manifestOf(settings: ApkSettings): Element {
  const filter: Element = {
    tag: 'intent-filter',
    children: [
      { tag: 'action', attributes: { name: 'android.intent.action.MAIN' } },
      { tag: 'category', attributes: { name: 'android.intent.category.LAUNCHER' } },
    ],
  }
  const activity = {
    tag: 'activity',
    attributes: { name: settings.activity ?? '', exported: true },
    children: [filter],
  }
  return {
    tag: 'manifest',
    attributes: {
      package: settings.package,
      versionCode: settings.versionCode,
      versionName: settings.versionName ?? `${settings.versionCode}.0`,
      ...(settings.split === undefined ? {} : { split: settings.split }),
      ...(settings.splitRequired === true ? { isSplitRequired: true } : {}),
    },
    children: [
      {
        tag: 'uses-sdk',
        attributes: { minSdkVersion: settings.minSdk ?? 26, targetSdkVersion: settings.targetSdk ?? 34 },
      },
      ...(settings.permissions ?? []).map((name) => ({ tag: 'uses-permission', attributes: { name } })),
      {
        tag: 'application',
        attributes: {
          label: settings.label ?? settings.package,
          hasCode: false,
          debuggable: settings.debuggable === true,
          testOnly: settings.testOnly === true,
          ...(settings.icon && { icon: { resource: iconResource } }),
        },
        children: settings.activity === undefined ? [] : [activity],
      },
    ],
  }
}
