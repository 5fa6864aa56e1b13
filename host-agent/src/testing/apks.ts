/** For tests: generated APKs, as files on this host. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeApk, newSigner, type ApkSettings } from '@phonerack/virtual-phone/apk-builder'
import type { InstallFile } from '../adb/device/device.js'

export const shop = 'org.example.shop'

export interface Apks {
  /** Makes an APK, by default version code 5 of `org.example.shop`. */
  make(settings?: Partial<ApkSettings>, by?: 'ours' | 'stranger'): InstallFile & { content: Buffer }
  remove(): void
}

export async function makeApks(): Promise<Apks> {
  const dir = mkdtempSync(join(tmpdir(), 'phonerack-apks-'))
  const signers = { ours: await newSigner('ours'), stranger: await newSigner('stranger') }
  let count = 0
  return {
    make(settings = {}, by = 'ours') {
      const content = makeApk({ package: shop, versionCode: 5, ...settings }, signers[by])
      const path = join(dir, `${count++}.apk`)
      writeFileSync(path, content)
      return {
        path,
        content,
        size: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
      }
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}
