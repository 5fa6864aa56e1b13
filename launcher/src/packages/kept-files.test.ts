import { expect, it } from 'vitest'
import { isKept } from './kept-files.js'

it.each([
  'package.json',
  'index.js',
  'lib/test-events.js',
  'lib/docs.js',
  'build/index.cjs',
  'lib/addon.node',
  'apks/app-debug-androidTest.apk',
  'LICENSE',
  'LICENSE.md',
  'static/index.html',
  'licenses/zlib.txt',
  'test/LICENSE',
  'NOTICE',
])('keeps %s', (file) => {
  expect(isKept(file)).toBe(true)
})

it.each([
  'README.md',
  'index.d.ts',
  'index.d.mts',
  'src/index.ts',
  'index.js.map',
  'test/index.js',
  'test.js',
  'ext/descriptor/test.js',
  'lib/parse.test.js',
  'examples/server.js',
  'src/native.cc',
  '.github/workflows/ci.yml',
  '.npmrc',
  'index.html',
])('omits %s', (file) => {
  expect(isKept(file)).toBe(false)
})
