/** Reads one APK file, in the process that `inspect.ts` starts. */
import { InvalidApk, type ApkFacts } from './facts.js'
import { readManifest, type Text } from './manifest.js'
import { resourceText } from './resources.js'
import { signatureOf } from './signer.js'
import { openApk } from './zip.js'

/** Maximum characters of a label or version name. */
const maxText = 200

/** @throws InvalidApk */
export async function readApk(path: string): Promise<ApkFacts> {
  const apk = await openApk(path)
  try {
    const bytes = await apk.read('manifest')
    if (!bytes)
      throw new InvalidApk(
        'The file does not contain AndroidManifest.xml. From a bundle (.aab, .apks, .xapk), build one universal APK: bundletool build-apks --mode=universal.',
      )
    const manifest = readManifest(bytes)
    const signature = await signatureOf(path, apk)
    if (signature === null)
      throw new InvalidApk('The APK is not signed. Sign it with apksigner and upload it again.')
    const table =
      isReference(manifest.label) || isReference(manifest.versionName) ? await apk.read('resources') : null
    return {
      ...manifest,
      versionName: textOf(manifest.versionName, table),
      label: textOf(manifest.label, table),
      abis: [...apk.abis],
      ...signature,
    }
  } finally {
    apk.close()
  }
}

const isReference = (text: Text): boolean => typeof text === 'object' && text !== null

/** Puts a text on one line, without characters that cannot be displayed or stored. */
function textOf(text: Text, table: Buffer | null): string | null {
  const found = typeof text === 'string' || text === null ? text : table && resourceText(table, text.resource)
  const clean = found?.replace(/[\p{Cc}\p{Cf}\p{Surrogate}\s]+/gu, ' ').trim()
  return clean ? Array.from(clean).slice(0, maxText).join('') : null
}
