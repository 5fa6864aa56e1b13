/** Builds APKs, for tests of every package. */
export { makeApk, type ApkSettings } from './apk.js'
export { algorithms, newSigner, type KeyKind, type Signer, type Signing } from './signing.js'
export { zipOf } from './zip.js'
