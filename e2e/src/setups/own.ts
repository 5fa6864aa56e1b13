/**
 * The setup of the long tests that start their own parts: the folder of the packages that one run builds
 * once.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import './provide.js'

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const packages = await mkdtemp(path.join(tmpdir(), 'phonerack-e2e-packages-'))
  project.provide('packages', packages)
  project.provide('systems', [])
  return () => rm(packages, { recursive: true, force: true })
}
