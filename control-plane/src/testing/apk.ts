/** APKs for tests of uploads and installs: those of the virtual phone's builder, with defaults. */
import {
  makeApk as makeAny,
  newSigner,
  type ApkSettings,
  type Signer,
  type Signing,
} from '@phonerack/virtual-phone/apk-builder'

/** RSA, whose signatures have a fixed length: tests count bytes. */
const usual = await newSigner('usual', 'rsa')

/** `by`: null: unsigned. */
export const makeApk = (
  settings: Partial<ApkSettings> = {},
  by: Signer | null = usual,
  signing?: Signing,
): Buffer =>
  makeAny({ package: 'com.example.app', versionCode: 1, label: 'Example', ...settings }, by, signing)
