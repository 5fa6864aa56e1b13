// Builds the package as ES modules and as CommonJS into `dist`, each with its types.
import { execFileSync } from 'node:child_process'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'

const root = path.join(import.meta.dirname, '..')
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
const built = path.join(root, '.build')
await rm(path.join(root, 'dist'), { recursive: true, force: true })
await rm(built, { recursive: true, force: true })
// TypeScript reads the kind of module of a source from the nearest package.json.
for (const [kind, type] of [
  ['esm', 'module'],
  ['cjs', 'commonjs'],
]) {
  const from = path.join(built, kind)
  await mkdir(from, { recursive: true })
  await writeFile(path.join(from, 'package.json'), JSON.stringify({ type }))
  await cp(path.join(root, 'src'), path.join(from, 'src'), {
    recursive: true,
    filter: (name) => !name.endsWith('.test.ts'),
  })
  const options = {
    extends: '../../tsconfig.build.json',
    compilerOptions: { rootDir: 'src', outDir: `../../dist/${kind}` },
    include: ['src'],
  }
  await writeFile(path.join(from, 'tsconfig.json'), JSON.stringify(options))
  execFileSync(process.execPath, [tsc, '-p', from], { stdio: 'inherit' })
  await writeFile(path.join(root, 'dist', kind, 'package.json'), `${JSON.stringify({ type })}\n`)
}
await rm(built, { recursive: true, force: true })
