/**
 * Reads outputs of real phones, which are not in the repository: `shared/field` in its parent folder, or
 * `PHONERACK_FIELD_DATA`. Tests that need them are skipped where the folder is missing.
 */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder =
  process.env['PHONERACK_FIELD_DATA'] ??
  fileURLToPath(new URL('../../../../shared/field', import.meta.url)).replace(/\/$/, '')

export const hasFieldData = existsSync(folder)

export const fieldData = (name: string): string => readFileSync(`${folder}/${name}`, 'utf8')
