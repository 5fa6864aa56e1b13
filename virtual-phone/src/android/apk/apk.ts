/** Reads the data of one APK file that the package manager needs. Used by `android/install`. */
import { open } from 'node:fs/promises'
import { childrenOf, parseBinaryXml, type XmlElement } from './binary-xml.js'
import { ChunkError, type Value } from './chunks.js'
import { InstallError } from './error.js'
import { readIcon } from './icon.js'
import { resourceText } from './resources.js'
import { readSignature, type Signature } from './signature.js'
import { ZipError, ZipFile } from './zip.js'

interface ApkComponent {
  /** Full class name. */
  name: string
  exported: boolean
  /** Actions of its intent filters. */
  actions: readonly string[]
}

export interface Apk {
  package: string
  /** The split's name; null for the base. */
  split: string | null
  label: string
  /** A PNG or WebP in Base64; null or omitted when its icon is not a bitmap. */
  icon?: string | null
  versionCode: number
  versionName: string
  minSdk: number
  targetSdk: number
  debuggable: boolean
  testOnly: boolean
  /** True if the app does not run without a split. */
  splitRequired: boolean
  permissions: readonly string[]
  /** Full class name of the activity for the launcher. */
  launcherActivity: string | null
  activities: readonly ApkComponent[]
  services: readonly ApkComponent[]
  receivers: readonly ApkComponent[]
  instrumentations: readonly { name: string; target: string }[]
  /** Folders under `lib/`. */
  abis: readonly string[]
  signature: Signature
}

const maxManifestBytes = 16 * 1024 ** 2
const maxTableBytes = 256 * 1024 ** 2

/**
 * Reads an APK. `path` is a file of the machine; messages show `shownPath`.
 * @throws InstallError
 */
export async function readApk(path: string, shownPath: string): Promise<Apk> {
  const handle = await open(path, 'r')
  try {
    const zip = await ZipFile.open(handle)
    const manifest = await zip.read('AndroidManifest.xml', maxManifestBytes)
    if (manifest === null) throw new ZipError('no AndroidManifest.xml')
    const root = parseBinaryXml(manifest)
    if (root.tag !== 'manifest') throw new ChunkError('root element is not <manifest>')
    const table = await zip.read('resources.arsc', maxTableBytes)
    const icon = await readIcon(childrenOf(root, 'application')[0], table, zip)
    return { ...describe(root, table, zip, await readSignature(zip)), icon }
  } catch (error) {
    if (error instanceof ZipError || error instanceof ChunkError || error instanceof RangeError)
      throw new InstallError('INSTALL_PARSE_FAILED_NOT_APK', `Failed to parse ${shownPath}: ${error.message}`)
    throw error
  } finally {
    await handle.close()
  }
}

function describe(
  root: XmlElement,
  table: Buffer | null,
  zip: ZipFile,
  signature: Signature,
): Omit<Apk, 'icon'> {
  const name = textOf(root.attributes.get('package'))
  if (!/^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/.test(name))
    throw new InstallError('INSTALL_PARSE_FAILED_BAD_PACKAGE_NAME', `Invalid manifest package: ${name}`)
  const split = textOf(root.attributes.get('split'))
  if (!/^[\w.]*$/.test(split) || split.includes('..'))
    throw new InstallError('INSTALL_PARSE_FAILED_MANIFEST_MALFORMED', `Invalid split name: ${split}`)
  const text = (value: Value | undefined): string =>
    typeof value === 'object' && value !== null
      ? ((table === null ? null : resourceText(table, value.resource)) ?? '')
      : textOf(value)
  const [sdk] = childrenOf(root, 'uses-sdk')
  const [application] = childrenOf(root, 'application')
  const minSdk = sdkOf(sdk?.attributes.get('minSdkVersion'), 1)
  const components = (...tags: string[]) =>
    childrenOf(application, ...tags).map((element) => componentOf(element, name))
  return {
    package: name,
    split: split === '' ? null : split,
    label: text(application?.attributes.get('label')) || name,
    versionCode:
      numberOf(root.attributes.get('versionCodeMajor'), 0) * 2 ** 32 +
      numberOf(root.attributes.get('versionCode'), 0),
    versionName: text(root.attributes.get('versionName')),
    minSdk,
    targetSdk: sdkOf(sdk?.attributes.get('targetSdkVersion'), minSdk),
    debuggable: application?.attributes.get('debuggable') === true,
    testOnly: application?.attributes.get('testOnly') === true,
    splitRequired:
      root.attributes.get('isSplitRequired') === true ||
      application?.attributes.get('isSplitRequired') === true,
    permissions: childrenOf(root, 'uses-permission').map((each) => textOf(each.attributes.get('name'))),
    launcherActivity: launcherOf(application, name),
    activities: components('activity', 'activity-alias'),
    services: components('service'),
    receivers: components('receiver'),
    instrumentations: childrenOf(root, 'instrumentation').map((each) => ({
      name: fullName(textOf(each.attributes.get('name')), name),
      target: textOf(each.attributes.get('targetPackage')),
    })),
    abis: abisOf(zip),
    signature,
  }
}

function componentOf(element: XmlElement, packageName: string): ApkComponent {
  const filters = childrenOf(element, 'intent-filter')
  return {
    name: fullName(textOf(element.attributes.get('name')), packageName),
    exported: element.attributes.get('exported') === true,
    actions: filters.flatMap((filter) =>
      childrenOf(filter, 'action').map((action) => textOf(action.attributes.get('name'))),
    ),
  }
}

function launcherOf(application: XmlElement | undefined, packageName: string): string | null {
  const has = (filter: XmlElement, tag: string, name: string) =>
    childrenOf(filter, tag).some((each) => each.attributes.get('name') === name)
  const found = childrenOf(application, 'activity', 'activity-alias').find(
    (activity) =>
      activity.attributes.get('enabled') !== false &&
      childrenOf(activity, 'intent-filter').some(
        (filter) =>
          has(filter, 'action', 'android.intent.action.MAIN') &&
          has(filter, 'category', 'android.intent.category.LAUNCHER'),
      ),
  )
  return found === undefined ? null : fullName(textOf(found.attributes.get('name')), packageName)
}

/** The rule is the same as in `PackageParser.buildClassName`. */
function fullName(name: string, packageName: string): string {
  if (name.startsWith('.')) return packageName + name
  return name === '' || name.includes('.') ? name : `${packageName}.${name}`
}

function abisOf(zip: ZipFile): string[] {
  const found = [...zip.entries.keys()].map((name) => /^lib\/([^/]+)\/[^/]+\.so$/.exec(name)?.[1])
  return [...new Set(found.filter((abi) => abi !== undefined))].sort()
}

function textOf(value: Value | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function numberOf(value: Value | undefined, missing: number): number {
  return typeof value === 'number' ? value : missing
}

/** A code name denotes an unreleased version. */
function sdkOf(value: Value | undefined, missing: number): number {
  if (typeof value === 'string') return /^\d+$/.test(value) ? Number(value) : 10_000
  return numberOf(value, missing)
}
