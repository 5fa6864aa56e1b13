/** docs/capabilities.md has a section for every implementation that a phone's record can hold. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { recordSchema } from './records.js'

const described = readFileSync(new URL('../../../docs/capabilities.md', import.meta.url), 'utf8')

/** Fields of a record that the document shows under another name. */
const shown: Readonly<Record<string, string>> = { packages: 'apps' }

it('describes each implementation that can be selected', () => {
  const { shape } = recordSchema.shape.choice.unwrap()
  const rows = Object.entries(shape).flatMap(([capability, field]) => {
    const choices = field instanceof z.ZodDefault ? field.unwrap() : field
    const names = choices instanceof z.ZodEnum ? choices.options : []
    return names.filter((name) => name !== '').map((name) => [shown[capability] ?? capability, name] as const)
  })
  expect(rows).toContainEqual(['ui', 'uiautomator-file'])
  const missing = rows.filter(
    ([capability, name]) => !described.includes(`\n### \`${capability}\`: \`${name}\`\n`),
  )
  expect(missing).toEqual([])
})
