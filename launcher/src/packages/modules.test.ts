import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { productionModules } from './modules.js'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'phonerack-modules-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function add(folder: string, manifest: Record<string, unknown> = {}): void {
  const dir = path.join(root, folder)
  mkdirSync(dir, { recursive: true })
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
  writeFileSync(path.join(dir, 'package.json'), JSON.stringify({ name, version: '1.0.0', ...manifest }))
}

function link(workspace: string, name: string, manifest: Record<string, unknown>): void {
  add(workspace, { name, ...manifest })
  mkdirSync(path.join(root, 'node_modules', path.dirname(name)), { recursive: true })
  symlinkSync(path.join(root, workspace), path.join(root, 'node_modules', name))
}

const targets = (leaves: readonly string[] = []): string[] =>
  productionModules(root, 'app', new Set(leaves)).map(({ target }) => target)

it('finds dependencies, installed optional ones and required peers, but no developer’s', () => {
  add('app', {
    dependencies: { a: '*', '@types/a': '*' },
    devDependencies: { tool: '*' },
    optionalDependencies: { native: '*', 'other-system': '*' },
  })
  add('node_modules/a', {
    dependencies: { b: '*' },
    peerDependencies: { peer: '*', unwanted: '*' },
    peerDependenciesMeta: { unwanted: { optional: true } },
  })
  for (const name of ['b', 'peer', 'unwanted', 'tool', 'native', '@types/a']) add(`node_modules/${name}`)
  expect(targets()).toEqual(['node_modules/a', 'node_modules/b', 'node_modules/native', 'node_modules/peer'])
})

it('puts workspaces, and modules below others, where Node.js finds them', () => {
  add('app', { dependencies: { '@ours/shared': '*', b: '*' } })
  link('shared', '@ours/shared', { dependencies: { b: '*', c: '*' } })
  add('shared/node_modules/b', { version: '2.0.0' })
  add('app/node_modules/d')
  add('node_modules/b', { dependencies: { c: '*' } })
  add('node_modules/b/node_modules/c', { version: '2.0.0' })
  add('node_modules/c')
  const found = productionModules(root, 'app', new Set())
  expect(found.map(({ target, isOurs, manifest }) => [target, manifest.version, isOurs])).toEqual([
    ['node_modules/@ours/shared', '1.0.0', true],
    ['node_modules/@ours/shared/node_modules/b', '2.0.0', false],
    ['node_modules/b', '1.0.0', false],
    ['node_modules/b/node_modules/c', '2.0.0', false],
    ['node_modules/c', '1.0.0', false],
  ])
})

it('keeps two versions apart, and refuses a module that is not installed', () => {
  add('app', { dependencies: { '@ours/shared': '*', b: '*' } })
  add('app/node_modules/b', { version: '2.0.0' })
  link('shared', '@ours/shared', { dependencies: { b: '*' } })
  add('node_modules/b')
  expect(targets()).toEqual(['dist/node_modules/b', 'node_modules/@ours/shared', 'node_modules/b'])
  rmSync(path.join(root, 'node_modules/b'), { recursive: true })
  expect(() => targets()).toThrow('@ours/shared needs b, which is not installed: run npm ci')
})

it('includes a module of which only single files are used without its dependencies', () => {
  add('app', { dependencies: { apk: '*' } })
  add('node_modules/apk', { dependencies: { b: '*' } })
  expect(targets(['apk'])).toEqual(['node_modules/apk'])
})
