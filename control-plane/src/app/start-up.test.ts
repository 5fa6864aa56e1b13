/** The modules that the control plane loads before it knows its configuration. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'

/** Imports and re-exports with a runtime effect. */
const statement = /^(?:import|export) (?!type )(?:[^'"]*? from )?'([^']+)'/gm

/** Packages that `entry` loads before it runs, through its own modules. */
async function packagesOf(entry: string): Promise<Set<string>> {
  const packages = new Set<string>()
  const seen = new Set([entry])
  for (const file of seen) {
    if (file.includes('/gen/')) continue
    for (const [, name = ''] of (await readFile(file, 'utf8')).matchAll(statement))
      if (name.startsWith('.')) seen.add(path.resolve(path.dirname(file), name.replace(/\.js$/, '.ts')))
      else packages.add(name)
  }
  expect(seen.size).toBeGreaterThan(100)
  return packages
}

it('loads neither Stripe nor the SDK of S3, which few deployments use, nor better-auth before somebody signs in', async () => {
  const packages = await packagesOf(path.join(import.meta.dirname, '../main.ts'))
  expect([...packages]).toEqual(expect.arrayContaining(['fastify', 'flydrive', 'graphile-worker', 'zod']))
  const late = /^(stripe|@aws-sdk\/|flydrive\/drivers\/s3|better-auth|@better-auth\/(?!core\/error))/
  expect([...packages].filter((name) => late.test(name))).toEqual([])
})
