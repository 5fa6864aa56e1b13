/**
 * Writes the APKs of the sample apps, with which `up` fills its app library: `node sample-apps.js DIR`. All
 * have the same signer.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createCanvas } from '@napi-rs/canvas'
import { makeApk, type ApkSettings } from './apk.js'
import { newSigner } from './signing.js'

const [dir] = process.argv.slice(2)
if (dir === undefined) throw new Error('usage: node sample-apps.js DIR')
mkdirSync(dir, { recursive: true })

const samples: readonly (Pick<ApkSettings, 'package' | 'label' | 'permissions'> & { color: string })[] = [
  { package: 'com.phonerack.sample', label: 'Sample', color: '#3c6ff0' },
  {
    package: 'com.phonerack.sample.permissions',
    label: 'Permissions Sample',
    color: '#0c8f62',
    permissions: ['CAMERA', 'RECORD_AUDIO', 'ACCESS_FINE_LOCATION', 'POST_NOTIFICATIONS'].map(
      (name) => `android.permission.${name}`,
    ),
  },
]

const signer = await newSigner('Phonerack sample apps')
for (const { color, ...settings } of samples) {
  const apk = { ...settings, versionCode: 1, activity: 'android.app.Activity', icon: iconOf(color) }
  const file = path.join(dir, `${settings.package}.apk`)
  writeFileSync(file, makeApk(apk, signer, { schemes: ['v3', 'v2'] }))
}

function iconOf(color: string): Buffer {
  const canvas = createCanvas(144, 144)
  const context = canvas.getContext('2d')
  context.fillStyle = color
  context.roundRect(6, 6, 132, 132, 36)
  context.fill()
  context.fillStyle = '#ffffff'
  context.fillRect(50, 34, 44, 76)
  return canvas.toBuffer('image/png')
}
