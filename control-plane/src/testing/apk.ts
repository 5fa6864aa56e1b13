/** APKs for tests of uploads and installs, made by the virtual phone's builder, with defaults. */
import {
  makeApk as makeAny,
  newSigner,
  type ApkSettings,
  type Signer,
  type Signing,
} from '@phonerack/virtual-phone/apk-builder'

/** RSA signatures have a fixed length, which tests need since they count bytes. */
const usual = await newSigner('usual', 'rsa')

/** @param by the signer; null: the APK is unsigned */
export const makeApk = (
  settings: Partial<ApkSettings> = {},
  by: Signer | null = usual,
  signing?: Signing,
): Buffer =>
  makeAny({ package: 'com.example.app', versionCode: 1, label: 'Example', ...settings }, by, signing)
